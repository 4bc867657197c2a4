import { Button } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'react-router';
import { readRecentScreens } from '../lib/recent-screens.ts';
import { EmptyState } from './EmptyState.tsx';
import classes from './NotFoundPage.module.css';
import { PageHeader } from './PageHeader.tsx';
import { useShell } from './shell-context.ts';

const NOT_FOUND = 'Not found';
const MOST_RECENT = 6;

interface NotFoundPageProps {
  /** A sentence that says what is missing. */
  message: string;
  /** The list that would contain it. */
  to: string;
  toLabel: string;
}

/** The page for an object that does not exist, with the list that would contain it, a search, and the screens that were open before. */
export function NotFoundPage({ message, to, toLabel }: NotFoundPageProps) {
  const { openPalette } = useShell();
  const { pathname, search } = useLocation();
  // As they were when the page opened: this one becomes a recent screen too.
  const [recent] = useState(() =>
    readRecentScreens()
      .filter(({ path, label }) => path !== `${pathname}${search}` && label !== NOT_FOUND)
      .slice(0, MOST_RECENT),
  );
  return (
    <>
      <PageHeader title={NOT_FOUND} />
      <EmptyState title={message} text="It was deleted or renamed, or the link is old.">
        <Button component={Link} to={to}>
          {toLabel}
        </Button>
        <Button variant="default" leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />} onClick={openPalette}>
          Search
        </Button>
      </EmptyState>
      {recent.length > 0 && (
        <nav aria-label="Recently opened" className={classes['recent']}>
          <h2>Recently opened</h2>
          <ul>
            {recent.map(({ path, label, within }) => (
              <li key={path}>
                <Link to={path}>{label}</Link> {within && <span className="faint">{within}</span>}
              </li>
            ))}
          </ul>
        </nav>
      )}
    </>
  );
}
