import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './Toolbar.module.css';

/** The row of search box, filters and view buttons above a table. */
export function Toolbar(props: { children: ReactNode; end?: ReactNode; isBelowTabs?: boolean }) {
  const { children, end, isBelowTabs } = props;
  return (
    <div className={classes['bar']} role="search" data-below-tabs={isBelowTabs || undefined}>
      {children}
      {end && <div className={classes['end']}>{end}</div>}
    </div>
  );
}

interface TabListHeadProps {
  /** Rows of the list, in words. */
  count: string;
  /** The screen of the whole list, narrowed as this one is. */
  link: { to: string; label: string };
  /** Before the count: what chooses the list. */
  start?: ReactNode;
  /** Controls on the right. */
  children?: ReactNode;
}

/** What the header of a list's screen holds, above the same list on a tab of something else. */
export function TabListHead({ count, link, start, children }: TabListHeadProps) {
  return (
    <div className={classes['head']}>
      {start}
      <span className={classes['count']}>{count}</span>
      {children}
      <Button variant="subtle" component={Link} to={link.to}>
        {link.label}
      </Button>
    </div>
  );
}
