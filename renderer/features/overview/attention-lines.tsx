import { Button } from '@mantine/core';
import { IconAlertCircleFilled, IconAlertTriangleFilled, IconShieldCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { useConnectionChanged, useConnectSession } from '../../api/connections/connections-mutations.ts';
import type { ApprovalRow, AttentionItem, FunctionListItem } from '../../api/contract.ts';
import { useOrderSync } from '../../api/overview/overview-mutations.ts';
import { useEnv } from '../../api/use-env.ts';
import { useReplayFailed } from '../../api/webhooks/webhooks-mutations.ts';
import { firstClick } from '../../components/first-click.ts';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useShell } from '../../components/shell-context.ts';
import { useConnectOverlay } from '../../components/use-connect-overlay.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { failurePredicate } from '../../lib/network-failure.ts';
import { paths } from '../../lib/paths.ts';
import classes from './Overview.module.css';

type Item<Kind> = Extract<AttentionItem, { kind: Kind }>;

interface LineProps {
  tone: 'bad' | 'warn' | 'run';
  title: ReactNode;
  text: ReactNode;
  time: ReactNode;
  children: ReactNode;
}

const ICONS = { bad: IconAlertCircleFilled, warn: IconAlertTriangleFilled, run: IconShieldCheck };

function Line({ tone, title, text, time, children }: LineProps) {
  const Icon = ICONS[tone];
  return (
    <li className={classes['line']}>
      <Icon size={16} stroke={1.6} className={classes['icon']} data-tone={tone} aria-hidden />
      <div className={classes['what']}>
        <p className={classes['title']}>{title}</p>
        <p className={classes['text']}>{text}</p>
      </div>
      <span className={classes['time']}>{time}</span>
      <div className={classes['actions']}>{children}</div>
    </li>
  );
}

const complain = (error: unknown): void => notifyError(describeError(error));
const ownerOf = (item: { displayName: string | null; connectionId: string }): string =>
  item.displayName ?? item.connectionId;

/** The provider refuses the credentials: the remedy is to authorize again. */
export function LostAuthorizationLine({ item, isFirst }: { item: Item<'sign-in'>; isFirst: boolean }) {
  const env = useEnv();
  const session = useConnectSession();
  const changed = useConnectionChanged();
  const { integrationKey, connectionId } = item;
  const refetch = (): void => changed({ integrationKey, connectionId });
  const { open, isOpening, overlay } = useConnectOverlay({ onConnect: refetch, onFailure: refetch });
  const owner = ownerOf(item);
  return (
    <Line
      tone="bad"
      title={
        <Link to={paths.connection(env, item)}>
          {item.integrationName} for {owner} needs sign-in again
        </Link>
      }
      text={item.error ?? 'The credentials were refused.'}
      time={<RelativeTime at={item.at} bare />}
    >
      <Button
        size="xs"
        variant={isFirst ? 'filled' : 'default'}
        loading={isOpening}
        aria-label={`Reconnect ${owner}`}
        onClick={() => open(() => session.mutateAsync({ integrationKey, connectionId })).catch(complain)}
      >
        Reconnect
      </Button>
      {overlay}
    </Line>
  );
}

export function SyncLine({ item }: { item: Item<'sync'> }) {
  const env = useEnv();
  const order = useOrderSync();
  const { integrationKey, connectionId, sync, variant } = item;
  const owner = ownerOf(item);
  const runAgain = (): void =>
    order.mutate(
      { integrationKey, connectionId, sync, variant, command: 'RUN' },
      { onSuccess: () => notifyDone(`${sync} started`), onError: complain },
    );
  return (
    <Line
      tone="bad"
      title={
        <Link to={paths.connection(env, item, 'syncs')}>
          Sync <code>{sync}</code> failed{item.failures > 1 ? ` ${formatNumber(item.failures)} times in a row` : ''}
        </Link>
      }
      text={
        <>
          {item.integrationName}, <span className={classes['owner']}>{owner}</span>
          {item.error && `. ${item.error}`}
        </>
      }
      time={<RelativeTime at={item.at} bare />}
    >
      <Button
        size="xs"
        variant="subtle"
        component={Link}
        to={paths.operation(env, item.operationId)}
        aria-label={`Open log of ${sync}`}
      >
        Open log
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={order.isPending}
        aria-label={`Run again: ${sync} for ${owner}`}
        onClick={firstClick(runAgain)}
      >
        Run again
      </Button>
    </Line>
  );
}

export function DeliveriesLine({ item }: { item: Item<'deliveries'> }) {
  const env = useEnv();
  const replay = useReplayFailed();
  const replayAll = (): void =>
    replay.mutate(
      {},
      {
        onSuccess: ({ count }) => notifyDone(`${formatCount(count, 'webhook is', 'webhooks are')} sent again`),
        onError: complain,
      },
    );
  return (
    <Line
      tone="warn"
      title={
        <Link to={paths.webhook(env, 'outgoing', item.webhookId)}>
          {formatCount(item.count, 'webhook delivery', 'webhook deliveries')} failed after all attempts
        </Link>
      }
      text={
        <>
          <code>{item.url}</code> {item.code === null ? failurePredicate(item.error) : `answered ${item.code}`}
        </>
      }
      time={<RelativeTime at={item.at} bare />}
    >
      <Button
        size="xs"
        variant="default"
        loading={replay.isPending}
        aria-label={`Replay ${formatCount(item.count, 'webhook')}`}
        onClick={replayAll}
      >
        Replay {formatNumber(item.count)}
      </Button>
    </Line>
  );
}

export function FunctionLine({ row }: { row: FunctionListItem }) {
  const env = useEnv();
  const { problem, version } = row;
  const where = problem?.line ? `Line ${problem.line}: ` : '';
  const still = version === null ? '' : `. Version ${version} keeps running`;
  return (
    <Line
      tone="warn"
      title={
        <Link to={paths.function(env, row)}>
          <code>{row.name}</code> does not compile
        </Link>
      }
      text={`${where}${problem?.message ?? row.integrationKey}${still}`}
      time={<RelativeTime at={row.updatedAt} bare />}
    >
      <Button
        size="xs"
        variant="default"
        component={Link}
        to={paths.function(env, row)}
        aria-label={`Open code of ${row.name}`}
      >
        Open code
      </Button>
    </Line>
  );
}

export function ApprovalLine({ approval }: { approval: ApprovalRow }) {
  const { reviewApprovals } = useShell();
  const seconds = Math.max(Math.round((Date.parse(approval.expiresAt) - useNow()) / 1000), 0);
  return (
    <Line
      tone="run"
      title={
        <>
          {approval.clientName} asks to run <code>{approval.tool}</code>
        </>
      }
      text="Denied automatically when time runs out"
      time={`${seconds} s left`}
    >
      <Button size="xs" variant="default" aria-label={`Review ${approval.tool}`} onClick={reviewApprovals}>
        Review
      </Button>
    </Line>
  );
}
