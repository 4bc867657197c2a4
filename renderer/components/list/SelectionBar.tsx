import { Button, Kbd } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './SelectionBar.module.css';

/** Docked below the table, so that it never covers a row. */
export function SelectionBar({
  count,
  onClear,
  children,
}: {
  count: number;
  onClear: () => void;
  children: ReactNode;
}) {
  if (count === 0) return null;
  return (
    <div className={classes['bar']} role="toolbar" aria-label="Selected rows">
      <span className={classes['count']}>{count} selected</span>
      {children}
      <Button className={classes['clear'] ?? ''} variant="subtle" onClick={onClear} rightSection={<Kbd>Esc</Kbd>}>
        Clear
      </Button>
    </div>
  );
}
