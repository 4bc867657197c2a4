import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { useDeleteConnection } from '../../api/connections/connections-mutations.ts';
import type { ConnectionDetail } from '../../api/contract.ts';
import { useEnv, useIsProduction } from '../../api/use-env.ts';
import { notifyDeleted } from '../../components/notice/notify-undoable.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';

/** Deleting more records than this asks for the name to be typed. */
const TYPED_ABOVE = 100;

type DeletedConnection = Pick<ConnectionDetail, 'connectionId' | 'integrationKey' | 'recordCount' | 'displayName'>;

/**
 * `ask` opens a confirmation that names what is deleted and where; render `dialog` somewhere in the page. From the page
 * of the connection, the list is opened afterwards.
 */
export function useConnectionDeletion(
  connection: DeletedConnection,
  { from }: { from: 'page' | 'list' },
): { ask: () => void; dialog: ReactNode } {
  const env = useEnv();
  const navigate = useNavigate();
  const remove = useDeleteConnection();
  const isProduction = useIsProduction();
  const confirm = useConfirm();
  const { connectionId, integrationKey, recordCount } = connection;
  const name = connection.displayName ?? connectionId;
  const ask = (): void =>
    confirm.ask({
      title: `Delete ${name}?`,
      text: (
        <>
          The connection <code>{connectionId}</code> of <code>{integrationKey}</code> in the environment <b>{env}</b> is
          deleted with its credentials and {formatCount(recordCount, 'record')}. Nothing is changed at the provider.
        </>
      ),
      action: 'Delete connection',
      typed: isProduction || recordCount > TYPED_ABOVE ? name : undefined,
      run: async () => {
        const takeBack = await remove.mutateAsync({ integrationKey, connectionId });
        notifyDeleted(takeBack ? name : 'Connection', takeBack);
        if (from === 'page') void navigate(paths.connections(env));
      },
    });
  return { ask, dialog: confirm.dialog };
}
