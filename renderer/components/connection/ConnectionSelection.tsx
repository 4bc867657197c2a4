import { lazy } from 'react';
import { AfterSelection } from '../list/AfterSelection.tsx';
import type { ConnectionBulkProps, SelectedConnection } from './ConnectionBulk.tsx';

const load = async () => ({ default: (await import('./ConnectionBulk.tsx')).ConnectionBulk });
/** `lazy` forgets that the bar is made for any kind of row. */
const ConnectionBulk = lazy(load) as unknown as Awaited<ReturnType<typeof load>>['default'];

/** The bar below the connections of an integration. */
export function ConnectionSelection<Row extends SelectedConnection>(props: ConnectionBulkProps<Row>) {
  return (
    <AfterSelection selection={props.selection}>
      <ConnectionBulk {...props} />
    </AfterSelection>
  );
}
