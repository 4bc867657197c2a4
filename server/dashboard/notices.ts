import type { Pairing } from '../environments/app-pairings.ts';
import type { DeployedFunction } from '../functions/deployments/deployed-function.ts';
import type { WatchedChange } from '../functions/drift-changes.ts';
import type { DriftEvents } from '../functions/drift-watch.service.ts';
import type { Approval } from '../mcp/mcp.service.ts';
import type { NotificationAction, NotificationKind, NotifiedView } from './dashboard-notifications.contract.ts';
import type { DeliveryGroup, DestinationGroup, SignInGroup, SyncGroup } from './overview.service.ts';

/** A notification to create. Its texts contain nothing that must not appear on a locked screen. */
export interface Notice {
  kind: NotificationKind;
  /** Identifies the notification in its environment: there is one per cause. */
  cause: string;
  title: string;
  text: string | null;
  /** Path below the pages of the environment; below `/app` for the whole hub. */
  link: string;
  action: NotificationAction;
  /** Number of occurrences, when stored state determines it. Absent: occurrences are counted. */
  count?: number;
  /** Number of new occurrences, when they are counted. Default 1. */
  more?: number;
  /**
   * For failures: the number of connections or webhooks that fail for this cause, which decides whether it is told
   * again (`isToldAgain`).
   */
  size?: number;
}

/** More do not fit. */
const MAX_CHANGES = 5;

interface ConnectionName {
  integrationKey: string;
  connectionId: string;
}

export function signInNotice({ cause, members, safeReason }: SignInGroup): Notice {
  const [newest] = members;
  const { integrationKey } = newest;
  const isOne = members.length === 1;
  const whose = isOne ? 'its' : 'their';
  // Without an operation nobody refused anything: the time of the credentials is over.
  const unsaid =
    newest.operationId === null
      ? `${isOne ? 'Its' : 'Their'} access has expired.`
      : `The provider refuses ${whose} credentials.`;
  const why = safeReason === null ? unsaid : `${safeReason}.`;
  return {
    kind: 'sign-in',
    cause,
    title: isOne
      ? `A connection of ${integrationKey} needs sign-in again`
      : `${integrationKey} needs sign-in again on ${members.length} connections`,
    text: isOne ? connectionText(newest.connectionId, why) : why,
    link: isOne ? `${connectionPath(newest)}/auth` : connectionsPath(integrationKey, 'auth_error'),
    action: 'reconnect',
    count: members.length,
    size: members.length,
  };
}

/** `failures`: how often the sync failed in a row. */
export function syncNotice({ cause, members, safeReason }: SyncGroup, failures: number): Notice {
  const [newest] = members;
  const { integrationKey, sync } = newest;
  const isOne = members.length === 1;
  const why = safeReason === null ? '' : `: ${safeReason}`;
  const what = `A sync of ${integrationKey}.`;
  return {
    kind: 'sync',
    cause,
    title: isOne
      ? `${sync} failed ${failures === 1 ? 'once' : `${failures} times in a row`}${why}`
      : `${sync} fails on ${members.length} connections${why}`,
    text: isOne ? connectionText(newest.connectionId, what) : what,
    link: isOne ? `${connectionPath(newest)}/syncs` : connectionsPath(integrationKey, 'sync_error'),
    action: 'run',
    count: isOne ? failures : members.length,
    size: members.length,
  };
}

export function webhookNotice({ cause, count, safeReason }: DeliveryGroup): Notice {
  return {
    kind: 'webhook',
    cause,
    title: count > 1 ? `Your app did not accept ${count} webhooks` : 'Your app did not accept a webhook',
    text: safeReason ?? 'It did not answer.',
    link: '/webhooks?direction=outgoing&states=failed',
    action: 'replay',
    count,
    size: count,
  };
}

export function approvalNotice({ clientName, id, reasons, tool }: Approval): Notice {
  return {
    kind: 'approval',
    cause: `approval ${id}`,
    title: `${nameOf(clientName) ?? 'An agent'} asks to run ${tool}`,
    text: [...reasons, 'Without an answer it is denied after a minute.'].join(' '),
    link: '/mcp',
    action: 'review',
  };
}

const DESTINATION_TEXTS: Readonly<Record<string, string>> = {
  destination_unreachable: 'It cannot be reached. The changes wait; none is lost.',
  destination_refused: 'It refuses the hub. The changes wait; none is lost.',
  destination_changed: 'A table was changed by hand. A replay from the beginning fills it again.',
  destination_taken: 'It belongs to another hub or destination.',
};

/** Until a delivery succeeds, or a person pauses or deletes it. */
export function destinationNotice({ cause, member }: DestinationGroup): Notice {
  const { failures, name } = member;
  return {
    kind: 'destination',
    cause,
    title: `Records do not reach ${nameOf(name) ?? 'a destination'}`,
    text: DESTINATION_TEXTS[member.code] ?? 'The changes wait; none is lost.',
    link: `/destinations?destination=${encodeURIComponent(member.id)}`,
    action: 'review',
    count: failures,
    size: 1,
  };
}

