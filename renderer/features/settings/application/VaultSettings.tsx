import { Button, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DataState } from '../../../api/contract.ts';
import { useChangeKey } from '../../../api/hub/data-mutations.ts';
import { dataQueryOptions, masterKeyQueryOptions, metaQueryOptions } from '../../../api/hub/hub-queries.ts';
import { useIsVaultChanging } from '../../../api/hub/vault-mutations.ts';
import { useChange } from '../../../api/use-change.ts';
import { CopyRow } from '../../../components/CopyRow.tsx';
import { Fact, FactList } from '../../../components/FactList.tsx';
import { notifyDone } from '../../../components/notice/notify.ts';
import { useConfirm } from '../../../components/notice/use-confirm.tsx';
import { Banner } from '../../../components/page/Banner.tsx';
import { ErrorPanel } from '../../../components/page/ErrorPanel.tsx';
import { Section } from '../../../components/page/Section.tsx';
import { StatusBadge } from '../../../components/StatusBadge.tsx';
import { useShell } from '../../../components/shell-context.ts';
import { formatCount } from '../../../lib/format-number.ts';

const KEY_SOURCES: Record<DataState['keySource'], string> = {
  keychain: 'In the keychain of this computer',
  file: 'In the file master.key of the data folder',
  variable: 'From HOMEPORT_MASTER_KEY',
};

/** Whether the vault is locked, where the master key is, and how to recover without it. */
export function VaultSettings() {
  const { data: meta } = useQuery(metaQueryOptions());
  const { data, error, refetch } = useQuery(dataQueryOptions());
  const { data: key } = useQuery(masterKeyQueryOptions());
  const { setVaultLocked } = useShell();
  const isChanging = useIsVaultChanging();
  if (error && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data || !meta) return null;
  const isOpen = meta.health.vault === 'unlocked';
  return (
    <>
      <Section title="State">
        <FactList wide>
          <Fact label="Vault">
            <StatusBadge
              look={
                isOpen
                  ? { label: 'Unlocked', tone: 'ok', icon: 'check' }
                  : { label: 'Locked', tone: 'warn', icon: 'triangle' }
              }
            />
            <span className="soft">{isOpen ? 'Secrets can be read.' : 'Names can be read, secrets cannot.'}</span>
            <Button size="xs" variant="default" loading={isChanging} onClick={() => setVaultLocked(isOpen)}>
              {isOpen ? 'Lock now' : 'Unlock'}
            </Button>
          </Fact>
        </FactList>
        <p className="faint small pt-8">
          {isOpen
            ? 'Locking removes the master key and every opened secret from memory. Calls that need one are refused, and runs, token refreshes and deliveries wait until you unlock it or start Homeport again.'
            : 'Calls that need a secret are refused; runs, token refreshes and deliveries wait. To unlock, Homeport reads the master key from where it is kept.'}
        </p>
        <AutoLock minutes={meta.health.autoLockMinutes} />
      </Section>
      {key?.problem != null && (
        <Banner tone="bad">
          {key.problem} {isOpen && 'Replace the master key now: at its next start Homeport could not open your data.'}
        </Banner>
      )}
      {data.keySource === 'file' && (
        <Banner tone="warn">
          The master key is in a file, because no keychain was found. Programs that can read your files can read it.
        </Banner>
      )}
      <MasterKey source={data.keySource} command={data.command} />
      <LostKey command={data.command} />
    </>
  );
}

const LOCK_AFTER = [5, 15, 30, 60, 240];
const inWords = (minutes: number): string =>
  minutes < 60 || minutes % 60 !== 0
    ? `After ${formatCount(minutes, 'minute')}`
    : `After ${formatCount(minutes / 60, 'hour')}`;

function AutoLock({ minutes }: { minutes: number | null }) {
  const change = useChange('PUT /api/v1/vault/auto-lock', { done: 'Automatic lock saved' });
  // A program may have set another time.
  const offered = minutes === null || LOCK_AFTER.includes(minutes) ? LOCK_AFTER : [...LOCK_AFTER, minutes];
  return (
    <Stack gap={16} maw={480} style={{ paddingTop: 16 }}>
      <Select
        label="Lock automatically"
        description="Counted from the last key press or click in any window of the dashboard. Apps, schedules and commands do not count. Nothing that needs a secret runs until you unlock it, even at night."
        data={[
          { value: 'never', label: 'Never' },
          ...offered.toSorted((a, b) => a - b).map((one) => ({ value: String(one), label: inWords(one) })),
        ]}
        allowDeselect={false}
        disabled={change.isPending}
        value={String(minutes ?? 'never')}
        onChange={(value) =>
          change.mutate({ body: { minutes: value === null || value === 'never' ? null : Number(value) } })
        }
      />
    </Stack>
  );
}

function LostKey({ command }: { command: string }) {
  return (
    <Section title="If the key is lost">
      <p className="soft pb-12">
        Without its key Homeport does not start and changes nothing. Put the key back first: from a backup of your
        keychain, from a copy of <code>master.key</code>, or as HOMEPORT_MASTER_KEY. If you can no longer find it, stop
        the hub and run:
      </p>
      <CopyRow value={`${command} key reset`} label="Copy the command that creates a new key" />
      <p className="faint small pt-8">
        It makes a backup first and keeps what is not sealed: environments, integrations, connections, functions, logs.
        Credentials, records, API keys and variables are removed: your apps get new keys, and accounts are connected
        again.
      </p>
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
          : 'It will be a file in the data folder that only your user can read. Anyone who can read your files can then read it.',
      action: to === 'keychain' ? 'Move to the keychain' : 'Move to a file',
      isHarmless: to === 'keychain',
      run: async () => {
        await change.mutateAsync({ action: 'move', to });
        notifyDone('Master key moved');
      },
    });
  return (
    <Section title="Master key">
      <p className="soft pb-12">
        It decrypts everything that is sealed in the data folder. Without it no backup can be opened.
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
        <p className="faint small pt-8">{`${closed} of the backups belong to another key and stay as they are.`}</p>
      )}
      {confirm.dialog}
    </Section>
  );
}
