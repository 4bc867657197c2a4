import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { docsSearchQueryOptions } from '../../api/hub/docs-queries.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import classes from './Docs.module.css';

const SHOWN = 30;

/** Parts of pages that match, the best first. */
export function DocsResults({ text }: { text: string }) {
  const { data: search, error, refetch } = useQuery(docsSearchQueryOptions());
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!search) return null;
  const hits = search(text);
  if (hits.length === 0) return <EmptyState title="Nothing matches" text="Try one word of what you look for." />;
  return (
    <div className={`scroll ${classes['main']}`}>
      <p className="faint note pb-8" role="status">
        {formatCount(hits.length, 'result')}
      </p>
      <ol className={classes['results']} aria-label="Results">
        {hits.slice(0, SHOWN).map(({ heading, id, title }) => (
          <li key={id}>
            <Link to={paths.docs(id)} className="item stack" data-row>
              <span className="name breaks">{heading === '' ? title : heading}</span>
              <span className="soft note">{heading === '' ? 'Page' : title}</span>
            </Link>
          </li>
        ))}
      </ol>
    </div>
  );
}
