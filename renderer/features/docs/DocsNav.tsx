import { UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { DocsEntry } from '../../api/contract.ts';
import { paths } from '../../lib/paths.ts';
import classes from './Docs.module.css';

/** The pages by section. In a narrow window they fold under one button. */
export function DocsNav({ entries, current }: { entries: readonly DocsEntry[]; current: string }) {
  const [isOpen, setOpen] = useState(false);
  const sections = Map.groupBy(
    entries.filter(({ section }) => section !== null),
    ({ section }) => section,
  );
  const parent = parentOf(current);
  return (
    <nav aria-label="Pages of the documentation" className={classes['nav']} data-open={isOpen || undefined}>
      <UnstyledButton
        className={`item row between full soft ${classes['fold']}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        All pages
        <IconChevronDown size={16} stroke={1.6} aria-hidden />
      </UnstyledButton>
      <div className={classes['sections']}>
        {[...sections].map(([section, pages]) => (
          <section key={section} aria-label={section ?? ''}>
            <h2 className="note faint">{section}</h2>
            <ul>
              {pages.map(({ name, title }) => (
                <li key={name}>
                  <Link
                    className="item soft"
                    to={paths.docs(name)}
                    aria-current={name === current ? 'page' : name === parent ? 'true' : undefined}
                    onClick={() => setOpen(false)}
                  >
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  );
}

/** The page of the list that leads to a page outside of the navigation. */
const parentOf = (name: string): string =>
  name.startsWith('providers/') ? 'providers' : name.startsWith('api-') ? 'api' : name;
