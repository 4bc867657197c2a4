import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { BackupRow, DataState } from '../../../api/contract.ts';
import { useCompact, useVerifyData } from '../../../api/hub/data-mutations.ts';
import { dataQueryOptions } from '../../../api/hub/hub-queries.ts';
import { useChange } from '../../../api/use-change.ts';
import { CopyRow } from '../../../components/CopyRow.tsx';
import { Fact, FactList } from '../../../components/FactList.tsx';
import { notifyDone } from '../../../components/notice/notify.ts';
import { useConfirm } from '../../../components/notice/use-confirm.tsx';
import { Banner } from '../../../components/page/Banner.tsx';
import { ErrorPanel } from '../../../components/page/ErrorPanel.tsx';
import { Section } from '../../../components/page/Section.tsx';
import { RelativeTime } from '../../../components/time/RelativeTime.tsx';
import { formatBytes } from '../../../lib/format-number.ts';
import { formatFull } from '../../../lib/format-time.ts';
import classes from '../EnvironmentSettings.module.css';
import { TrafficSettings } from './TrafficSettings.tsx';

const REASONS: Record<BackupRow['reason'], string> = {
  daily: 'daily',
  manual: 'made by hand',
  'before-update': 'before an update',
  'before-restore': 'before a restore',
  'before-key-reset': 'before the master key was reset',
};

/** The data folder of the hub, shared by all environments: backups and disk use. */
export function DataSettings() {
  const { data, error, refetch } = useQuery(dataQueryOptions());
  return (
    <div id="data" className={classes['anchor']}>
      {error && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <Backups data={data} />
          <TrafficSettings />
          <DataFolder data={data} />
          <Tables data={data} />
        </>
      )}
    </div>
  );
}

function Backups({ data }: { data: DataState }) {
  const backUp = useChange('POST /api/v1/data/backups', { done: 'Backup made' });
  const start = (): void => backUp.mutate();
  return (
    <Section
      title="Backups"
      aside={
        <Button size="xs" variant="default" loading={backUp.isPending} onClick={start}>
          Back up now
        </Button>
      }
    >
      <p className="soft pb-12">
        Backups hold the whole hub with all environments. One is made each day while it runs, and one before each update
        of the data. Seven daily ones are kept. They open with the same master key. A restore replaces all data of the
        hub by that of the backup, and keeps the present data as a backup. Stop Homeport, then run the command of the
        backup in a terminal.
      </p>
      {data.problem !== null && <Banner tone="bad">{data.problem}</Banner>}
      {data.backups.length === 0 ? (
        <p className="faint">None yet. The first one is made ten minutes after a start.</p>
      ) : (
        <ul className={classes['backups']} aria-label="Backups">
          {data.backups.map((backup) => (
            <BackupItem key={backup.name} backup={backup} folder={data.backupFolder} command={data.command} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function BackupItem({ backup, folder, command }: { backup: BackupRow; folder: string; command: string }) {
  const at = new Date(backup.createdAt).toISOString();
  const time = formatFull(at);
  const confirm = useConfirm();
  const remove = useChange('DELETE /api/v1/data/backups/:name', { ownError: true });
  const ask = (): void =>
    confirm.ask({
      title: 'Delete this backup?',
      text: `The backup of ${time} is deleted from the disk and cannot be restored any more.`,
      action: 'Delete backup',
      run: async () => {
        await remove.mutateAsync({ params: { name: backup.name } });
        notifyDone('Backup deleted');
      },
    });
  const path = `${folder}${folder.includes('\\') ? '\\' : '/'}${backup.name}`;
  return (
    <li className="line-above">
      <Group gap="0 16px" justify="space-between">
        <span>
          <RelativeTime at={at} />
          <span className="soft">{`, ${REASONS[backup.reason]}, ${formatBytes(backup.sizeBytes)}`}</span>
        </span>
        <span className={`row soft ${classes['result']}`}>
          <VerifyButton backup={backup.name} label={`Verify the backup of ${time}`} />
          {backup.reason === 'manual' && (
            <Button
              size="xs"
              variant="subtle"
              data-tone="bad"
              aria-label={`Delete the backup of ${time}`}
              onClick={ask}
            >
              Delete
            </Button>
          )}
        </span>
      </Group>
      <CopyRow value={`${command} restore "${path}"`} label={`Copy the command that restores the backup of ${time}`} />
      {confirm.dialog}
    </li>
  );
}

/** Reads everything completely and shows the result. */
function VerifyButton({ backup, label }: { backup?: string; label: string }) {
  const verify = useVerifyData();
  const problems = verify.data;
  return (
    <span className={`row soft ${classes['result']}`}>
      <span role="status">
        {problems?.length === 0 && 'Valid'}
        {problems !== undefined && problems.length > 0 && (
          <span data-tone="bad">{`Damaged: ${problems.join(' ')}`}</span>
        )}
      </span>
      <Button
        size="xs"
        variant="subtle"
        aria-label={label}
        loading={verify.isPending}
        onClick={() => verify.mutate(backup)}
      >
        Verify
      </Button>
    </span>
  );
}

function DataFolder({ data }: { data: DataState }) {
  const { disk } = data;
  const parts = [
    `records ${formatBytes(disk.records)}`,
    `logs ${formatBytes(disk.logs)}`,
    `webhooks ${formatBytes(disk.webhooks)}`,
    `free ${formatBytes(disk.free)}`,
  ];
  return (
    <Section title="Data folder">
      <FactList wide>
        <Fact label="Folder">
          <CopyRow value={data.folder} label="Copy data folder" />
        </Fact>
        <Fact label="Database">
          <span>
            {formatBytes(disk.database)} <span className="soft">{`(${parts.join(', ')})`}</span>
          </span>
          <VerifyButton label="Verify the database" />
        </Fact>
        <Fact label="Backups">{formatBytes(disk.backups)}</Fact>
        <Fact label="Cache">{formatBytes(disk.cache)}</Fact>
      </FactList>
    </Section>
  );
}

/** Table names are those of the database, for readers who know it. */
function Tables({ data: { tables, disk } }: { data: DataState }) {
  const compact = useCompact();
  const confirm = useConfirm();
  const largest = Math.max(...tables.map(({ sizeBytes }) => sizeBytes), 1);
  const ask = (): void =>
    confirm.ask({
      title: 'Compact the database?',
      text: `It is rewritten without its ${formatBytes(disk.free)} of free space. Meanwhile nothing else can be stored, and about ${formatBytes(disk.database)} of free disk space is needed.`,
      action: 'Compact',
      isHarmless: true,
      run: async () => {
        const freed = await compact.mutateAsync();
        notifyDone(`Database compacted, ${formatBytes(freed)} smaller`);
      },
    });
  return (
    <Section
      title="Size by table"
      aside={
        <Button size="xs" variant="default" onClick={ask}>
          Compact
        </Button>
      }
    >
      <table className={`table dense ${classes['tables']}`} aria-label="Size by table">
        <tbody>
          {tables.map(({ name, sizeBytes }) => (
            <tr key={name}>
              <th scope="row">{name === 'other' ? 'All others' : <code>{name}</code>}</th>
              <td aria-hidden>
                <span data-amount style={{ width: `${(sizeBytes / largest) * 100}%` }} />
              </td>
              <td className="right numbers">{formatBytes(sizeBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {confirm.dialog}
    </Section>
  );
}
