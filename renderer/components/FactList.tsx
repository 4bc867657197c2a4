import type { ReactNode } from 'react';
import classes from './FactList.module.css';

/** Label above value in one column, as in side panels; `wide` puts them side by side. */
export function FactList({ children, wide = false }: { children: ReactNode; wide?: boolean }) {
  return (
    <dl className={classes['list']} data-wide={wide || undefined}>
      {children}
    </dl>
  );
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}
