import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { describeError } from '../../api/api-error.ts';
import type { BackupRow, DataState } from '../../api/contract.ts';
import { useBackUp, useChangeKey, useVerifyData } from '../../api/hub/hub-mutations.ts';
import { dataQueryOptions } from '../../api/hub/hub-queries.ts';
import { Banner } from '../../components/Banner.tsx';
import { CopyRow } from '../../components/CopyRow.tsx';
import { ErrorPanel } from '../../components/ErrorPanel.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { Section } from '../../components/Section.tsx';
import { useConfirm } from '../../components/use-confirm.tsx';
import { formatBytes } from '../../lib/format-number.ts';
import classes from './EnvironmentSettings.module.css';

const REASONS: Record<BackupRow['reason'], string> = {
  daily: 'daily',
  manual: 'made by hand',
  'before-update': 'before an update',
  'before-restore': 'before a restore',
  'before-key-reset': 'before the master key was reset',
};
const KEY_SOURCES: Record<DataState['keySource'], string> = {
  keychain: 'In the keychain of this computer',
  file: 'In the file master.key of the data folder',
  variable: 'From HOMEPORT_MASTER_KEY',
};
const fail = (error: Error): void => notifyError(describeError(error));

/** The data folder of the hub, shared by all environments: backups, disk use, master key. */
export function DataSettings() {
  const { data, error, refetch } = useQuery(dataQueryOptions());
  return (
    <div id="data" className={classes['anchor']}>
      {error && !data && <ErrorPanel {...describeError(error)} onRetry={() => void refetch()} />}
      {data && (
        <>
          <Backups data={data} />
          <DataFolder data={data} />
          <MasterKey source={data.keySource} command={data.command} />
        </>
      )}
    </div>
  );
}

function Backups({ data }: { data: DataState }) {
  const backUp = useBackUp();
  const start = (): void => backUp.mutate(undefined, { onSuccess: () => notifyDone('Backup made'), onError: fail });
  return (
    <Section
      title="Backups"
      aside={
        <Button size="xs" variant="default" loading={backUp.isPending} onClick={start}>
          Back up now
        </Button>
      }
    >
      <p className={classes['lead']}>
        Of the whole hub, all environments: once a day while it runs, and before each update of the data. Seven daily
        ones are kept. They open with the same master key.
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
  const path = `${folder}${folder.includes('\\') ? '\\' : '/'}${backup.name}`;
  return (
    <li>
      <div className={classes['backup']}>
        <span>
          <RelativeTime at={at} />
          <span className="soft">{`, ${REASONS[backup.reason]}, ${formatBytes(backup.sizeBytes)}`}</span>
        </span>
        <VerifyButton backup={backup.name} label={`Verify the backup of ${at}`} />
      </div>
      <CopyRow value={`${command} restore "${path}"`} label={`Copy the command that restores the backup of ${at}`} />
    </li>
  );
}

/** Reads from end to end and says beside itself what came of it. */
function VerifyButton({ backup, label }: { backup?: string; label: string }) {
  const verify = useVerifyData();
  const problems = verify.data;
  return (
    <span className={classes['result']}>
      <span role="status">
        {problems?.length === 0 && 'Sound'}
        {problems !== undefined && problems.length > 0 && (
          <span data-tone="bad">{`Damaged: ${problems.join(' ')}`}</span>
        )}
      </span>
      <Button
        size="xs"
        variant="subtle"
        aria-label={label}
        loading={verify.isPending}
        onClick={() => verify.mutate(backup, { onError: fail })}
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

function MasterKey({ source, command }: { source: DataState['keySource']; command: string }) {
  const change = useChangeKey();
  const confirm = useConfirm();
  const [closed, setClosed] = useState(0);
  const rotate = (): void =>
    confirm.ask({
      title: 'Replace the master key?',
      text: 'A new key is made and kept where the present one is. The database and the backups in the data folder change to it. Copies of backups elsewhere keep needing the present key.',
      action: 'Replace master key',
      run: async () => {
        setClosed((await change.mutateAsync({ action: 'rotate' })).closedBackups);
        notifyDone('Master key replaced');
      },
    });
  const move = (to: 'keychain' | 'file'): void =>
    confirm.ask({
      title: to === 'keychain' ? 'Move the master key to the keychain?' : 'Move the master key to a file?',
      text:
        to === 'keychain'
          ? 'The key file is removed once the keychain holds the key.'
          : 'It will lie in the data folder, readable for you alone. Whoever can read your files can then read it.',
      action: to === 'keychain' ? 'Move to the keychain' : 'Move to a file',
      isHarmless: to === 'keychain',
      run: async () => {
        await change.mutateAsync({ action: 'move', to });
        notifyDone('Master key moved');
      },
    });
  return (
    <Section title="Master key">
      <p className={classes['lead']}>
        It opens everything that is sealed in the data folder. Without it no backup opens.
      </p>
      <FactList wide>
        <Fact label="Kept">
          <span>{KEY_SOURCES[source]}</span>
          {source === 'variable' ? (
            <span className="soft">Stop the hub to replace it: {command} key rotate.</span>
          ) : (
            <>
              <Button size="xs" variant="subtle" onClick={rotate}>
                Replace
              </Button>
              <Button size="xs" variant="subtle" onClick={() => move(source === 'file' ? 'keychain' : 'file')}>
                {source === 'file' ? 'Move to the keychain' : 'Move to a file'}
              </Button>
            </>
          )}
        </Fact>
      </FactList>
      {closed > 0 && (
        <p className={classes['hint']}>{`${closed} of the backups belong to another key and stay as they are.`}</p>
      )}
      {confirm.dialog}
    </Section>
  );
}
