import { Button, Checkbox, Group, Select, TextInput } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { SnapshotEveryView, SnapshotsView } from '../../api/contract.ts';
import { snapshotsQueryOptions } from '../../api/queries/record-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { FormActions } from '../../components/form/FormActions.tsx';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { Section } from '../../components/page/Section.tsx';
import { PlainTable } from '../../components/table/PlainTable.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatBytes, formatNumber } from '../../lib/format-number.ts';

const EVERY: Record<SnapshotEveryView, string> = {
  sync: 'after each sync',
  hour: 'every hour',
  day: 'every day',
  week: 'every week',
};

/** The folder of Parquet files: whether it is written, when, and what is in it. */
export function SnapshotSection() {
  const { data: state, error, refetch } = useQuery(snapshotsQueryOptions(useEnv()));
  const [isEditing, setEditing] = useState(false);
  const run = useChange('POST /api/v1/snapshots/run', { done: 'The files are written' });
  const stop = useChange('DELETE /api/v1/snapshots', { done: 'Snapshots are off; the files stay' });
  return (
    <Section
      title="Parquet files"
      aside={
        state && (
          <Group gap={8}>
            {state.settings && (
              <>
                <Button size="xs" variant="default" loading={run.isPending} onClick={() => run.mutate(undefined)}>
                  Write now
                </Button>
                <Button size="xs" variant="default" loading={stop.isPending} onClick={() => stop.mutate(undefined)}>
                  Switch off
                </Button>
              </>
            )}
            <Button
              size="xs"
              variant="default"
              leftSection={<IconFolder size={14} stroke={1.6} aria-hidden />}
              onClick={() => setEditing(true)}
            >
              {state.settings ? 'Change' : 'Choose a folder'}
            </Button>
          </Group>
        )
      }
    >
      <p className="soft pb-12">
        A folder with one Parquet file for each model, for DuckDB, pandas, Tableau and others. Each file is replaced as
        a whole.
      </p>
      {error && !state && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {state && <SnapshotState state={state} />}
      {state && isEditing && <SnapshotForm state={state} onClose={() => setEditing(false)} />}
    </Section>
  );
}

function SnapshotState({ state: { files, isRunning, lastAt, problem, settings } }: { state: SnapshotsView }) {
  if (!settings) return <p className="faint">Off.</p>;
  return (
    <div className="stack gap-12">
      <p className="breaks">
        <span className="mono">{settings.folder}</span>, {EVERY[settings.every]}
        {settings.hasHistory && ', with kept versions'}
        {isRunning
          ? ', being written now'
          : lastAt && (
              <>
                , last <RelativeTime at={lastAt} />
              </>
            )}
      </p>
      {problem && (
        <p role="alert" style={{ color: 'var(--hp-bad)' }}>
          {problem} The next run tries again; the files of before stay as they are.
        </p>
      )}
      {files.length > 0 && (
        <PlainTable label="Files" head={['File', 'Rows', 'Size']}>
          {files.map(({ bytes, file, rows }) => (
            <tr key={file}>
              <td className="mono breaks">{file}</td>
              <td className="mono">{formatNumber(rows)}</td>
              <td className="mono">{formatBytes(bytes)}</td>
            </tr>
          ))}
        </PlainTable>
      )}
    </div>
  );
}

function SnapshotForm({ state, onClose }: { state: SnapshotsView; onClose: () => void }) {
  const { defaultFolder, settings } = state;
  const [folder, setFolder] = useState(settings?.folder ?? defaultFolder);
  const [every, setEvery] = useState<SnapshotEveryView>(settings?.every ?? 'day');
  const [hasHistory, setHasHistory] = useState(settings?.hasHistory ?? false);
  const save = useChange('PUT /api/v1/snapshots', { ownError: true, onSuccess: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate({ body: { folder: folder.trim(), every, hasHistory } });
  };
  return (
    <OpenModal onClose={onClose} title="Parquet files" size={520}>
      <form className="stack gap-16" onSubmit={submit}>
        {!settings && (
          <p>
            The hub keeps records encrypted. <b>These files are not encrypted:</b> whoever may read the folder reads all
            records of this environment.
          </p>
        )}
        <TextInput
          label="Folder"
          description="Its whole path on this computer"
          value={folder}
          data-autofocus
          error={save.error?.message}
          onChange={(event) => setFolder(event.currentTarget.value)}
        />
        <Select
          label="Written"
          allowDeselect={false}
          value={every}
          data={Object.entries(EVERY).map(([value, label]) => ({ value, label }))}
          onChange={(value) => value !== null && setEvery(value as SnapshotEveryView)}
        />
        <Checkbox
          label="With the kept versions of models"
          checked={hasHistory}
          onChange={(event) => setHasHistory(event.currentTarget.checked)}
        />
        <FormActions
          action={settings ? 'Save' : 'Write the files'}
          isPending={save.isPending}
          isDisabled={folder.trim() === ''}
          onCancel={onClose}
        />
      </form>
    </OpenModal>
  );
}
