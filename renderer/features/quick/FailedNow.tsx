import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconAlertTriangleFilled, IconPlayerPause } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import type { AttentionItem } from '../../api/contract.ts';
import { useOrderSync } from '../../api/overview/overview-mutations.ts';
import { attentionQueryOptions } from '../../api/overview/overview-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ErrorPanel } from '../../components/ErrorPanel.tsx';
import { firstClick } from '../../components/first-click.ts';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { ProviderLogo } from '../../components/ProviderLogo.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { paths, windowHref } from '../../lib/paths.ts';
import classes from './QuickPanel.module.css';

const SHOWN = 4;

type Item<Kind> = Extract<AttentionItem, { kind: Kind }>;

/** The last failures, each with its remedy: authorize again, run again, pause. */
export function FailedNow() {
  const env = useEnv();
  const { data, error, refetch } = useQuery(attentionQueryOptions(env));
  if (error && !data) return <ErrorPanel {...describeError(error)} onRetry={() => void refetch()} />;
  if (!data || data.data.length === 0) return null;
  return (
    <section className={classes['section']} aria-label="Failed">
      <div className={classes['title']}>
        <h2>Failed</h2>
        <a href={windowHref(`${paths.overview(env)}/logs?states=failed,timeout`)} target="homeport">
          Open logs
        </a>
      </div>
      {data.data.slice(0, SHOWN).map((item) => {
        if (item.kind === 'sync') return <FailedSync key={`sync ${item.operationId}`} item={item} />;
        if (item.kind === 'sign-in') return <LostAuthorization key={`sign-in ${item.operationId}`} item={item} />;
        return <Deliveries key="deliveries" item={item} />;
      })}
    </section>
  );
}

function FailedSync({ item }: { item: Item<'sync'> }) {
  const order = useOrderSync();
  const { integrationKey, connectionId, sync, variant } = item;
  const send = (command: 'RUN' | 'PAUSE', done: string): void =>
    order.mutate(
      { integrationKey, connectionId, sync, variant, command },
      { onSuccess: () => notifyDone(done), onError: (error) => notifyError(describeError(error)) },
    );
  return (
    <div className={classes['row']}>
      <ProviderLogo provider={item.provider} name={item.integrationName} size={20} />
      <div className={classes['what']}>
        <code className="cut">{sync}</code>
        <small className="cut">
          <span className={classes['owner']}>{item.displayName ?? connectionId}</span>,{' '}
          <RelativeTime at={item.at} bare />
          {item.error && `, ${item.error}`}
        </small>
      </div>
      <Tooltip label="Pause this sync">
        <ActionIcon
          size={28}
          aria-label={`Pause ${sync}`}
          disabled={order.isPending}
          onClick={firstClick(() => send('PAUSE', `${sync} paused`))}
        >
          <IconPlayerPause size={14} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Button
        size="xs"
        variant="default"
        loading={order.isPending}
        aria-label={`Run again: ${sync}`}
        onClick={firstClick(() => send('RUN', `${sync} started`))}
      >
        Run again
      </Button>
    </div>
  );
}

function LostAuthorization({ item }: { item: Item<'sign-in'> }) {
  const env = useEnv();
  return (
    <div className={classes['row']}>
      <ProviderLogo provider={item.provider} name={item.integrationName} size={20} />
      <div className={classes['what']}>
        <span className="name cut">{item.displayName ?? item.connectionId}</span>
        <small className="cut">
          Needs sign-in again, <RelativeTime at={item.at} bare />
        </small>
      </div>
      <Button
        size="xs"
        variant="default"
        component="a"
        href={windowHref(paths.connection(env, item))}
        target="homeport"
      >
        Reconnect
      </Button>
    </div>
  );
}

function Deliveries({ item }: { item: Item<'deliveries'> }) {
  const env = useEnv();
  return (
    <div className={classes['row']}>
      <IconAlertTriangleFilled size={16} className={classes['mark']} aria-hidden />
      <div className={classes['what']}>
        <span className="name cut">
          {item.count} {item.count === 1 ? 'webhook' : 'webhooks'} given up
        </span>
        <small className="cut">{item.url}</small>
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
    </div>
  );
}
