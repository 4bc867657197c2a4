import type { ReactNode } from 'react';
import classes from './FormPage.module.css';

/** A form on the left, its explanation on the right. */
export function FormPage({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className={classes['page']}>
      <div className={classes['form']}>{children}</div>
      {aside && <aside className={classes['aside']}>{aside}</aside>}
    </div>
  );
}
