import { Link } from 'react-router';
import type { DocsEntry } from '../../api/contract.ts';
import { paths } from '../../lib/paths.ts';
import classes from './Docs.module.css';

/** The first page: every page of the navigation with what it is about. */
export function DocsHome({ entries }: { entries: readonly DocsEntry[] }) {
  const sections = Map.groupBy(
    entries.filter(({ section }) => section !== null),
    ({ section }) => section,
  );
  return (
    <div className={`scroll ${classes['main']}`}>
      <div className={classes['home']}>
        {[...sections].map(([section, pages]) => (
          <section key={section} aria-label={section ?? ''}>
            <h2>{section}</h2>
            <ul>
              {pages.map(({ about, name, title }) => (
                <li key={name}>
                  <Link to={paths.docs(name)} className="item stack">
                    <span className="name">{title}</span>
                    <span className="soft note">{about}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}
