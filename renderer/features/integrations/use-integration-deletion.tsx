import type { ReactNode } from 'react';
import { useDeleteIntegration } from '../../api/integrations/integrations-mutations.ts';
import { useEnv, useIsProduction } from '../../api/use-env.ts';
import { notifyDeleted } from '../../components/notice/notify-undoable.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { formatCount } from '../../lib/format-number.ts';

/** Deleting more connections than this asks for the name to be typed. */
const TYPED_ABOVE = 5;

interface Deleted {
  key: string;
  displayName: string;
  connectionCount: number;
}

/** `ask` opens a confirmation that names what is deleted and where; render `dialog` somewhere in the page. */
export function useIntegrationDeletion(
  { key, displayName, connectionCount }: Deleted,
  onDeleted?: () => void,
): { ask: () => void; dialog: ReactNode } {
  const env = useEnv();
  const remove = useDeleteIntegration();
  const isProduction = useIsProduction();
  const confirm = useConfirm();
  const ask = (): void =>
    confirm.ask({
      title: `Delete ${displayName}?`,
      text: (
        <>
          The integration <code>{key}</code> of the environment <b>{env}</b> is deleted, with{' '}
          {formatCount(connectionCount, 'connection')}, their credentials and records. Nothing is changed at the
          provider.
        </>
      ),
      action: 'Delete integration',
      typed: isProduction || connectionCount > TYPED_ABOVE ? key : undefined,
      run: async () => {
        const takeBack = await remove.mutateAsync(key);
        onDeleted?.();
        notifyDeleted(`Integration ${key}`, takeBack);
      },
    });
  return { ask, dialog: confirm.dialog };
}
