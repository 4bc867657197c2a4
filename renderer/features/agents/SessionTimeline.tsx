import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { sessionCallsQueryOptions } from '../../api/agents/agents-queries.ts';
import type { AgentCallRow, AgentSessionListRow, OperationListItem } from '../../api/contract.ts';
import { runsQuery } from '../../api/logs/logs-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { paths } from '../../lib/paths.ts';
import { operationLook } from '../../lib/status.ts';
import classes from './SessionDetails.module.css';

const SHOWN_OPERATIONS = 50;

interface Step {
  id: string;
  at: string;
  operation: OperationListItem | undefined;
  call: AgentCallRow | undefined;
}

/** What a session did, oldest first. What it wrote can be undone here. */
export function SessionTimeline({ session }: { session: AgentSessionListRow }) {
  const env = useEnv();
  const runs = useQuery(runsQuery(env, { search: `session:${session.id}`, limit: SHOWN_OPERATIONS }));
  const calls = useQuery(sessionCallsQueryOptions(env, session.id));
  const steps = stepsOf(runs.data?.data ?? [], calls.data ?? []);
  const failed = [runs, calls].find(({ error }) => error);
  return (
    <>
      {failed && <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />}
      {runs.data && calls.data && steps.length === 0 && <p className="soft">Nothing was called yet.</p>}
      {steps.length > 0 && (
        <ol className={classes['timeline']}>
          {steps.map((step) => (
            <TimelineStep key={step.id} session={session} step={step} />
          ))}
        </ol>
      )}
    </>
  );
}

/** The newest operations, and every call that wrote. */
function stepsOf(operations: readonly OperationListItem[], calls: readonly AgentCallRow[]): Step[] {
  const steps = operations.map((operation) => ({
    id: operation.id,
    at: operation.startedAt ?? operation.createdAt,
    operation,
    call: calls.find(({ id }) => id === operation.id),
  }));
  const older = calls
    .filter(({ id }) => !operations.some((operation) => operation.id === id))
    .map((call) => ({ id: call.id, at: call.madeAt, operation: undefined, call }));
  return [...steps.toReversed(), ...older].toSorted((a, b) => a.at.localeCompare(b.at));
}

function TimelineStep({ session, step }: { session: AgentSessionListRow; step: Step }) {
  const env = useEnv();
  const { at, call, id, operation } = step;
  return (
    <li>
      <span className="soft">
        <RelativeTime at={at} />
      </span>
      <Link className="cut" to={paths.operation(env, id)}>
        {operation?.message ?? `Action ${call?.tool}`}
      </Link>
      {operation ? <StatusBadge look={operationLook(operation)} /> : <span />}
      {call && <Written session={session} call={call} />}
    </li>
  );
}

/** What a call wrote, and its undo. */
function Written({ call, session }: { call: AgentCallRow; session: AgentSessionListRow }) {
  const undo = useChange('POST /api/v1/agents/sessions/:sessionId/calls/:callId/undo', {
    done: `${call.tool} was undone`,
  });
  return (
    <div className={classes['written']}>
      <Group gap={12} justify="space-between" wrap="nowrap" align="start">
        <Stack gap={2} miw={0}>
          {call.requests.map((request, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a call can send the same request twice, and the list never changes
            <SentRequest key={index} request={request} />
          ))}
          {call.hasMore && <span className="soft">and more requests</span>}
          <Outcome call={call} />
        </Stack>
        {call.undoState === 'possible' && call.refusal === null && (
          <Button
            size="xs"
            variant="default"
            loading={undo.isPending}
            onClick={() => undo.mutate({ params: { sessionId: session.id, callId: call.id } })}
          >
            Undo
          </Button>
        )}
      </Group>
    </div>
  );
}

function SentRequest({ request }: { request: AgentCallRow['requests'][number] }) {
  const { body, host, method, path, status } = request;
  const line = (
    <code title={host ?? undefined}>
      {method} {path} {status ?? 'no answer'}
    </code>
  );
  if (body === null) return line;
  return (
    <details>
      <summary>{line}</summary>
      <pre className={classes['body']}>{body}</pre>
    </details>
  );
}

/** Why it cannot be undone, or when it was. */
function Outcome({ call: { refusal, undoState, undoneAt } }: { call: AgentCallRow }) {
  if (undoState === 'undone')
    return (
      <span className="soft">
        Undone <RelativeTime at={undoneAt} />
      </span>
    );
  return refusal === null ? null : <span className="soft">{refusal}</span>;
}