/** Until the answers fit the recordings again. */
export function driftNotice({ changes, integrationKey, problem }: DriftEvents['drift']): Notice {
  const [first] = changes;
  const more = changes.length - 1;
  return {
    kind: 'drift',
    cause: `drift ${integrationKey}`,
    title: first
      ? `${integrationKey} answers in another form: ${first.field} ${first.kind === 'gone' ? 'is gone' : `is ${first.after}`}${more > 0 ? `, and ${more} more` : ''}`
      : `The drift watch of ${integrationKey} compared nothing`,
    text: changes.length > 0 ? `${changes.slice(0, MAX_CHANGES).map(describeChange).join(' ')}` : problem,
    link: `/integrations/${encodeURIComponent(integrationKey)}/settings`,
    action: 'review',
    count: Math.max(1, changes.length),
    size: Math.max(1, changes.length),
  };
}

/** Until a run has written every file. */
export function snapshotNotice(problem: string | null): Notice {
  return {
    kind: 'snapshot',
    cause: 'snapshot',
    title: 'The Parquet files of the environment are not up to date',
    text: problem && `${problem} The next run tries again; the files of before stay as they are.`,
    link: '/destinations',
    action: 'review',
    count: 1,
    size: 1,
  };
}

function describeChange({ after, before, field, functions, isRead, kind, request }: WatchedChange): string {
  const what = kind === 'gone' ? `${field} is gone (${before})` : `${field} was ${before}, is ${after}`;
  return `${request}: ${what}. ${isRead ? 'Read by' : 'Requested by'} ${functions.join(', ')}.`;
}

/** Until the next message arrives. */
export function unsentNotice(problem: string): Notice {
  return {
    kind: 'approval',
    cause: 'unsent',
    title: 'Questions of agents do not arrive where you want them',
    text: `${problem} They can be answered in this window.`,
    link: '/environment-settings#approvals',
    action: 'review',
    count: 1,
    size: 1,
  };
}

export function pairingNotice({ id, name }: Pairing): Notice {
  return {
    kind: 'approval',
    cause: `pairing ${id}`,
    title: `${nameOf(name) ?? 'An app'} asks for a key`,
    text: 'It waits two minutes for your answer.',
    link: '/apps',
    action: 'keys',
  };
}

export function functionNotice({ integrationKey, name, path, type, version }: DeployedFunction): Notice {
  return {
    kind: 'function',
    cause: `function ${path}`,
    title: `${path} does not compile`,
    text: version === null ? 'It does not run until it is fixed.' : `Version ${version} keeps running.`,
    link: `/integrations/${encodeURIComponent(integrationKey)}/functions/${encodeURIComponent(name)}?type=${type}#code`,
    action: 'code',
    count: 1,
    size: 1,
  };
}

/** The beginning of the causes of all notices about the use of a key. */
export const accessCauses = (keyId: number): string => `access ${keyId} `;

/** `program`: another program now uses the key; null: the app reads credentials for the first time. */
export function accessNotice({ app, keyId, program }: { app: string; keyId: number; program: string | null }): Notice {
  const name = nameOf(app);
  const key = name === null ? 'An app' : `The key “${name}”`;
  return {
    kind: 'access',
    cause: `${accessCauses(keyId)}${program ?? ''}`,
    title: program === null ? `${key} read credentials for the first time` : `${key} is used by a new program`,
    text: program === null ? 'Revoke its key if you do not know it.' : nameOf(program),
    link: '/apps?tab=audit',
    action: 'keys',
    count: 1,
  };
}

export function updateNotice(version: string): Notice {
  return {
    kind: 'update',
    cause: 'update',
    title: `Homeport ${version} is ready`,
    text: 'It is installed after you confirm, as soon as no run is active.',
    link: '/settings/updates',
    action: 'update',
    count: 1,
  };
}

export function diskNotice(freeBytes: number): Notice {
  return {
    kind: 'disk',
    cause: 'disk',
    title: `The disk is nearly full: ${Math.max(Math.round(freeBytes / 1_000_000), 0)} MB are free`,
    text: 'Without space Homeport stores nothing more. Free some, or shorten how long logs are kept.',
    link: '/settings/data',
    action: 'data',
    count: 1,
    size: 1,
  };
}

/** `name` is a person's own text, and may appear on a locked screen. */
export function viewNotice({ name, filter }: NotifiedView, more: number): Notice {
  const shown = nameOf(name);
  const parts = Object.entries(filter).flatMap(([part, value]): [string, string][] => (value ? [[part, value]] : []));
  return {
    kind: 'view',
    cause: `view ${name}`,
    title: shown === null ? 'New operations in a saved view' : `New operations in ${shown}`,
    text: null,
    link: `/logs?${new URLSearchParams(parts)}`,
    action: 'log',
    more,
  };
}

const connectionsPath = (integrationKey: string, status: 'auth_error' | 'sync_error'): string =>
  `/connections?${new URLSearchParams({ integrations: integrationKey, status })}`;

function connectionPath(of: ConnectionName): string {
  return `/connections/${encodeURIComponent(of.integrationKey)}/${encodeURIComponent(of.connectionId)}`;
}

const MAX_NAME_LENGTH = 80;

/** A name that may appear on a locked screen; null for a text that may be an e-mail address. */
function nameOf(name: string): string | null {
  const clean = name.replace(/\p{C}+/gu, ' ').trim();
  if (clean === '' || clean.includes('@')) return null;
  return clean.length > MAX_NAME_LENGTH ? `${clean.slice(0, MAX_NAME_LENGTH)}…` : clean;
}

function connectionText(connectionId: string, sentence: string): string {
  const name = nameOf(connectionId);
  return name === null ? sentence : `${sentence} Connection ${name}.`;
}
