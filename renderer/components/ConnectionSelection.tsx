import { lazy, Suspense, useState } from 'react';
import type { ConnectionBulkProps, SelectedConnection } from './ConnectionBulk.tsx';

const load = async () => ({ default: (await import('./ConnectionBulk.tsx')).ConnectionBulk });
/** `lazy` forgets that the bar is made for any kind of row. */
const ConnectionBulk = lazy(load) as unknown as Awaited<ReturnType<typeof load>>['default'];

/** The bar below a list of connections: loaded with the first row that somebody selects, and there from then on. */
export function ConnectionSelection<Row extends SelectedConnection>(props: ConnectionBulkProps<Row>) {
  const [wasUsed, setWasUsed] = useState(false);
  if (!wasUsed && props.selection.value.rows.size > 0) setWasUsed(true);
  return (
    wasUsed && (
      <Suspense fallback={null}>
        <ConnectionBulk {...props} />
      </Suspense>
    )
  );
}
