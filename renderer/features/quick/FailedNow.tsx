import { ActionIcon, Button, Group, Tooltip } from '@mantine/core';
import { IconAlertTriangleFilled, IconPlayerPause } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useActOnCause } from '../../api/connections/use-sync-actions.ts';
import type { AttentionItem } from '../../api/contract.ts';
import { attentionQueryOptions } from '../../api/overview/overview-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { firstClick } from '../../components/form/first-click.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { failureWords } from '../../lib/failure-words.ts';
import { formatCount } from '../../lib/format-number.ts';
import { failurePredicate } from '../../lib/network-failure.ts';
import { paths, windowHref } from '../../lib/paths.ts';
import classes from './QuickPanel.module.css';

const SHOWN = 4;

type Item<Kind> = Extract<AttentionItem, { kind: Kind }>;

/** The last failures, each with its remedy: authorize again, run again, pause. */
export function FailedNow() {
  const env = useEnv();
  const { data, error, refetch } = useQuery(attentionQueryOptions(env));
  if (error && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data || data.data.length === 0) return null;
  return (
    <section className={classes['section']} style={{ padding: '8px 16px' }} aria-label="Failed">
      <div className="row gap-0 between small" style={{ minHeight: 28 }}>
        <h2 className="soft small" style={{ fontWeight: 400 }}>
          Failed
        </h2>
        <a href={windowHref(`${paths.overview(env)}/logs?states=failed,timeout`)} target="homeport">
          Open logs
        </a>
      </div>
      {data.data.slice(0, SHOWN).map((item) => {
        if (item.kind === 'sync') return <FailedSync key={item.cause} item={item} />;
        if (item.kind === 'sign-in') return <LostAuthorization key={item.cause} item={item} />;
        if (item.kind === 'destination') return <LostDestination key={item.cause} item={item} />;
        return <Deliveries key={item.cause} item={item} />;
      })}
    </section>
  );
}

function FailedSync({ item }: { item: Item<'sync'> }) {
  const env = useEnv();
  const { cause, connectionId, count, integrationName, sync } = item;
  const act = useActOnCause(sync);
  const send = (command: 'run' | 'pause'): void => act.mutate({ cause, command });
  const all = count === 1 ? '' : ' all';
  return (
    <Group gap={10} wrap="nowrap" mih={44}>
      <ProviderLogo provider={item.provider} name={integrationName} size={20} />
      <div className={`stack grow ${classes['what']}`}>
        <code className="cut">{sync}</code>
        <small className="cut note soft">
          {count === 1 ? (
            <span className={classes['owner']}>{item.displayName ?? connectionId}</span>
          ) : (
            <a href={windowHref(connectionsHref(env, item, 'sync_error'))} target="homeport">
              {formatCount(count, 'connection')}
            </a>
          )}
          , <RelativeTime at={item.at} bare />. {count === 1 ? failureWords(item, integrationName) : item.reason}
        </small>
      </div>
      <Tooltip label={count === 1 ? 'Pause this sync' : 'Pause these syncs'}>
        <ActionIcon
          size={28}
          aria-label={`Pause${all} ${sync}`}
          disabled={act.isPending}
          onClick={firstClick(() => send('pause'))}
        >
          <IconPlayerPause size={14} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Button
        size="xs"
        variant="default"
        loading={act.isPending}
        aria-label={`Run${all} again: ${sync}`}
        onClick={firstClick(() => send('run'))}
      >
        Run{all} again
      </Button>
    </Group>
  );
}

const connectionsHref = (env: string, { integrationKey }: Item<'sync' | 'sign-in'>, status: string): string =>
  `${paths.connections(env)}?${new URLSearchParams({ integrations: integrationKey, status })}`;

function LostAuthorization({ item }: { item: Item<'sign-in'> }) {
  const env = useEnv();
  const { count } = item;
  return (
    <Group gap={10} wrap="nowrap" mih={44}>
      <ProviderLogo provider={item.provider} name={item.integrationName} size={20} />
      <div className={`stack grow ${classes['what']}`}>
        <span className="name cut">
          {count === 1 ? (item.displayName ?? item.connectionId) : formatCount(count, 'connection')}
        </span>
        <small className="cut note soft">
          {count === 1 ? 'Needs' : 'Need'} sign-in again, <RelativeTime at={item.at} bare />
        </small>
      </div>
      <Button
        size="xs"
        variant="default"
        component="a"
        href={windowHref(count === 1 ? paths.connection(env, item) : connectionsHref(env, item, 'auth_error'))}
        target="homeport"
      >
        Reconnect
      </Button>
    </Group>
  );
}

function Deliveries({ item }: { item: Item<'deliveries'> }) {
  const env = useEnv();
  return (
    <Group gap={10} wrap="nowrap" mih={44}>
      {/* As wide as the logos of the other rows. */}
      <IconAlertTriangleFilled size={16} className="rigid warn" style={{ width: 20 }} aria-hidden />
      <div className={`stack grow ${classes['what']}`}>
        <span className="name cut">Your app did not accept {formatCount(item.count, 'webhook')}</span>
        <small className="cut note soft">
          {item.url} {item.code === null ? failurePredicate(item.error) : `answered ${item.code}`}
        </small>
      </div>
      <Button
        size="xs"
        variant="default"
        component="a"
        href={windowHref(paths.webhook(env, 'outgoing', item.webhookId))}
        target="homeport"
      >
        Open
      </Button>
    </Group>
  );
}

function LostDestination({ item }: { item: Item<'destination'> }) {
  const env = useEnv();
  return (
    <Group gap={10} wrap="nowrap" mih={44}>
      <IconAlertTriangleFilled size={16} className="rigid warn" style={{ width: 20 }} aria-hidden />
      <div className={`stack grow ${classes['what']}`}>
        <span className="name cut">Records do not reach {item.name}</span>
        <small className="cut note soft">{item.reason}</small>
      </div>
      <Button
        size="xs"
        variant="default"
        component="a"
        href={windowHref(paths.destination(env, item.destinationId))}
        target="homeport"
      >
        Open
      </Button>
    </Group>
  );
}
