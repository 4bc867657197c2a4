import type { ReactNode } from 'react';
import classes from './FormPage.module.css';

/** Form on the left, what to know about it on the right. */
export function FormPage({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className={classes['page']}>
      <div className={classes['form']}>{children}</div>
      {aside && <aside className={classes['aside']}>{aside}</aside>}
    </div>
  );
}
