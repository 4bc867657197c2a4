import type { ReactNode } from 'react';
import { describeError } from '../../api/api-error.ts';
import { useConnectSession } from '../../api/use-connect-session.ts';
import type { ConnectionRef } from '../../api/use-connection.ts';
import { useConnectionChanged } from '../../api/use-connection-changed.ts';
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
