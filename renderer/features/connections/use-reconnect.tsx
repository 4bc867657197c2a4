import type { ReactNode } from 'react';
import { describeError } from '../../api/api-error.ts';
import { useConnectionChanged, useConnectSession } from '../../api/connections/connections-mutations.ts';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import { notifyError } from '../../components/notify.ts';
import { useConnectOverlay } from '../../components/use-connect-overlay.tsx';

/** New credentials for a connection that keeps everything else. Put `overlay` somewhere in the page. */
export function useReconnect({ integrationKey, connectionId }: ConnectionRef): {
  reconnect: () => void;
  isOpening: boolean;
  overlay: ReactNode;
} {
  const session = useConnectSession();
  const changed = useConnectionChanged();
  const refetch = (): void => changed({ integrationKey, connectionId });
  const { open, isOpening, overlay } = useConnectOverlay({ onConnect: refetch, onFailure: refetch });
  const reconnect = (): void => {
    open(() => session.mutateAsync({ integrationKey, connectionId })).catch((error: unknown) =>
      notifyError(describeError(error)),
    );
  };
  return { reconnect, isOpening, overlay };
}
