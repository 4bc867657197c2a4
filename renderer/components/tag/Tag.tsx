import type { ReactNode } from 'react';
import classes from './Tag.module.css';

export function Tag({ children, title }: { children: ReactNode; title?: string }) {
  return (
    <span className={classes['tag']} title={title}>
      {children}
    </span>
  );
}
