import { CopyButton } from './CopyButton.tsx';
import classes from './CopyRow.module.css';

/** A value to take along, on one line with its button. */
export function CopyRow({ value, label }: { value: string; label: string }) {
  return (
    <span className={classes['row']}>
      <code>{value}</code>
      <CopyButton value={value} label={label} />
    </span>
  );
}
