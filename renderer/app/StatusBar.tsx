import { Tooltip, UnstyledButton } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import {
  IconCheck,
  IconCircleDashed,
  IconCopy,
  IconDatabaseExclamation,
  IconKey,
  IconLock,
  IconLockOpen,
  IconPlayerPause,
  IconWifiOff,
  IconWorldOff,
  IconWorldShare,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Meta } from '../api/contract.ts';
import { useStreamState } from '../api/events/EventsProvider.tsx';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { useResumeSchedules } from '../api/hub/schedule-mutations.ts';
import { firstClick } from '../components/form/first-click.ts';
import { useShell } from '../components/shell-context.ts';
import { useCopied } from '../components/use-copied.ts';
import { formatNumber } from '../lib/format-number.ts';
import { formatTimeOfDay } from '../lib/format-time.ts';
import classes from './StatusBar.module.css';

const ICON = { size: 13, stroke: 1.6, 'aria-hidden': true } as const;

const UNSTORED =
  'Providers refreshed tokens, but they cannot be stored: the disk may be full or the data folder not writable. Homeport ' +
  'holds them in memory and tries again. Fix that before you quit, or these accounts must be connected again.';

export function StatusBar() {
  const { data: meta } = useQuery(metaQueryOptions());
  const state = useStreamState();
  const { online } = useNetwork();
  if (!meta) return <footer className={`row gap-0 soft tiny line-above one-line ${classes['bar']}`} />;
  const { health } = meta;
  const isAway = state === 'reconnecting';
  return (
    <footer className={`row gap-0 soft tiny line-above one-line ${classes['bar']}`}>
      <Address url={meta.apiUrl} isAway={isAway} />
      {health.vault === 'locked' ? (
        <LockedVault />
      ) : (
        <span data-normal>
          <IconLockOpen {...ICON} />
          Vault unlocked
        </span>
      )}
      {health.vaultSource === 'file' && (
        <Tooltip label="No keychain was found, so the master key is in a file in the data folder.">
          <span data-tone="warn">
            <IconKey {...ICON} />
            Key in a file
          </span>
        </Tooltip>
      )}
      {health.dataProblem !== null && (
        <Tooltip label={health.dataProblem} multiline maw={480}>
          <span data-tone="warn">
            <IconDatabaseExclamation {...ICON} />
            Data needs attention
          </span>
        </Tooltip>
      )}
      {health.unstoredTokens > 0 && (
        <Tooltip label={UNSTORED} multiline maw={480}>
          <span data-tone="warn">
            <IconKey {...ICON} />
            {health.unstoredTokens === 1
              ? '1 refreshed token'
              : `${formatNumber(health.unstoredTokens)} refreshed tokens`}{' '}
            not stored
          </span>
        </Tooltip>
      )}
      {!online && (
        <span data-tone="warn">
          <IconWifiOff {...ICON} />
          Offline
        </span>
      )}
      {health.pausedSchedules && <Pause pause={health.pausedSchedules} />}
      <span data-normal={health.running === 0 || undefined} data-minor>
        {health.running > 0 && <IconCircleDashed {...ICON} className="turning" data-tone="run" />}
        {formatNumber(health.running)} running
      </span>
      <span data-normal={health.queued === 0 || undefined} data-minor>
        Queue {formatNumber(health.queued)}
      </span>
      <span className={classes['end']}>
        {health.tunnelUrl ? <IconWorldShare {...ICON} /> : <IconWorldOff {...ICON} />}
        {health.tunnelUrl ? new URL(health.tunnelUrl).host : 'No tunnel'}
      </span>
      <span>{meta.version}</span>
    </footer>
  );
}

function LockedVault() {
  const { setVaultLocked } = useShell();
  return (
    <Tooltip label="No secret can be read, and no run starts. Click to unlock.">
      <UnstyledButton className="tiny" data-tone="warn" onClick={() => setVaultLocked(false)}>
        <IconLock {...ICON} />
        Vault locked: unlock
      </UnstyledButton>
    </Tooltip>
  );
}

/** Shown so that a person sees why no sync runs. */
function Pause({ pause }: { pause: NonNullable<Meta['health']['pausedSchedules']> }) {
  const resume = useResumeSchedules({ done: 'Schedules resumed' });
  const { reasons, until } = pause;
  const why = reasons.includes('person') ? '' : ' on battery';
  const text = until === null ? `Schedules paused${why}` : `Schedules paused until ${formatTimeOfDay(until)}`;
  const end = (): void => resume.mutate();
  return (
    <Tooltip label="No schedule starts a run. Runs that become due meanwhile run once. Click to resume.">
      <UnstyledButton className="tiny" data-tone="warn" onClick={firstClick(end)}>
        <IconPlayerPause {...ICON} />
        {text}
      </UnstyledButton>
    </Tooltip>
  );
}

function Address({ url, isAway }: { url: string; isAway: boolean }) {
  const { isCopied, copy } = useCopied();
  return (
    <Tooltip label={isCopied ? 'Copied' : 'Copy the address of the API'}>
      <UnstyledButton className={classes['address'] ?? ''} aria-label={`Copy ${url}`} onClick={() => void copy(url)}>
        <i data-away={isAway || undefined} />
        <code className="tiny">{new URL(url).host}</code>
        {isCopied ? <IconCheck {...ICON} /> : <IconCopy {...ICON} />}
      </UnstyledButton>
    </Tooltip>
  );
}
