import { IconFileCode } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { OperationDetailResponse } from '../../api/contract.ts';
import { functionQueryOptions } from '../../api/functions/functions-queries.ts';
import { operationStepsQueryOptions } from '../../api/logs/logs-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { OperationDuration } from '../../components/time/OperationDuration.tsx';
import { formatClock } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { triggerName } from '../../lib/status.ts';
import classes from './OperationPanel.module.css';
import { type FailedLine, failedLineOf, sentenceOf } from './operation-report.ts';

const FUNCTION_TYPES = { sync: 'sync', action: 'action', events: 'on-event' } as const;

/** The outcome, the line that failed, and the details. */
export function OperationSummary({ operation, isUtc }: { operation: OperationDetailResponse; isUtc: boolean }) {
  const env = useEnv();
  const { integrationName, connectionName, endUserName, error } = operation;
  const source = failedLineOf(operation);
  const steps = useQuery(operationStepsQueryOptions(env, operation.id)).data;
  // Only the beginning of a long operation was read; the refusal is at its end.
  const messages = steps && steps.data.length >= steps.total ? steps.data : [];
  return (
    <div className={`stack gap-8 rigid ${classes['summary']}`} style={{ padding: '12px var(--hp-gutter)' }}>
      <p className="name breaks" style={{ fontSize: 14 }}>
        {sentenceOf(operation, messages)}
      </p>
      {source && <SourceLines operation={operation} source={source} />}
      <p className="soft small flex wrap" style={{ gap: '2px 16px' }}>
        {integrationName && <Link to={paths.integration(env, integrationName)}>{integrationName}</Link>}
        {integrationName && connectionName && (
          <Link to={paths.connection(env, { integrationKey: integrationName, connectionId: connectionName })}>
            {endUserName ?? connectionName}
          </Link>
        )}
        {operation.trigger && <span>Trigger: {triggerName(operation.trigger)}</span>}
        {operation.actor && <span>App: {operation.actor}</span>}
        <span>
          {formatClock(operation.createdAt, Date.now(), true, isUtc)}, <OperationDuration operation={operation} />
        </span>
        {error?.type && <code>{error.type}</code>}
      </p>
      <div className={`flex wrap ${classes['more']}`}>
        {error?.payload !== undefined && error.payload !== null && (
          <details>
            <summary className="small soft">Error payload</summary>
            <JsonViewer json={JSON.stringify(error.payload)} label="error payload" height={200} isPlain />
          </details>
        )}
        {operation.meta && Object.keys(operation.meta).length > 0 && (
          <details>
            <summary className="small soft">Payload</summary>
            <JsonViewer json={JSON.stringify(operation.meta)} label="payload" height={240} isPlain />
          </details>
        )}
      </div>
    </div>
  );
}

/** The failing line with the lines around it, if its file still exists. */
function SourceLines({ operation, source }: { operation: OperationDetailResponse; source: FailedLine }) {
  const env = useEnv();
  const type = FUNCTION_TYPES[operation.operation.type as keyof typeof FUNCTION_TYPES];
  const { integrationName: integrationKey, syncConfigName: name } = operation;
  const isKnown = type !== undefined && integrationKey !== null && name !== null;
  const { data } = useQuery({
    ...functionQueryOptions(env, { integrationKey: integrationKey ?? '', type: type ?? 'sync', name: name ?? '' }),
    enabled: isKnown,
    retry: false,
  });
  const position = `${source.file}:${source.line}`;
  const isSameFile = data?.file.split('/').at(-1) === source.file.split('/').at(-1);
  const lines = (data?.runningCode ?? data?.code ?? '').split('\n');
  const first = Math.max(source.line - 1, 1);
  const isThere = isSameFile && source.line <= lines.length;
  const shown = (isThere ? lines.slice(first - 1, source.line + 1) : []).map((text, index) => ({
    number: first + index,
    text,
  }));
  const isNewer = data !== undefined && data.updatedAt > (operation.endedAt ?? operation.createdAt);
  return (
    <>
      {shown.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        <section className={`scroll frame sunken ${classes['source']}`} aria-label="Source of the failure" tabIndex={0}>
          {shown.map(({ number, text }) => (
            <code key={number} data-failed={number === source.line || undefined}>
              <span className={`faint right ${classes['lineNumber']}`}>{number}</span>
              {text}
            </code>
          ))}
        </section>
      )}
      <p className="soft small flex wrap" style={{ gap: '2px 16px' }}>
        <span className="row gap-4" style={{ fontFamily: 'var(--mantine-font-family-monospace)' }}>
          <IconFileCode size={14} stroke={1.6} aria-hidden />
          {isKnown ? <Link to={paths.function(env, { integrationKey, type, name })}>{position}</Link> : position}
        </span>
        {shown.length > 0 && isNewer && <span className="faint">The file was saved again since.</span>}
      </p>
    </>
  );
}
