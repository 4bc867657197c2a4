import { useQuery } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import { apiDocumentQuery } from '../../api/hub/hub-queries.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorPanel } from '../../components/ErrorPanel.tsx';
import { SearchBox } from '../../components/list/SearchBox.tsx';
import { Toolbar } from '../../components/list/Toolbar.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { useUrlState } from '../../components/use-url-state.ts';
import classes from './ApiReference.module.css';
import { OperationEntry } from './OperationEntry.tsx';
import { groupsOf } from './reference-groups.ts';

/** Every route of the public API, as this Homeport describes itself. */
export function ApiReference() {
  const url = useUrlState();
  const search = url.get('search') ?? '';
  const { data: document, error, refetch } = useQuery(apiDocumentQuery());
  usePage([{ label: 'API' }]);
  const groups = document ? groupsOf(document, search) : [];
  return (
    <>
      <PageHeader title="API" sub={document && <code>{document.servers[0]?.url}</code>}>
        <a href="/openapi.json" target="_blank" rel="noreferrer">
          OpenAPI document
        </a>
      </PageHeader>
      <Toolbar>
        <SearchBox
          label="Search routes"
          value={search}
          onChange={(value) => url.set({ search: value || undefined }, { replace: true })}
        />
      </Toolbar>
      <div className={classes['page']}>
        {error && <ErrorPanel {...describeError(error)} onRetry={() => void refetch()} />}
        {document && groups.length === 0 && (
          <EmptyState title="No route fits" text="Search for a part of its address." />
        )}
        {document &&
          groups.map(({ tag, entries }) => (
            <section key={tag} className={classes['group']} aria-label={tag}>
              <h2>{tag}</h2>
              {entries.map((entry) => (
                <OperationEntry key={`${entry.method} ${entry.path}`} document={document} entry={entry} />
              ))}
            </section>
          ))}
      </div>
    </>
  );
}
