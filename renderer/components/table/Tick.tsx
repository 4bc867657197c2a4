import { CheckIcon } from '@mantine/core';
import classes from './DataTable.module.css';

/** The box of a row, and of the head. The kit's own box costs as much as the rest of the row. */
export function Tick({ state }: { state: boolean | 'mixed' }) {
  return (
    <span className={`centred ${classes['tick']}`} data-checked={state !== false || undefined}>
      {state === true && <CheckIcon size={10} />}
      {state === 'mixed' && <span className={classes['dash']} />}
    </span>
  );
}
