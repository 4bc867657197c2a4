import { Button } from '@mantine/core';
import { IconAlertCircleFilled, IconAlertTriangleFilled, IconShieldCheck } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { useConnectionChanged } from '../../api/connections/connections-mutations.ts';
import { useActOnCause } from '../../api/connections/use-sync-actions.ts';
import type { ApprovalRow, AttentionItem, CauseCommand, FunctionListItem } from '../../api/contract.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { useConnectOverlay } from '../../components/connection/use-connect-overlay.tsx';
import { firstClick } from '../../components/form/first-click.ts';
import { notifyError } from '../../components/notice/notify.ts';
import { useShell } from '../../components/shell-context.ts';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { useNow } from '../../components/time/use-now.ts';
import { failureWords } from '../../lib/failure-words.ts';
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
  /** Shown below the line: the single ones of its cause. */
  below?: ReactNode;
}

const ICONS = { bad: IconAlertCircleFilled, warn: IconAlertTriangleFilled, run: IconShieldCheck };

function Line({ tone, title, text, time, children, below }: LineProps) {
  const Icon = ICONS[tone];
  return (
    <li className={`grid gap-12 line-above middle ${classes['line']}`}>
      <Icon size={16} stroke={1.6} className="rigid" data-tone={tone} aria-hidden />
      <div className={`grow ${classes['what']}`}>
        <p className={`name cut ${classes['title']}`}>{title}</p>
        <p className={`note soft cut ${classes['text']}`}>{text}</p>
      </div>
      <span className={`small rigid soft numbers right one-line ${classes['time']}`}>{time}</span>
      <div className="flex gap-4 rigid" style={{ justifyContent: 'flex-end', minWidth: 96 }}>
        {children}
      </div>
      {below}
    </li>
  );
}

const ownerOf = (item: { displayName: string | null; connectionId: string }): string =>
  item.displayName ?? item.connectionId;

/** The credentials were refused or have ended: the remedy is to authorize again. */
export function LostAuthorizationLine({ item, isFirst }: { item: Item<'sign-in'>; isFirst: boolean }) {
  const env = useEnv();
  const { count, integrationName } = item;
  const owner = ownerOf(item);
  const [isOpen, toggle] = useSingles(item);
  return (
    <Line
      tone="bad"
      title={
        <Link to={count === 1 ? paths.connection(env, item) : listOf(env, item, 'auth_error')}>
          {count === 1
            ? `${integrationName} for ${owner} needs sign-in again`
            : `${integrationName} needs sign-in again on ${formatNumber(count)} connections`}
        </Link>
      }
      text={failureWords(item, integrationName) ?? 'The credentials were refused or have expired.'}
      time={<RelativeTime at={item.at} bare />}
      below={isOpen && <Singles item={item} act={(one) => <Reconnect of={{ ...item, ...one }} isFirst={false} />} />}
    >
      {count === 1 ? <Reconnect of={item} isFirst={isFirst} /> : toggle}
    </Line>
  );
}

function Reconnect({ of, isFirst }: { of: Pick<Item<'sign-in'>, 'integrationKey' | SingleName>; isFirst: boolean }) {
  const session = useChange('POST /api/v1/connect-sessions', { ownError: true });
  const changed = useConnectionChanged();
  const { integrationKey, connectionId } = of;
  const refetch = (): void => changed({ integrationKey, connectionId });
  const { open, isOpening, overlay } = useConnectOverlay({ onConnect: refetch, onFailure: refetch });
  return (
    <>
      <Button
        size="xs"
        variant={isFirst ? 'filled' : 'default'}
        loading={isOpening}
        aria-label={`Reconnect ${ownerOf(of)}`}
        onClick={() => open(() => session.mutateAsync({ body: { integrationKey, connectionId } })).catch(notifyError)}
      >
        Reconnect
      </Button>
      {overlay}
    </>
  );
}

export function SyncLine({ item }: { item: Item<'sync'> }) {
  const env = useEnv();
  const { count, integrationName, reason, sync } = item;
  const owner = ownerOf(item);
  const [isOpen, toggle] = useSingles(item);
  const failed = `failed${item.failures > 1 ? ` ${formatNumber(item.failures)} times in a row` : ''}`;
  const why = count === 1 ? failureWords(item, integrationName) : reason;
  return (
    <Line
      tone="bad"
      title={
        <Link to={count === 1 ? paths.connection(env, item, 'syncs') : listOf(env, item, 'sync_error')}>
          Sync <code>{sync}</code> {count === 1 ? failed : `fails on ${formatNumber(count)} connections`}
        </Link>
      }
      text={
        <>
          {integrationName}
          {count === 1 && (
            <>
              , <span className={`cut ${classes['owner']}`}>{owner}</span>
            </>
          )}
          {why && `. ${why}`}
        </>
      }
      time={<RelativeTime at={item.at} bare />}
      below={isOpen && <Singles item={item} act={(one) => <OpenLog of={{ ...item, ...one }} />} />}
    >
      {count === 1 ? <OpenLog of={item} /> : toggle}
      {count > 1 && <CauseAction item={item} command="pause" label="Pause all" variant="subtle" />}
      <CauseAction item={item} command="run" label={count === 1 ? 'Run again' : 'Run all again'} />
    </Line>
  );
}

