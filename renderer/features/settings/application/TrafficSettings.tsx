import { Button, Group, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TrafficState } from '../../../api/contract.ts';
import { trafficQueryOptions } from '../../../api/traffic/traffic-queries.ts';
import { useChange } from '../../../api/use-change.ts';
import { useDraft } from '../../../components/form/use-draft.ts';
import { notifyDone } from '../../../components/notice/notify.ts';
import { useConfirm } from '../../../components/notice/use-confirm.tsx';
import { formatBytes } from '../../../lib/format-number.ts';
import { SettingsForm } from '../SettingsForm.tsx';

const TITLE = 'Traffic recording';
const MIN_MEGABYTES = 10;
const MAX_MEGABYTES = 10_000;

/** Whether the log stores bodies, for all environments; the space they need is shown before it is turned on (ui.md 19). */
export function TrafficSettings() {
  const { data } = useQuery(trafficQueryOptions());
  return data ? <TrafficForm stored={data} /> : null;
}

function TrafficForm({ stored }: { stored: TrafficState }) {
  const kept = { isOn: stored.isOn, megabytes: String(stored.mostMegabytes) };
  const { value, isDirty, change, saved, end } = useDraft(TITLE, kept);
  const update = useChange('PUT /api/v1/traffic-recording');
  const mostMegabytes = Number(value.megabytes);
  const isWrong = !Number.isInteger(mostMegabytes) || mostMegabytes < MIN_MEGABYTES || mostMegabytes > MAX_MEGABYTES;
  const save = (): void => {
    if (isWrong) return;
    update.mutate(
      { body: { isOn: value.isOn, mostMegabytes } },
      {
        onSuccess: () => {
          saved(value);
          notifyDone(`${TITLE} saved`);
        },
      },
    );
  };
  return (
    <SettingsForm
      id="traffic"
      title={TITLE}
      lead="Keeps the bodies of requests to providers and of the responses with the log, for all environments: up to 256 kB of each. They are sealed, and masked as the log is. Requests for tokens are never recorded."
      aside={<DeleteRecordings usedBytes={stored.usedBytes} />}
      section={{ isDirty, isSaving: update.isPending, save, reset: end }}
    >
      <p className="faint small pt-4 flex wrap" style={{ gap: '4px 16px' }}>
        {`Recordings take ${formatBytes(stored.usedBytes)} of ${formatBytes(stored.mostMegabytes * 1_000_000)}. They are deleted with their operation.`}
      </p>
      <Group gap="8px 16px" align="flex-start" justify="space-between" mih={40}>
        <Switch
          label="Record bodies"
          description={
            value.isOn
              ? 'The oldest are removed when the limit is reached.'
              : 'A busy sync can record hundreds of megabytes an hour.'
          }
          checked={value.isOn}
          onChange={(event) => change({ ...value, isOn: event.currentTarget.checked })}
        />
        <TextInput
          aria-label="Most megabytes of recordings"
          type="number"
          min={MIN_MEGABYTES}
          max={MAX_MEGABYTES}
          w={152}
          leftSection={<span className="soft">up to</span>}
          leftSectionWidth={52}
          rightSection={<span className="soft">MB</span>}
          rightSectionWidth={44}
          value={value.megabytes}
          error={isWrong && `From ${MIN_MEGABYTES} to 10,000`}
          onChange={(event) => change({ ...value, megabytes: event.currentTarget.value })}
        />
      </Group>
    </SettingsForm>
  );
}

function DeleteRecordings({ usedBytes }: { usedBytes: number }) {
  const remove = useChange('DELETE /api/v1/traffic-recording', { ownError: true });
  const confirm = useConfirm();
  const ask = (): void =>
    confirm.ask({
      title: 'Delete all recordings?',
      text: `The bodies of requests and responses are removed, ${formatBytes(usedBytes)}. The log keeps everything else.`,
      action: 'Delete recordings',
      run: async () => {
        await remove.mutateAsync();
        notifyDone('Recordings deleted');
      },
    });
  return (
    <>
      <Button size="xs" variant="default" disabled={usedBytes === 0} onClick={ask}>
        Delete recordings
      </Button>
      {confirm.dialog}
    </>
  );
}
