import { Button } from '@mantine/core';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { HistoryState } from '../../api/contract.ts';
import { useSwitchHistory } from '../../api/records/records-mutations.ts';
import type { StreamRef } from '../../api/records/records-queries.ts';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { formatBytes, formatCount } from '../../lib/format-number.ts';

interface HistorySwitchProps {
  connection: ConnectionRef;
  stream: StreamRef;
  history: HistoryState;
}

/** Turns the history of a model on; turning it off asks first, because it deletes the stored versions. */
export function HistorySwitch({ connection, stream, history }: HistorySwitchProps) {
  const { model } = stream;
  const change = useSwitchHistory(connection, history.sync ?? '');
  const confirm = useConfirm();
  const turn = async (isOn: boolean): Promise<void> => {
    await change.mutateAsync({ model, isOn });
    notifyDone(isOn ? `The history of ${model} is kept from now on` : `The history of ${model} is being removed`);
  };
  const askOff = (): void =>
    confirm.ask({
      title: `Stop keeping the history of ${model}?`,
      text: 'The versions kept so far are removed, for every connection of this integration. The records stay as they are.',
      action: 'Remove history',
      run: () => turn(false),
    });
  return (
    <>
      {history.isOn ? (
        <Button variant="default" size="xs" onClick={askOff}>
          Stop keeping history
        </Button>
      ) : (
        <Button loading={change.isPending} onClick={() => turn(true).catch(notifyError)}>
          Keep history
        </Button>
      )}
      {confirm.dialog}
    </>
  );
}

/** The effect of turning it on, shown before the button. */
export function historyOffer({ mostVersions, mostDays, sync }: HistoryState, model: string): string {
  if (sync === null) return `No sync of this integration declares ${model} any more, so its history cannot be kept.`;
  return `Homeport keeps only the latest version of each ${model}. With a history it also keeps what was replaced: up to ${formatCount(mostVersions, 'version')} a record, for ${formatCount(mostDays, 'day')}, for every connection of this integration.`;
}

/** The space it uses now. */
export function historySize({ versions, bytes }: HistoryState): string {
  return `${formatCount(versions, 'earlier version')}, ${formatBytes(bytes)}`;
}
