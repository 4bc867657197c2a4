import { Fragment, type ReactNode } from 'react';
import classes from './FactList.module.css';

/** Label above value, one under the other, as in side panels; `wide` puts them side by side. */
export function FactList({ facts, wide = false }: { facts: [label: string, value: ReactNode][]; wide?: boolean }) {
  return (
    <dl className={classes['list']} data-wide={wide || undefined}>
      {facts.map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
