import { type ReactNode, Suspense, useState } from 'react';
import type { TableSelection } from '../table/table-props.ts';

/** Shows the bar below a list from the first selected row on: until then its code is not loaded. */
export function AfterSelection<Row>({ selection, children }: { selection: TableSelection<Row>; children: ReactNode }) {
  const [wasUsed, setWasUsed] = useState(false);
  if (!wasUsed && selection.value.rows.size > 0) setWasUsed(true);
  return wasUsed && <Suspense fallback={null}>{children}</Suspense>;
}
