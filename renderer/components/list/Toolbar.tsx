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
  /** The number of rows, in words. */
  count: string;
  /** The screen of the whole list with the same filters. */
  link: { to: string; label: string };
  /** Before the count: the control that chooses the list. */
  start?: ReactNode;
  /** Controls on the right. */
  children?: ReactNode;
}

/** The header of a list's screen, for the same list on a tab of another screen. */
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
