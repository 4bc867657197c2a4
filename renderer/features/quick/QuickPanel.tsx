import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import {
  IconArrowsDiagonal,
  IconLock,
  IconLockOpen,
  IconPlayerPause,
  IconPlayerPlay,
  IconSettings,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ApprovalRow } from '../../api/contract.ts';
import { EventsProvider } from '../../api/events/EventsProvider.tsx';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { usePauseSchedules, useResumeSchedules } from '../../api/hub/schedule-mutations.ts';
import { useChangeVault } from '../../api/hub/vault-mutations.ts';
import { useApprovalAnswer } from '../../api/mcp/mcp-mutations.ts';
import { useApprovals } from '../../api/mcp/mcp-queries.ts';
import { attentionQueryOptions } from '../../api/overview/overview-queries.ts';
import { useAttention } from '../../api/use-attention.ts';
import { useEnv, useIsProduction } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ApprovalQuestion, ApprovalTitle } from '../../components/function/ApprovalQuestion.tsx';
import { ProductMark } from '../../components/ProductMark.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import { FailedNow } from './FailedNow.tsx';
import classes from './QuickPanel.module.css';
import { RunningNow } from './RunningNow.tsx';

/** A small window beside other work (ui.md 2): calls that wait for a decision, failures, runs. */
export function QuickPanel() {
  const env = useEnv();
  return (
    <EventsProvider env={env}>
      <Panel env={env} />
    </EventsProvider>
  );
}

function Panel({ env }: { env: string }) {
  const isProduction = useIsProduction();
  const approvals = useApprovals();
  const { isPending } = useQuery(attentionQueryOptions(env));
  return (
    <div className={`stack ${classes['panel']}`} data-production={isProduction || undefined}>
      <Head env={env} />
      <main className="scroll" aria-busy={isPending} style={{ flex: 1, minHeight: 0 }}>
        {approvals.map((approval, index) => (
          <Call key={approval.id} approval={approval} isFirst={index === 0} />
        ))}
        <FailedNow />
        {/* It would move when the failures come. */}
        {!isPending && <RunningNow />}
      </main>
      <Foot env={env} />
    </div>
  );
}

function Head({ env }: { env: string }) {
  const { data: meta } = useQuery(metaQueryOptions());
  const { approvals, functions } = useAttention();
  // As the overview counts them.
  const count = (useQuery(attentionQueryOptions(env)).data?.total ?? 0) + functions + approvals;
  const title =
    count === 0
      ? 'Nothing needs your attention'
      : `${formatCount(count, 'thing')} ${count === 1 ? 'needs' : 'need'} your attention`;
  useEffect(() => {
    document.title = `${title} – Homeport`;
  }, [title]);
  return (
    <header className="row gap-12 rigid" style={{ padding: '12px 16px' }}>
      <ProductMark size={28} />
      <div className={`grow ${classes['words']}`}>
        <h1 aria-live="polite">{title}</h1>
        <p className="note cut soft">
          <code>{meta && new URL(meta.apiUrl).host}</code>, env {env}
          {meta?.health.vault === 'locked' && ', vault locked'}
        </p>
      </div>
      <ActionIcon
        component="a"
        href={windowHref(`/${env}`)}
        target="homeport"
        aria-label="Open the dashboard"
        size={32}
      >
        <IconArrowsDiagonal size={16} stroke={1.6} />
      </ActionIcon>
    </header>
  );
}

function Foot({ env }: { env: string }) {
  const { data: meta } = useQuery(metaQueryOptions());
  return (
    <footer className="row gap-4 rigid line-above sunken" style={{ padding: '8px 12px 8px 16px' }}>
      {meta?.health.dataProblem && <span className="grow bad small">{meta.health.dataProblem}</span>}
      <SchedulePause isPaused={Boolean(meta?.health.pausedSchedules)} />
      <span className="at-end" />
      {meta && <CopyButton value={meta.apiUrl} label="Copy API address" />}
      {meta && <VaultLock isLocked={meta.health.vault === 'locked'} />}
      <ActionIcon
        component="a"
        href={windowHref(paths.settings(env))}
        target="homeport"
        aria-label="Open the settings"
        size={28}
      >
        <IconSettings size={16} stroke={1.6} />
      </ActionIcon>
    </footer>
  );
}

function VaultLock({ isLocked }: { isLocked: boolean }) {
  const { isPending, mutate } = useChangeVault();
  const Icon = isLocked ? IconLock : IconLockOpen;
  const label = isLocked ? 'Unlock the vault' : 'Lock the vault';
  const change = (): void => mutate(isLocked ? 'unlock' : 'lock');
  return (
    <Tooltip label={label}>
      <ActionIcon size={28} aria-label={label} loading={isPending} onClick={change}>
        <Icon size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function SchedulePause({ isPaused }: { isPaused: boolean }) {
  const pause = usePauseSchedules({ done: 'Schedules paused' });
  const resume = useResumeSchedules({ done: 'Schedules resumed' });
  if (isPaused)
    return (
      <Button
        size="xs"
        variant="subtle"
        leftSection={<IconPlayerPlay size={14} stroke={1.6} />}
        onClick={() => resume.mutate()}
      >
        Resume schedules
      </Button>
    );
  return (
    <Menu position="top-start">
      <Menu.Target>
        <Button size="xs" variant="subtle" leftSection={<IconPlayerPause size={14} stroke={1.6} />}>
          Pause schedules
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => pause.mutate(15)}>For 15 minutes</Menu.Item>
        <Menu.Item onClick={() => pause.mutate(60)}>For an hour</Menu.Item>
        <Menu.Item onClick={() => pause.mutate(null)}>Until I resume them</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Call({ approval, isFirst }: { approval: ApprovalRow; isFirst: boolean }) {
  const response = useApprovalAnswer(approval);
  return (
    <section className={classes['call']} aria-label={`Call of ${approval.tool}`}>
      <h2>
        <ApprovalTitle approval={approval} />
      </h2>
      <ApprovalQuestion approval={approval} {...response} takesFocus={isFirst} maxHeight={100} />
    </section>
  );
}
