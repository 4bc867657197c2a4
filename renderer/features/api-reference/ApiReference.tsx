import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { OpenApiDocument } from '../../api/contract.ts';
import { apiDocumentQueryOptions } from '../../api/hub/hub-queries.ts';
import { ListFilters } from '../../components/list/ListFilters.tsx';
import { useList } from '../../components/list/use-list.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import classes from './ApiReference.module.css';
import { OperationDetail } from './OperationDetail.tsx';
import { groupsOf, type ReferenceEntry } from './reference-groups.ts';

/** Every route of the public API, from the OpenAPI document of this hub. */
export function ApiReference() {
  const list = useList({ filters: ['search'] });
  const search = list.filters.search ?? '';
  const { data: document, error, refetch } = useQuery(apiDocumentQueryOptions());
  const sections = useRef(new Map<string, HTMLElement>());
  usePage([{ label: 'API' }]);
  const groups = document ? groupsOf(document, search) : [];
  return (
    <>
      <PageHeader title="API" sub={document && <code>{document.servers[0]?.url}</code>}>
        <a href="/openapi.json" target="_blank" rel="noreferrer">
          OpenAPI document
        </a>
      </PageHeader>
      <ListFilters list={list} search="Search routes" />
      <div className="flex fills gutter" style={{ gap: 24 }}>
        {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
        {document && groups.length === 0 && (
          <EmptyState title="No route matches" text="Search for a part of its address." />
        )}
        {document && groups.length > 1 && (
          <nav aria-label="Sections" className={`rigid scroll grid ${classes['sections']}`}>
            {groups.map(({ tag }) => (
              <UnstyledButton
                className="item soft"
                key={tag}
                onClick={() => sections.current.get(tag)?.scrollIntoView()}
              >
                {tag}
              </UnstyledButton>
            ))}
          </nav>
        )}
        {document && groups.length > 0 && (
          <div className="grow scroll" style={{ padding: '12px 0 32px' }}>
            {groups.map(({ tag, entries }) => (
              <section
                key={tag}
                ref={(section) => void (section ? sections.current.set(tag, section) : sections.current.delete(tag))}
                className={classes['group']}
                style={{ maxWidth: 1080, paddingBottom: 20 }}
                aria-label={tag}
              >
                <h2>{tag}</h2>
                {entries.map((entry) => (
                  <OperationEntry key={`${entry.method} ${entry.path}`} document={document} entry={entry} />
                ))}
              </section>
            ))}
          </div>
        )}
      </div>
    </>
  );
}

const TONES: Record<string, string> = { GET: 'run', POST: 'ok', PUT: 'warn', PATCH: 'warn', DELETE: 'bad' };

/** One route on one line; its parameters and answers are rendered when it is open. */
function OperationEntry({ document, entry }: { document: OpenApiDocument; entry: ReferenceEntry }) {
  const [isOpen, setOpen] = useState(false);
  const { method, path, operation } = entry;
  return (
    <details className={classes['entry']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="grid gap-12 middle">
        <span className={`rigid mono ${classes['method']}`} data-tone={TONES[method]}>
          {method}
        </span>
        <code>{path}</code>
        <span className={`soft ${classes['summary']} row`}>
          <span className="cut">{operation.summary}</span>
          {operation.deprecated && (
            <span className="row rigid">
              <Tag>deprecated</Tag>
            </span>
          )}
        </span>
      </summary>
      {isOpen && <OperationDetail document={document} entry={entry} />}
    </details>
  );
}
