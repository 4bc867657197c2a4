import type { ReactNode } from 'react';
import classes from './SplitView.module.css';

/** A page with, perhaps, a side panel to its right. */
export function SplitView({ panel, children }: { panel?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes['split']}>
      <div className={classes['page']}>{children}</div>
      {panel}
    </div>
  );
}
