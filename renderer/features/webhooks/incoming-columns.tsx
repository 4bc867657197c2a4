import type { WebhookRow } from '../../api/contract.ts';
import { IntegrationName } from '../../api/integrations/IntegrationName.tsx';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import type { Column } from '../../components/table/columns.ts';
import { formatBytes } from '../../lib/format-number.ts';
import { clockWidth, formatClock, formatDuration } from '../../lib/format-time.ts';
import { DELIVERY_LOOK, INCOMING_LOOK, lookOf, SIGNATURE_LOOK, WEBHOOK_RUN_LOOK } from '../../lib/status.ts';

/** Outcomes of webhooks that were read, and may concern connections. */
const TAKEN: readonly string[] = ['handled', 'forwarded', 'ignored', 'failed'];

const Faint = () => <span className="faint">–</span>;

export const incomingColumns = (): Column<WebhookRow>[] => [
  {
    id: 'time',
    header: 'Time',
    width: clockWidth(124),
    sort: 'time',
    text: (row) => row.receivedAt,
    cell: (row) => (
      <span className="row">
        <ProviderLogo provider={row.provider} name={row.integrationKey} size={14} />
        <time dateTime={row.receivedAt} className="mono soft">
          {formatClock(row.receivedAt, Date.now())}
        </time>
      </span>
    ),
  },
  {
    id: 'outcome',
    header: 'Outcome',
    width: 124,
    text: (row) => row.outcome,
    filter: (row) => ['outcomes', row.outcome],
    cell: (row) => <StatusBadge look={lookOf(INCOMING_LOOK, row.outcome)} />,
  },
  {
    id: 'event',
    header: 'Event',
    width: 116,
    grow: true,
    text: (row) => row.eventTypes.join(' '),
    cell: (row) => (row.eventTypes.length > 0 ? <code className="cut">{row.eventTypes.join(', ')}</code> : <Faint />),
  },
  {
    id: 'integration',
    header: 'Integration',
    width: 92,
    text: (row) => row.integrationKey,
    filter: (row) => ['integrations', row.integrationKey],
    cell: (row) => (
      <span className="cut">
        <IntegrationName integrationKey={row.integrationKey} />
      </span>
    ),
  },
  {
    id: 'connection',
    header: 'Connections',
    width: 84,
    grow: true,
    text: (row) => row.connectionIds.join(' '),
    filter: ({ connectionIds: [first] }) => (first === undefined ? undefined : ['connections', first]),
    cell: (row) => (TAKEN.includes(row.outcome) ? <Connections ids={row.connectionIds} /> : <Faint />),
  },
  {
    id: 'signature',
    header: 'Signature',
    width: 100,
    text: (row) => row.signature,
    cell: ({ signature }) =>
      signature === null ? <Faint /> : <StatusBadge look={lookOf(SIGNATURE_LOOK, signature)} />,
  },
  {
    id: 'runs',
    header: 'Handler',
    width: 76,
    text: (row) => row.runs.map((run) => run.state).join(' '),
    cell: (row) => <Runs runs={row.runs} />,
  },
  {
    id: 'forwards',
    header: 'Forwarded',
    width: 84,
    text: (row) => (row.forwards === 0 ? null : [row.forwardState, row.forwards].filter(Boolean).join(' ')),
    cell: (row) => <Forwarded row={row} />,
  },
  {
    id: 'status',
    header: 'Response',
    width: 48,
    text: (row) => row.status,
    align: 'right',
    // The outcome says the same in a word.
    startsHidden: true,
    cell: (row) => <span className="mono">{row.status}</span>,
  },
  {
    id: 'size',
    header: 'Size',
    width: 56,
    align: 'right',
    sort: 'size',
    text: (row) => row.sizeBytes,
    cell: (row) => formatBytes(row.sizeBytes),
  },
  {
    id: 'took',
    header: 'Took',
    width: 56,
    align: 'right',
    sort: 'duration',
    text: (row) => row.durationMs,
    startsHidden: true,
    cell: (row) => formatDuration(row.durationMs),
  },
];

function Connections({ ids }: { ids: string[] }) {
  const [first, ...others] = ids;
  if (first === undefined) return <span className="faint">No match</span>;
  return (
    <span className="cut">
      <code>{first}</code>
      {others.length > 0 && <span className="faint"> and {others.length} more</span>}
    </span>
  );
}

/** The state of the deliveries that forward it, and their number. */
function Forwarded({ row: { forwards, forwardState } }: { row: WebhookRow }) {
  if (forwards === 0) return <Faint />;
  if (forwardState === null) return forwards;
  return (
    <span className="row">
      <StatusBadge look={lookOf(DELIVERY_LOOK, forwardState)} />
      {forwards > 1 && <span className="faint">{forwards}</span>}
    </span>
  );
}

/** The state that most needs attention stands for all. */
const WORST_FIRST = ['failed', 'expired', 'running', 'queued', 'success'];

function Runs({ runs }: { runs: WebhookRow['runs'] }) {
  const worst = WORST_FIRST.find((state) => runs.some((run) => run.state === state));
  return worst === undefined ? <Faint /> : <StatusBadge look={lookOf(WEBHOOK_RUN_LOOK, worst)} />;
}
