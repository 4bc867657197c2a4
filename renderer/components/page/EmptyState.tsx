import type { ReactNode } from 'react';
import classes from './EmptyState.module.css';

/** Says what the list holds and what fills it, with one button. */
export function EmptyState({ title, text, children }: { title: string; text?: ReactNode; children?: ReactNode }) {
  return (
    <div className={classes['state']}>
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      {children && <div className={classes['actions']}>{children}</div>}
    </div>
  );
}
