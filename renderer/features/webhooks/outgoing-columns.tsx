import type { OutgoingWebhookRow } from '../../api/contract.ts';
import { IntegrationName } from '../../api/integrations/IntegrationName.tsx';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import type { Column } from '../../components/table/columns.ts';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { clockWidth, formatClock, formatDuration } from '../../lib/format-time.ts';
import { failureWord } from '../../lib/network-failure.ts';
import { DELIVERY_LOOK, lookOf } from '../../lib/status.ts';
import { isAccepted } from './delivery-sentence.ts';
import { webhookTypeName } from './outgoing-filters.ts';

const Faint = () => <span className="faint">–</span>;

/** `providers`: of the integrations, by their key. */
export const outgoingColumns = (providers: ReadonlyMap<string, string>): Column<OutgoingWebhookRow>[] => [
  {
    id: 'time',
    header: 'Time',
    width: clockWidth(124),
    sort: 'time',
    text: (row) => row.createdAt,
    cell: (row) => (
      <span className="row">
        {row.integrationKey !== null && providers.has(row.integrationKey) ? (
          <ProviderLogo provider={providers.get(row.integrationKey) ?? ''} name={row.integrationKey} size={14} />
        ) : (
          <span style={{ width: 14 }} />
        )}
        <time dateTime={row.createdAt} className="mono soft">
          {formatClock(row.createdAt, Date.now())}
        </time>
      </span>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 84,
    text: (row) => row.state,
    filter: (row) => ['states', row.state],
    cell: (row) => <StatusBadge look={lookOf(DELIVERY_LOOK, row.state)} />,
  },
  {
    id: 'type',
    header: 'Type',
    width: 84,
    text: (row) => row.type,
    filter: (row) => ['types', row.type],
    cell: (row) => <span className="soft cut">{webhookTypeName(row.type)}</span>,
  },
  {
    id: 'connection',
    header: 'Connection',
    width: 124,
    grow: true,
    text: (row) => row.connectionId,
    filter: ({ connectionId }) => (connectionId === null ? undefined : ['connections', connectionId]),
    cell: (row) => (row.connectionId === null ? <Faint /> : <code className="cut">{row.connectionId}</code>),
  },
  {
    id: 'url',
    header: 'URL',
    width: 148,
    grow: true,
    text: (row) => (row.destinationName === null ? row.url : `${row.destinationName} (${row.url})`),
    cell: ({ destinationName, url }) =>
      destinationName === null ? (
        <code className="soft cut">{url.replace(/^https?:\/\//, '')}</code>
      ) : (
        <span className="cut" title={url}>
          {destinationName}
        </span>
      ),
  },
  {
    id: 'attempt',
    header: 'Attempt',
    width: 52,
    align: 'right',
    text: (row) => row.attempt,
    // The usual case is dimmed.
    cell: (row) => (
      <span className={row.attempt === 1 && row.state === 'delivered' ? 'faint' : undefined}>
        {row.attempt} of {row.mostAttempts}
      </span>
    ),
  },
  {
    id: 'answer',
    header: 'Response',
    width: 92,
    text: (row) => row.code ?? row.error,
    cell: (row) => <Response code={row.code} error={row.error} />,
  },
  {
    id: 'took',
    header: 'Took',
    width: 56,
    text: (row) => row.durationMs,
    align: 'right',
    cell: (row) => (row.durationMs === null ? <Faint /> : formatDuration(row.durationMs)),
  },
  {
    id: 'next',
    header: 'Next',
    width: 60,
    text: (row) => row.nextAttemptAt,
    align: 'right',
    cell: (row) => (row.nextAttemptAt === null ? null : <RelativeTime at={row.nextAttemptAt} />),
  },
  {
    id: 'event',
    header: 'Event',
    width: 220,
    text: (row) => row.message,
    startsHidden: true,
    cell: (row) => <span className="cut">{row.message}</span>,
  },
  {
    id: 'integration',
    header: 'Integration',
    width: 120,
    text: (row) => row.integrationKey,
    filter: ({ integrationKey }) => (integrationKey === null ? undefined : ['integrations', integrationKey]),
    startsHidden: true,
    cell: ({ integrationKey }) => (
      <span className="cut">
        {integrationKey === null ? <Faint /> : <IntegrationName integrationKey={integrationKey} />}
      </span>
    ),
  },
];

/** Status of the response, or the code of the failure that prevented one. */
export function Response({ code, error }: { code: number | null; error: string | null }) {
  if (code === null && error === null) return <Faint />;
  if (isAccepted(code)) return <span className="mono soft">{code}</span>;
  return (
    <span
      className={code === null ? 'cut' : 'mono cut'}
      style={{ color: 'var(--hp-bad)' }}
      title={code === null ? (error ?? undefined) : undefined}
    >
      {code ?? failureWord(error ?? '')}
    </span>
  );
}
