import { Button, Select } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { syncsQueryOptions } from '../../api/connections/connections-queries.ts';
import { useSyncActions } from '../../api/connections/use-sync-actions.ts';
import type { ConnectionDetail, SyncListItem, TemplateRow } from '../../api/contract.ts';
import { useAddTemplate } from '../../api/functions/functions-mutations.ts';
import { templatesQueryOptions } from '../../api/functions/functions-queries.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { describeError } from '../../lib/api-error.ts';
import { NeedsConnection, useFirstConnection } from './ConnectStep.tsx';
import { SyncResult } from './SyncResult.tsx';
import type { StepProps } from './step-props.ts';
import classes from './WelcomeStep.module.css';

/** Milliseconds: a copied template is live in less than a second, so a longer wait means a failure. */
const LIVE_WITHIN_MS = 30_000;
const POLL_EVERY_MS = 500;
/** The sync for the practice provider. */
const PREFERRED = 'fetch-issues';

/** A sync of the connection, copied into the functions folder when there is none, and the records that its run stores. */
export function SyncStep(props: StepProps) {
  const connection = useFirstConnection(props.firstRun);
  return (
    <>
      <h1 ref={props.heading} tabIndex={-1}>
        Run the first sync
      </h1>
      <p className={`soft ${classes['lead']}`}>
        A sync is a function that keeps a copy of what a provider has. Its file goes into your functions folder, and
        saving it deploys it.
      </p>
      {connection ? <FirstSync {...props} connection={connection} /> : <NeedsConnection go={props.go} />}
    </>
  );
}

/** States: not started; the file is being deployed; the run is about to start; the run has started. */
type Stage = 'idle' | 'deploying' | 'starting' | 'started';

function FirstSync({ connection, onDone, problem, setProblem }: StepProps & { connection: ConnectionDetail }) {
  const env = useEnv();
  const [stage, setStage] = useState<Stage>('idle');
  const [begun, setBegun] = useState<{ at: number; lastRun: string | undefined }>({ at: 0, lastRun: undefined });
  const [operationId, setOperationId] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const templates = useQuery(templatesQueryOptions(env, connection.integrationKey));
  const syncs = useQuery({
    ...syncsQueryOptions(env, connection),
    refetchInterval: isUnderWay(stage) ? POLL_EVERY_MS : false,
  });
  const add = useAddTemplate(connection.integrationKey);
  const command = useSyncActions(OWN_ERROR);
  const { integrationKey, connectionId } = connection;
  const ref = { integrationKey, connectionId };
  const names = namesOf(syncs.data ?? [], templates.data ?? []);
  const name = chosen ?? names.find((one) => one === PREFERRED) ?? names[0];
  const sync = syncs.data?.find((one) => one.name === name && one.variant === 'base');
  const fail = (error: unknown): void => {
    setStage('idle');
    setProblem(describeError(error));
  };
  const follow = (id: string): void => {
    setStage('started');
    setOperationId(id);
  };
  const run = (): void => {
    setStage('starting');
    command.mutate(
      { ...ref, sync: name ?? '', variant: 'base', command: 'RUN_FULL' },
      { onSuccess: (response) => response.operationId !== null && follow(response.operationId), onError: fail },
    );
  };
  const begin = (): void => {
    setProblem(undefined);
    setOperationId(undefined);
    setBegun({ at: Date.now(), lastRun: sync?.lastRun?.operationId });
    if (sync) {
      run();
      return;
    }
    setStage('deploying');
    const template = templates.data?.find((one) => one.type === 'sync' && one.name === name);
    if (template && !template.isThere) add.mutate(template, { onError: fail });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: every response of the list shows the progress.
  useEffect(() => {
    if (!isUnderWay(stage)) return;
    const latest = sync?.lastRun?.operationId;
    if (latest !== undefined && latest !== begun.lastRun) follow(latest);
    // Some syncs start as soon as they are live; the others are started here.
    else if (stage === 'deploying' && sync && sync.scheduleStatus !== 'STARTED') run();
    else if (Date.now() - begun.at > LIVE_WITHIN_MS)
      fail(new Error('The sync did not start. Check in the list of functions whether it is live.'));
  }, [stage, syncs.dataUpdatedAt]);
  const error = templates.error ?? syncs.error;
  if (error && names.length === 0)
    return (
      <ErrorPanel
        error={error}
        onRetry={() => {
          void templates.refetch();
          void syncs.refetch();
        }}
      />
    );
  if (!templates.data || !syncs.data) return null;
  if (name === undefined) return <NoSync connection={connection} />;
  const isBusy = isUnderWay(stage);
  return (
    <>
      <div className={`flex gap-8 at-bottom ${classes['request']}`}>
        <Select
          label="Sync"
          data={names}
          value={name}
          allowDeselect={false}
          disabled={isBusy || names.length === 1}
          onChange={(next) => {
            setChosen(next ?? undefined);
            setStage('idle');
            setOperationId(undefined);
          }}
        />
        <Button
          variant={operationId === undefined ? 'filled' : 'default'}
          loading={isBusy}
          leftSection={<IconPlayerPlay size={14} stroke={1.6} aria-hidden />}
          onClick={begin}
        >
          {operationId !== undefined ? 'Run again' : sync ? 'Run it' : 'Deploy and run it'}
        </Button>
      </div>
      {problem && <ErrorPanel error={problem} onRetry={begin} />}
      <p className="soft" aria-live="polite">
        {stage === 'deploying'
          ? `${connection.integrationKey}/syncs/${name}.ts is written. It goes live.`
          : fileNote(connection.integrationKey, name, sync)}
      </p>
      {operationId !== undefined && (
        <SyncResult key={operationId} connection={connection} operationId={operationId} sync={sync} onDone={onDone} />
      )}
    </>
  );
}

const isUnderWay = (stage: Stage): boolean => stage === 'deploying' || stage === 'starting';

const namesOf = (syncs: SyncListItem[], templates: TemplateRow[]): string[] => [
  ...new Set([...syncs, ...templates.filter(({ type }) => type === 'sync')].map(({ name }) => name)),
];

const fileNote = (integrationKey: string, name: string, sync: SyncListItem | undefined): string =>
  sync
    ? `It is live${sync.frequency ? ` and runs ${sync.frequency}` : ''}.`
    : `Its file will be ${integrationKey}/syncs/${name}.ts in the functions folder.`;

function NoSync({ connection }: { connection: ConnectionDetail }) {
  const env = useEnv();
  return (
    <div className={`row wrap ${classes['action']}`}>
      <Button component={Link} variant="default" to={`/${env}/functions`}>
        Where functions go
      </Button>
      <p className="soft">
        No sync ships for {connection.integrationName}. Write one of your own; this step can be skipped until it is
        there.
      </p>
    </div>
  );
}
