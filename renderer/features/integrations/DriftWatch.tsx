import { Button, Group, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { connectionChoicesQueryOptions } from '../../api/connections/connections-queries.ts';
import type { IntegrationDetail, ShownDriftWatch } from '../../api/contract.ts';
import { driftWatchQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { Banner } from '../../components/page/Banner.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatCount } from '../../lib/format-number.ts';
import classes from './ConnectionTestList.module.css';

/** Whether the recordings of the integration are made again once a week, on which connection, and what that showed. */
export function DriftWatch({ integration }: { integration: IntegrationDetail }) {
  const env = useEnv();
  const params = { integrationKey: integration.key };
  const { data: watch, error, refetch } = useQuery(driftWatchQueryOptions(env, integration.key));
  const set = useChange('PUT /api/v1/integrations/:integrationKey/drift-watch', { done: 'Drift watch is on' });
  const run = useChange('POST /api/v1/integrations/:integrationKey/drift-watch/run');
  const remove = useChange('DELETE /api/v1/integrations/:integrationKey/drift-watch', { done: 'Drift watch is off' });
  const isOn = watch != null && watch.connectionId !== null;
  return (
    <section className="line-above" style={{ paddingTop: 16 }} aria-labelledby="drift-watch">
      <h2 id="drift-watch">Drift watch</h2>
      <p className="soft">
        Once a week the recorded runs of its functions that only read are made again on one connection. You are told
        which field of an answer is gone or has another type. Nothing is stored, and nothing that writes is sent.
      </p>
      {error && !watch && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {watch && (
        <>
          <Group gap={8} mt={8} align="end">
            <ConnectionChoice
              integrationKey={integration.key}
              value={watch.connectionId}
              onChoose={(connectionId) => set.mutate({ params, body: { connectionId } })}
            />
            {isOn && (
              <>
                <Button variant="default" loading={run.isPending} onClick={() => run.mutate({ params })}>
                  Compare now
                </Button>
                <Button variant="subtle" loading={remove.isPending} onClick={() => remove.mutate({ params })}>
                  Switch off
                </Button>
              </>
            )}
          </Group>
          {isOn && <LastComparison watch={watch} />}
        </>
      )}
    </section>
  );
}

interface ConnectionChoiceProps {
  integrationKey: string;
  value: string | null;
  onChoose: (connectionId: string) => void;
}

/** One of any number of connections: the server searches. */
function ConnectionChoice({ integrationKey, value, onChoose }: ConnectionChoiceProps) {
  const env = useEnv();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed === value ? '' : typed, 120);
  const found = useQuery(connectionChoicesQueryOptions(env, search, integrationKey)).data ?? [];
  const labels = new Map(found.map(({ connectionId, displayName }) => [connectionId, displayName ?? connectionId]));
  // One that was deleted is still the chosen one.
  if (value !== null && !labels.has(value)) labels.set(value, value);
  return (
    <Select
      label="Connection"
      w={248}
      maw="100%"
      searchable
      filter={({ options }) => options}
      data={[...labels].map(([one, label]) => ({ value: one, label }))}
      value={value}
      placeholder="Off. Choose a connection"
      nothingFoundMessage="No connection"
      onSearchChange={setTyped}
      onChange={(chosen) => chosen !== null && chosen !== value && onChoose(chosen)}
    />
  );
}

function LastComparison({ watch }: { watch: ShownDriftWatch }) {
  const { changes, compared, lastAt, problem, skipped } = watch;
  if (lastAt === null)
    return (
      <p className="soft" role="status" style={{ margin: '8px 0 0' }}>
        {problem ?? 'The first comparison is made in the next ten minutes.'}
      </p>
    );
  return (
    <div role="status" style={{ marginTop: 12 }}>
      {problem !== null && <Banner tone="warn">{problem}</Banner>}
      {problem === null && (
        <p style={{ margin: 0 }}>
          {formatCount(compared ?? 0, 'recorded run')} compared <RelativeTime at={lastAt} />:{' '}
          {changes.length === 0
            ? 'the answers have the recorded form.'
            : `${formatCount(changes.length, 'field')} changed.`}
        </p>
      )}
      {problem === null && changes.length > 0 && (
        <ul className={classes['list']} style={{ margin: '8px 0 0' }} aria-label="Changed fields">
          {changes.map((one) => (
            <li className="line-below breaks" style={{ padding: '8px 0' }} key={`${one.request} ${one.field}`}>
              <code>{one.field}</code>{' '}
              {one.kind === 'gone' ? `is gone (${one.before})` : `was ${one.before}, is ${one.after}`}
              <p className="soft" style={{ margin: 0 }}>
                <code>{one.request}</code>. {one.isRead ? 'Read by' : 'Requested by'} {one.functions.join(', ')}
              </p>
            </li>
          ))}
        </ul>
      )}
      {skipped.length > 0 && (
        <details style={{ marginTop: 8 }}>
          <summary className="soft">{formatCount(skipped.length, 'recorded run')} left out</summary>
          <ul className={classes['list']}>
            {skipped.map((one) => (
              <li className="soft breaks" key={one.function}>
                <b>{one.function}</b>: {one.reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