function OpenLog({ of }: { of: { operationId: string | null; sync: string } & Pick<Item<'sync'>, SingleName> }) {
  const env = useEnv();
  if (of.operationId === null) return null;
  return (
    <Button
      size="xs"
      variant="subtle"
      component={Link}
      to={paths.operation(env, of.operationId)}
      aria-label={`Open log of ${of.sync} for ${ownerOf(of)}`}
    >
      Open log
    </Button>
  );
}

type SingleName = 'connectionId' | 'displayName';
type Grouped = Item<'sync'> | Item<'sign-in'>;
type Single = Grouped['connections'][number];

const listOf = (env: string, { integrationKey }: Grouped, status: string): string =>
  `${paths.connections(env)}?${new URLSearchParams({ integrations: integrationKey, status })}`;

/** Whether the single ones of a cause are shown, and the button that shows them. */
function useSingles({ count }: Grouped): [isOpen: boolean, toggle: ReactNode] {
  const [isOpen, setOpen] = useState(false);
  return [
    isOpen && count > 1,
    <Button key="toggle" size="xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
      {isOpen ? 'Hide' : `Show ${formatNumber(count)}`}
    </Button>,
  ];
}

/** The single failures of a cause, each with its connection; the list of connections has the rest. */
function Singles({ item, act }: { item: Grouped; act: (one: Single) => ReactNode }) {
  const env = useEnv();
  const { connections, count, integrationKey, kind } = item;
  const isSync = kind === 'sync';
  return (
    <ul className={`scroll ${classes['singles']}`}>
      {connections.map((one) => (
        <li className="row gap-12 line-above" key={`${one.connectionId} ${one.variant}`}>
          <Link
            to={paths.connection(env, { integrationKey, connectionId: one.connectionId }, isSync ? 'syncs' : 'auth')}
            className="cut"
          >
            {ownerOf(one)}
          </Link>
          {one.variant !== null && one.variant !== 'base' && <span className="faint">{one.variant}</span>}
          <span className={`small rigid soft numbers right one-line ${classes['time']}`}>
            <RelativeTime at={one.at} bare />
          </span>
          {act(one)}
        </li>
      ))}
      {count > connections.length && (
        <li className="row gap-12 line-above">
          <Link to={listOf(env, item, isSync ? 'sync_error' : 'auth_error')}>
            Show all {formatNumber(count)} in the list
          </Link>
        </li>
      )}
    </ul>
  );
}

interface CauseActionProps {
  item: AttentionItem;
  command: CauseCommand['command'];
  label: string;
  variant?: 'default' | 'subtle';
}

/** Acts on everything that fails for the cause. */
function CauseAction({ item, command, label, variant = 'default' }: CauseActionProps) {
  const act = useActOnCause();
  const subject = item.kind === 'sync' ? `: ${item.sync}${item.count === 1 ? ` for ${ownerOf(item)}` : ''}` : '';
  const send = (): void => act.mutate({ cause: item.cause, command });
  return (
    <Button
      size="xs"
      variant={variant}
      loading={act.isPending}
      aria-label={`${label}${subject}`}
      onClick={firstClick(send)}
    >
      {label}
    </Button>
  );
}

export function DeliveriesLine({ item }: { item: Item<'deliveries'> }) {
  const env = useEnv();
  return (
    <Line
      tone="warn"
      title={
        <Link to={paths.webhook(env, 'outgoing', item.webhookId)}>
          Your app did not accept {formatCount(item.count, 'webhook')}
        </Link>
      }
      text={
        <>
          <code>{item.url}</code> {item.code === null ? failurePredicate(item.error) : `answered ${item.code}`}
        </>
      }
      time={<RelativeTime at={item.at} bare />}
    >
      <CauseAction item={item} command="replay" label={`Replay ${formatNumber(item.count)}`} />
    </Line>
  );
}

export function DestinationLine({ item }: { item: Item<'destination'> }) {
  const to = paths.destination(useEnv(), item.destinationId);
  return (
    <Line
      tone="warn"
      title={<Link to={to}>Records do not reach {item.name}</Link>}
      text={item.reason}
      time={<RelativeTime at={item.at} bare />}
    >
      <Button size="xs" variant="default" component={Link} to={to} aria-label={`Open the destination ${item.name}`}>
        Open
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
