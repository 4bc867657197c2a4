import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { docsListQueryOptions, docsPageQueryOptions } from '../../api/hub/docs-queries.ts';
import { SearchBox } from '../../components/list/SearchBox.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { describeError } from '../../lib/api-error.ts';
import { paths } from '../../lib/paths.ts';
import classes from './Docs.module.css';
import { DocsArticle } from './DocsArticle.tsx';
import { DocsHome } from './DocsHome.tsx';
import { DocsNav } from './DocsNav.tsx';
import { DocsResults } from './DocsResults.tsx';

/** The documentation in the window: navigation, search, one page. The address has the page and what is searched. */
export function DocsScreen() {
  const { '*': name = '' } = useParams();
  const url = useUrlState();
  const searched = url.get('q') ?? '';
  const list = useQuery(docsListQueryOptions());
  const entry = list.data?.find((one) => one.name === name);
  const title = name === '' ? 'Documentation' : (entry?.title ?? 'Documentation');
  usePage(
    name === ''
      ? [{ label: 'Documentation' }]
      : [
          { label: 'Documentation', to: paths.docs() },
          { label: title, isTitle: true },
        ],
  );
  return (
    <>
      <PageHeader key={name} title={title}>
        {name !== '' && (
          <Anchor href={`/docs/${name}.md`} target="_blank" rel="noreferrer" fz="md" className="one-line">
            Markdown
          </Anchor>
        )}
      </PageHeader>
      <div className={`fills ${classes['screen']}`}>
        <div className={`stack scroll ${classes['side']}`}>
          <div>
            <SearchBox
              label="Search pages"
              value={searched}
              onChange={(q) => url.set({ q: q === '' ? undefined : q }, { replace: true })}
            />
          </div>
          <DocsNav entries={list.data ?? []} current={name} />
        </div>
        {list.error ? (
          <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
        ) : searched !== '' ? (
          <DocsResults text={searched} />
        ) : name === '' ? (
          <DocsHome entries={list.data ?? []} />
        ) : (
          <Page key={name} name={name} />
        )}
      </div>
    </>
  );
}

function Page({ name }: { name: string }) {
  const { data: page, error, refetch } = useQuery(docsPageQueryOptions(name));
  const { data: entries = [] } = useQuery(docsListQueryOptions());
  if (error && describeError(error).code === 'not_found')
    return (
      <EmptyState
        title="There is no such page"
        text="It was renamed, or the link is of another version. Search for what it was about."
      />
    );
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return page ? <DocsArticle page={page} entries={entries} /> : null;
}
