import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCopy, IconTrash } from '@tabler/icons-react';
import { useDeleteConnections } from '../../api/connections/connections-mutations.ts';
import { useIsProduction } from '../../api/use-env.ts';
import { SelectionBar } from '../../components/list/SelectionBar.tsx';
import { notifyDone } from '../../components/notify.ts';
import type { Selection } from '../../components/table/selection.ts';
import { useConfirm } from '../../components/use-confirm.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { parseConnectionKey } from './connection-key.ts';

/** Deleting more than this asks for the number to be typed. */
const TYPED_ABOVE = 5;

export function ConnectionSelection({ selection, onClear }: { selection: Selection; onClear: () => void }) {
  const remove = useDeleteConnections();
  const isProduction = useIsProduction();
  const clipboard = useClipboard();
  const confirm = useConfirm();
  const targets = [...selection.keys].map(parseConnectionKey);
  const copy = (): void => {
    clipboard.copy(JSON.stringify(targets, null, 2));
    notifyDone(`${formatCount(targets.length, 'connection')} copied as JSON`);
  };
  const ask = (): void =>
    confirm.ask({
      title: `Delete ${formatCount(targets.length, 'connection')}?`,
      text: 'Their credentials and records are deleted. Nothing is changed at the provider.',
      action: `Delete ${formatCount(targets.length, 'connection')}`,
      typed: isProduction || targets.length > TYPED_ABOVE ? String(targets.length) : undefined,
      run: async () => {
        await remove.mutateAsync(targets);
        onClear();
      },
    });
  return (
    <>
      <SelectionBar count={targets.length} onClear={onClear}>
        <Button variant="subtle" leftSection={<IconCopy size={16} stroke={1.6} />} onClick={copy}>
          Copy as JSON
        </Button>
        <Button variant="subtle" data-tone="bad" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={ask}>
          Delete
        </Button>
      </SelectionBar>
      {confirm.dialog}
    </>
  );
}
