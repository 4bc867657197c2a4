import type { ShownFailure } from '../destinations/destinations.service.ts';
import { causeOf, type FailureFacts, type Refusal, reasonOf } from '../platform/lib/failure-cause.ts';
import type { OpenFailureRow, ProblemRow } from './overview.store.ts';

/** Failures with one cause (design.md 7.52). */
export interface FailureGroup<Member> {
  /** Identifies the cause within the environment. */
  cause: string;
  /** Why they failed: in full for a single failure, else without what differs between them. */
  reason: string;
  /** The reason if it may appear on a locked screen. */
  safeReason: string | null;
  /** The refusal of the newest failure. */
  refusal: Refusal | null;
  /** Time of the newest failure, in milliseconds since the epoch. */
  at: number;
  /** Newest first, at least one. */
  members: [Member, ...Member[]];
}

export type SyncGroup = FailureGroup<ProblemRow & { sync: string; variant: string; syncRowId: number }>;
export type SignInGroup = FailureGroup<ProblemRow>;
export type DeliveryGroup = FailureGroup<OpenFailureRow> & { count: number };

/** A function of an integration. */
export interface FunctionOfCause {
  integrationKey: string;
  sync: string;
}

/** A record destination that fails, told by its cause. */
export interface DestinationGroup {
  cause: string;
  /** What happened and what to do; it names hosts and tables, never a secret or a record. */
  reason: string;
  member: ShownFailure;
}

/** Credentials that end by themselves have no operation that says why. */
const EXPIRED = 'The access has expired, and nothing can renew it';

type Kind = 'sync' | 'sign-in' | 'webhooks' | 'destination';

/** Causes of a function's failures begin with this text. */
export const syncCauses = ({ integrationKey, sync }: FunctionOfCause): string =>
  causeStart('sync', [integrationKey, sync]);
/** Causes of sign-ins that an integration needs, or all integrations. */
export const signInCauses = (integrationKey?: string): string =>
  integrationKey === undefined ? 'sign-in ' : causeStart('sign-in', [integrationKey]);
export const DELIVERY_CAUSES = 'webhooks ';
export const DESTINATION_CAUSES = 'destination ';

const causeStart = (kind: Kind, of: readonly string[]): string => `${kind} ${JSON.stringify(of).slice(0, -1)},`;
const causeText = (kind: Kind, of: readonly string[], key: string): string => `${kind} ${JSON.stringify([...of, key])}`;

/** Failing syncs by cause, in their order. */
export function groupSyncs(rows: readonly ProblemRow[]): SyncGroup[] {
  return groupBy(
    rows.flatMap((row) => (isSyncRow(row) ? [row] : [])),
    (row) => ({ kind: 'sync', of: [row.integrationKey, row.sync] }),
  );
}

/** Connections that need a sign-in, by cause, in their order. */
export function groupSignIns(rows: readonly ProblemRow[]): SignInGroup[] {
  return groupBy(
    rows.map((row) => (row.operationId === null ? { ...row, error: EXPIRED } : row)),
    (row) => ({ kind: 'sign-in', of: [row.integrationKey] }),
  );
}

/** Webhooks that were given up, by destination and outcome, in their order. */
export function groupDeliveries(rows: readonly OpenFailureRow[]): DeliveryGroup[] {
  const groups = new Map<string, DeliveryGroup>();
  for (const row of rows) {
    const { code, lastError } = row;
    const message = code === null ? (lastError ?? '') : `HTTP ${code}`;
    const { key, reason } = causeOf({ message });
    // The address of a destination may contain secrets; its id and its number do not.
    const cause = causeText('webhooks', [row.webhookDestinationId ?? String(row.destination)], key);
    const known = groups.get(cause);
    if (known) {
      known.members.push(row);
      known.count += row.count;
    } else {
      const safeReason = code === null ? null : `It answered ${code}.`;
      groups.set(cause, { cause, reason, safeReason, refusal: null, at: row.at, members: [row], count: row.count });
    }
  }
  return [...groups.values()];
}

/** Each failing destination with its cause: the kind of the failure, and its message without what varies. */
export function groupDestinations(rows: readonly ShownFailure[]): DestinationGroup[] {
  return rows.map((member) => {
    const { key } = causeOf({ message: member.message, type: member.code });
    return { cause: causeText('destination', [member.id], key), reason: member.message, member };
  });
}

function isSyncRow(row: ProblemRow): row is SyncGroup['members'][0] {
  return row.sync !== null && row.variant !== null && row.syncRowId !== null;
}

/** The rows by cause, in their order. */
function groupBy<Row extends ProblemRow>(
  rows: readonly Row[],
  subject: (row: Row) => { kind: Kind; of: readonly string[] },
): FailureGroup<Row>[] {
  const groups = new Map<string, FailureGroup<Row>>();
  for (const row of rows) {
    const { kind, of } = subject(row);
    const facts = factsOf(row);
    const variables = [row.connectionId, ...(row.displayName === null ? [] : [row.displayName])];
    const { key, reason, safeReason } = causeOf(facts, variables);
    const cause = causeText(kind, of, key);
    const known = groups.get(cause);
    if (known) {
      known.members.push(row);
      known.reason = reason;
      continue;
    }
    // A single failure is told with its own numbers and ids.
    groups.set(cause, {
      cause,
      reason: reasonOf(facts),
      safeReason,
      refusal: facts.refusal ?? null,
      at: row.at,
      members: [row],
    });
  }
  return [...groups.values()];
}

const factsOf = ({ error, errorType, refusal }: ProblemRow): FailureFacts => ({
  message: error,
  type: errorType,
  refusal: refusal === null ? null : (JSON.parse(refusal) as Refusal),
});
