import { initials, tintOf } from '../../lib/initials.ts';
import classes from './PersonMark.module.css';

/** Initials in a circle, for the user of a connection. */
export function PersonMark({ name }: { name: string }) {
  const tint = tintOf(name);
  return (
    <span
      className={`rigid strong ${classes['mark']}`}
      style={{ background: `var(--hp-tint-${tint})`, color: `var(--hp-tint-${tint}-text)` }}
      aria-hidden
    >
      {initials(name)}
    </span>
  );
}
