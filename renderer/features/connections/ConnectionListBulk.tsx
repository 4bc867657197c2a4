import { useConnectionBulk } from '../../api/connections/connections-mutations.ts';
import type { ConnectionListItem } from '../../api/contract.ts';
import { writeExport } from '../../api/transfer/write-export.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { ConnectionBulk, type ConnectionBulkProps } from '../../components/connection/ConnectionBulk.tsx';
import { connectionKey } from './connection-key.ts';

/** The actions on the selected connections. */
export function ConnectionListBulk(
  props: Pick<ConnectionBulkProps<ConnectionListItem>, 'selection' | 'rows' | 'columns'>,
) {
  const env = useEnv();
  const bulk = useConnectionBulk(OWN_ERROR);
  return (
    <ConnectionBulk
      {...props}
      env={env}
      rowKey={connectionKey}
      send={bulk.mutateAsync}
      exportFile={(order) => writeExport(env, order)}
    />
  );
}
