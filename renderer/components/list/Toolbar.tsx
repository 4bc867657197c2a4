import type { ReactNode } from 'react';
import classes from './Toolbar.module.css';

/** The row of search box, filters and view buttons above a table. */
export function Toolbar({ children, end }: { children: ReactNode; end?: ReactNode }) {
  return (
    <div className={classes['bar']} role="search">
      {children}
      {end && <div className={classes['end']}>{end}</div>}
    </div>
  );
}
