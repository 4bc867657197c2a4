import { Button, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import type { PlaygroundRun } from '../../api/contract.ts';
import { operationQueryOptions } from '../../api/logs/logs-queries.ts';
import { runMessagesQueryOptions } from '../../api/playground/playground-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { OperationDuration } from '../../components/time/OperationDuration.tsx';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { formatClock, formatDuration } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { lookOf, OPERATION_LOOK } from '../../lib/status.ts';
import classes from './Playground.module.css';
import { type Draft, isRunOf, runTitle } from './playground-draft.ts';
import { ResponseHeaders, ResponseView, responseName, sizeText } from './ResponseView.tsx';
import { ResultDifference } from './ResultDifference.tsx';
import { SaveFixture } from './SaveFixture.tsx';
import { Snippets } from './Snippets.tsx';

interface PlaygroundOutcomeProps {
  run: PlaygroundRun | undefined;
  draft: Draft;
  /** Reads the page of records after a cursor. */
  onNextPage: (cursor: string) => void;
  /** Another run, to compare the results of both. */
  other: PlaygroundRun | undefined;
  onCloseOther: () => void;
}

/** The outcome of a run: its response, log, requests, the records it would store, and the call as code. */
export function PlaygroundOutcome({ run, draft, onNextPage, other, onCloseOther }: PlaygroundOutcomeProps) {
  const env = useEnv();
  const [tab, setTab] = useState('output');
  // A comparison that was just requested opens its tab.
  const compared = run && other;
  const comparedId = compared?.id;
  useEffect(
    () => setTab((shown) => (comparedId ? 'difference' : shown === 'difference' ? 'output' : shown)),
    [comparedId],
  );
  const { data } = useQuery({
    ...runMessagesQueryOptions(env, run?.operationId ?? null),
    refetchInterval: run?.state === 'running' ? 1000 : false,
  });
  const messages = data?.data ?? [];
  const requests = messages.filter(({ type }) => type === 'http');
  const logs = messages.filter(({ type }) => type === 'log');
  const effects = run?.effects;
  // A tab that this run does not have gives way to its output.
  const has: Partial<Record<string, boolean>> = {
    records: Boolean(effects),
    headers: Boolean(run?.response),
    difference: Boolean(compared),
  };
  const hasTab = has[tab] ?? true;
  return (
    <section className={classes['result']} aria-label="Result">
      <header className={`row wrap ${classes['resultHead']}`} aria-live="polite">
        <h2>
          Result
          {run && !isRunOf(run, draft) && <span className="faint"> of {runTitle(run)}</span>}
        </h2>
        {run ? (
          <StatusBadge look={lookOf(OPERATION_LOOK, run.state)} soft />
        ) : (
          <span className="faint">Nothing has run yet.</span>
        )}
        {run?.response && <span className="rigid soft small numbers">HTTP {run.response.status}</span>}
        {run?.response && <span className="rigid soft small numbers">{sizeText(run.response)}</span>}
        {run?.durationMs != null && <span className="rigid soft small numbers">{formatDuration(run.durationMs)}</span>}
        {run?.operationId && (
          <Link className="at-end small" to={paths.operation(env, run.operationId)}>
            Open log
          </Link>
        )}
      </header>
      <Tabs value={hasTab ? tab : 'output'} onChange={(next) => setTab(next ?? 'output')}>
        <Tabs.List style={{ padding: 0, overflowX: 'auto', flexWrap: 'nowrap' }}>
          <Tabs.Tab value="output">Output</Tabs.Tab>
          <Tabs.Tab value="logs">
            Logs <span className="faint">{formatNumber(logs.length)}</span>
          </Tabs.Tab>
          <Tabs.Tab value="requests">
            Requests <span className="faint">{formatNumber(requests.length)}</span>
          </Tabs.Tab>
          {run?.response && (
            <Tabs.Tab value="headers">
              Headers <span className="faint">{formatNumber(run.response.headers.length)}</span>
            </Tabs.Tab>
          )}
          {effects && (
            <Tabs.Tab value="records">
              Would store <span className="faint">{formatNumber(countOf(effects))}</span>
            </Tabs.Tab>
          )}
          <Tabs.Tab value="code">Code</Tabs.Tab>
          {compared && <Tabs.Tab value="difference">Difference</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="output">
          {run && run.state === 'success' && <SaveFixture key={run.id} run={run} />}
          {run ? (
            <Output run={run} onNextPage={onNextPage} />
          ) : (
            <p className="soft note pt-12 pb-12">Fill in what to run and press Run.</p>
          )}
        </Tabs.Panel>
        {run?.response && (
          <Tabs.Panel value="headers">
            <ResponseHeaders response={run.response} />
          </Tabs.Panel>
        )}
        {compared && (
          <Tabs.Panel value="difference">
            <ResultDifference run={run} other={compared} onClose={onCloseOther} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="logs">
          {run?.operationId && <RecordedLevel operationId={run.operationId} request={run.request} />}
          <ul className={`scroll ${classes['messages']}`} style={{ maxHeight: 480 }}>
            {logs.map((message) => (
              <li className="grid gap-8 line-below numbers" key={message.id} data-level={message.level}>
                <time className="soft" dateTime={message.createdAt}>
                  {formatClock(message.createdAt, Date.now(), false)}
                </time>
                <span className="soft" data-level={message.level}>
                  {message.level}
                </span>
                <code className="breaks pre-wrap">{message.message}</code>
              </li>
            ))}
          </ul>
          {logs.length === 0 && <p className="soft note pt-12 pb-12">The run has no recorded messages.</p>}
        </Tabs.Panel>
        <Tabs.Panel value="requests">
          <ul className={`scroll ${classes['messages']}`} style={{ maxHeight: 480 }}>
            {requests.map((message) => (
              <li className="grid gap-8 line-below numbers" key={message.id} data-level={message.level}>
                <time className="soft" dateTime={message.createdAt}>
                  {formatClock(message.createdAt, Date.now(), false)}
                </time>
                <span className="soft" data-level={message.level}>
                  {message.response?.code ?? 'none'}
                </span>
                <code className="breaks pre-wrap">{message.message}</code>
                <span className="soft" data-level={message.level}>
                  {formatDuration(message.durationMs)}
                </span>
              </li>
            ))}
          </ul>
          {requests.length === 0 && <p className="soft note pt-12 pb-12">The run sent no request.</p>}
        </Tabs.Panel>
        {effects && (
          <Tabs.Panel value="records">
            <p className="soft note pt-12 pb-12">{effectsSentence(effects, run?.state === 'success')}</p>
            <JsonViewer json={JSON.stringify(effects)} label="what would be stored" />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="code">
          <Snippets draft={draft} />
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}

/** Says which messages are missing from the log of a run; a dry run and a replay record all of them. */
function RecordedLevel({ operationId, request }: { operationId: string; request: PlaygroundRun['request'] }) {
  const env = useEnv();
  const isWhole = 'mode' in request && request.mode !== 'live';
  const { data } = useQuery({ ...operationQueryOptions(env, operationId), enabled: !isWhole });
  if (isWhole || !data || data.recordedLevel === 'debug') return null;
  return (
    <p className="soft note pt-12 pb-12">
      Messages of functions below level {data.recordedLevel} are not recorded in a live run (“Log level of functions” in
      the <Link to={paths.settings(env, 'log-level')}>environment settings</Link>). A dry run records every message.
    </p>
  );
}

const countIn = (models: Record<string, unknown[]>): number =>
  Object.values(models).reduce((sum, all) => sum + all.length, 0);
const countOf = ({ added, updated, deleted }: NonNullable<PlaygroundRun['effects']>): number =>
  countIn(added) + countIn(updated) + countIn(deleted);

function effectsSentence({ added, updated, deleted }: NonNullable<PlaygroundRun['effects']>, isDone: boolean): string {
  const [saved, changed, gone] = [
    formatCount(countIn(added), 'record'),
    formatNumber(countIn(updated)),
    formatNumber(countIn(deleted)),
  ];
  return isDone
    ? `A live run would save ${saved}, update ${changed} and delete ${gone}.`
    : `Until it failed, a live run would have saved ${saved}, updated ${changed} and deleted ${gone}.`;
}

function Output({ run, onNextPage }: { run: PlaygroundRun; onNextPage: (cursor: string) => void }) {
  if (run.state === 'running')
    return (
      <p className="soft note pt-12 pb-12">
        Running for <OperationDuration operation={{ ...run, createdAt: run.startedAt }} />. You can leave this page: the
        run continues, and you can find it here again.
      </p>
    );
  if (run.error)
    return (
      <div className={`breaks frame ${classes['failure']}`} role="alert">
        <p>{run.error.message}</p>
        <code>{run.error.code}</code>
        {run.error.payload != null && (
          <JsonViewer json={JSON.stringify(run.error.payload)} label="details of the failure" isPlain />
        )}
      </div>
    );
  if (run.isResultLost)
    return (
      <p className="soft note pt-12 pb-12">
        The result is too large for the history that survives a restart. Run it again to see it.
      </p>
    );
  if (run.response) return <ResponseView response={run.response} name={responseName(run)} />;
  if (run.replay) return <Replayed run={run} replay={run.replay} />;
  if (run.request.kind === 'sync' && run.request.mode === 'live')
    return <p className="soft note pt-12 pb-12">The run has ended. Its records are on the page of the connection.</p>;
  if (run.request.kind === 'sync')
    return <p className="soft note pt-12 pb-12">The dry run has ended. What it would store is under “Would store”.</p>;
  if (run.request.kind === 'webhook' && (run.output as WebhookRuns).runs.length === 0)
    return (
      <p className="soft note pt-12 pb-12">
        No handler ran: no sync of the integration subscribes to this webhook (“webhookSubscriptions” in its file).
      </p>
    );
  return (
    <>
      {run.request.kind === 'records' && <PageNote output={run.output as RecordsPage} onNextPage={onNextPage} />}
      <JsonViewer json={JSON.stringify(run.output ?? null)} label="output" />
    </>
  );
}

function Replayed({ run, replay }: { run: PlaygroundRun; replay: NonNullable<PlaygroundRun['replay']> }) {
  const { differences, note, path, unsent } = replay;
  return (
    <>
      <p className="soft note pt-12 pb-12">
        {differences === 0 ? 'The result equals the recording ' : 'The result differs from the recording '}
        <code>{path}</code>
        {differences === 0 ? '.' : ` in ${formatCount(differences, 'place')}. The function’s Tests tab compares them.`}
        {unsent.length > 0 &&
          ` ${formatCount(unsent.length, 'recorded request was', 'recorded requests were')} not sent.`}
        {note !== null && ` The recording ${note}.`}
      </p>
      {run.request.kind === 'action' && <JsonViewer json={JSON.stringify(run.output ?? null)} label="output" />}
    </>
  );
}

interface WebhookRuns {
  runs: unknown[];
}

interface RecordsPage {
  next_cursor: string | null;
  records: unknown[];
}

function PageNote({ output, onNextPage }: { output: RecordsPage; onNextPage: (cursor: string) => void }) {
  const { next_cursor: next, records } = output;
  return (
    <p className="soft note pt-12 pb-12">
      {formatCount(records.length, 'record')}.{' '}
      {next === null ? (
        'These are the last ones.'
      ) : (
        <Button size="compact-xs" variant="default" onClick={() => onNextPage(next)}>
          Next page
        </Button>
      )}
    </p>
  );
}
