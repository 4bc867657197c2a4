import { CopyButton } from './CopyButton.tsx';
import classes from './CopyRow.module.css';

interface CopyRowProps {
  value: string;
  label: string;
  /** In a table: the button appears on hover and is not a tab stop. */
  quiet?: boolean;
}

/** A value on one line with a copy button. */
export function CopyRow({ value, label, quiet = false }: CopyRowProps) {
  return (
    <span className={`middle ${classes['row']}`} data-quiet={quiet || undefined}>
      <code className="cut">{value}</code>
      <CopyButton value={value} label={label} tabIndex={quiet ? -1 : 0} />
    </span>
  );
}
