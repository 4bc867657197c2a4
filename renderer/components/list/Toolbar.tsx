import type { ReactNode } from 'react';
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
