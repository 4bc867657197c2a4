import type { ReactNode } from 'react';
import classes from './Section.module.css';

/** A titled block of a page, with its actions beside the title. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes['section']}>
      <div className={classes['head']}>
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
