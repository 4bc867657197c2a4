import type { ErrorCode } from '../contract/error-codes.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Operation, OperationLog } from '../log/operation.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError, isHubFault, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import { KeyedQueue } from '../platform/lib/keyed-queue.ts';
import type { MaybePromise } from '../platform/lib/maybe-promise.ts';
import { secretsOf } from '../platform/lib/secrets.ts';
import { SingleFlight } from '../platform/lib/single-flight.ts';
import { healthy, type RefreshCounters, type StoredConnection } from './connection.ts';
import type { CachedConnection, ConnectionCache } from './connection-cache.ts';
import type { ConnectionRow, ConnectionsStore } from './connections.store.ts';
import {
  type CredentialsContext,
  type CredentialsService,
  type IssuedCredentials,
  isRenewedType,
  type RenewalFacts,
} from './credentials/credentials.service.ts';
import type { RenewalJournal } from './renewal-journal.ts';

export interface RenewalRequest {
  isForced: boolean;
  /** Also renews the JWT of a GitHub app. */
  wantsAppJwt: boolean;
  /** True when no caller waits for the credentials: then an unreachable provider is not a failure. */
  isOptional: boolean;
}

export type Renewal = ReturnType<typeof createRenewal>;

/** Renews tokens: one renewal per connection at a time, shared by all callers with the same request. */
export function createRenewal({
  database,
  connectionsStore,
  rows,
  journal,
  credentials,
  integrations,
  catalog,
  clock,
  log,
  onChanged,
  onFailed,
}: {
  database: Database;
  connectionsStore: ConnectionsStore;
  rows: ConnectionCache;
  journal: RenewalJournal;
  credentials: CredentialsService;
  integrations: IntegrationsService;
  catalog: { find(name: string): ProviderEntry | undefined };
  clock: Clock;
  log: OperationLog;
  /** Called after a row was changed. */
  onChanged(connection: ConnectionRow): void;
  /** Called for each failed renewal or test, in the transaction that marks the connection. */
  onFailed(tx: Transaction, connection: ConnectionRow, failure: HomeportError): Promise<void>;
}) {
  const flights = new SingleFlight<void>();
  /** Different requests for one connection run one after the other, so that each sees what the previous one stored. */
  const queue = new KeyedQueue();

  /** True when no renewal is due, so that the stored credentials can be used. Reads no data from the disk. */
  function isFresh(row: CachedConnection, request: RenewalRequest): boolean {
    const entry = catalog.find(row.provider);
    if (!entry || !isRenewedType(row.credentialsType)) return true;
    return credentials.peekNeed(factsOf(row, entry, request)) === 'none';
  }

  /**
   * Resolves when the stored credentials can be used, at once when they can be used as they are. Throws the cause when
   * they cannot be renewed (auth-and-connect.md 4.6). Resolves to the connection with a token that is for this caller
   * only, when the provider takes each token once.
   */
  function ensureFresh(row: CachedConnection, request: RenewalRequest): MaybePromise<CachedConnection | undefined> {
    return isFresh(row, request) ? undefined : makeFresh(row, request);
  }

  async function makeFresh(row: CachedConnection, request: RenewalRequest): Promise<CachedConnection | undefined> {
    if (catalog.find(row.provider)?.token?.singleUse) return renewForOne(row.id, request);
    const { isForced, wantsAppJwt, isOptional } = request;
    const requestKey = `${row.id} ${isForced ? 'forced' : 'due'} ${wantsAppJwt} ${isOptional}`;
    await flights.run(requestKey, () => queue.run(String(row.id), () => renew(row.id, request)));
    return undefined;
  }

  /** Shared with nobody, and read before the next caller renews. */
  function renewForOne(connectionRowId: number, request: RenewalRequest): Promise<CachedConnection | undefined> {
    return queue.run(String(connectionRowId), async () => {
      await renew(connectionRowId, request);
      return rows.findByRowId(connectionRowId);
    });
  }

  async function renew(connectionRowId: number, request: RenewalRequest): Promise<void> {
    // The provider no longer accepts the refresh token that is still in the database.
    await journal.store(connectionRowId);
    const row = await rows.findByRowId(connectionRowId);
    if (!row) throw new HomeportError('not_found', 'The connection was deleted.');
    const entry = catalog.find(row.provider);
    if (!entry) return;
    // Asked again, because a renewal for another request may have ended meanwhile.
    const need = await credentials.findNeed(() => contextOf(row, entry), factsOf(row, entry, request));
    if (need === 'none') return;
    if (need === 'exhausted' || need === 'backoff') throw refusal(need);

    const operation = startOperation(row, entry);
    try {
      await askProvider(row, await contextOf(row, entry, operation), operation, need === 'app-jwt');
      operation.finish('success');
    } catch (error) {
      if (!(error instanceof HomeportError)) {
        operation.finish('failed', { error: { message: UNEXPECTED_ERROR } });
        throw error;
      }
      if (isHubFault(error)) {
        operation.finish('cancelled', { message: error.message });
        throw error;
      }
      const failure = toFailure(error);
      if (request.isOptional && failure.code === 'provider_unreachable') {
        operation.finish('cancelled', { message: failure.message });
        throw failure;
      }
      await noteFailure(row, failure, operation);
      operation.finish('failed', { error: { message: failure.message, type: failure.code } });
      throw failure;
    }
  }

  /** Stores renewed credentials even when a later step failed: the provider may no longer accept the old ones. */
  async function askProvider(
    row: CachedConnection,
    context: CredentialsContext,
    operation: Operation,
    onlyAppJwt: boolean,
  ): Promise<void> {
    // The computer may sleep, or its clock be set, before the response is read and stored.
    const askedAt = clock.now();
    const keep = (issued: IssuedCredentials): void =>
      journal.keep({ connectionRowId: row.id, replaces: row.credentials, issued, askedAt });
    try {
      keep(await credentials.renew(context, rows.credentialsOf(row), { onlyAppJwt, keep }));
    } finally {
      await journal.store(row.id, operation);
    }
  }

  /** Counts a failed renewal or test, marks the connection and calls `onFailed` (auth-and-connect.md 4.6). */
  async function noteFailure(
    { integrationId, connectionId }: Pick<StoredConnection, 'integrationId' | 'connectionId'>,
    failure: HomeportError,
    operation: Operation,
  ): Promise<void> {
    const now = clock.now();
    await database.transaction(async (tx) => {
      const row = await connectionsStore.find(tx, integrationId, connectionId);
      if (!row) return;
      await connectionsStore.update(tx, row.id, { ...row, ...afterFailure(row, now, failure.code) }, now);
      await connectionsStore.upsertError(tx, { id: row.id, type: 'auth', source: '', logId: operation.id, now });
      await onFailed(tx, row, failure);
      tx.afterCommit(() => onChanged(row));
    });
  }

  /** Clears the errors of credentials that were tested and work. */
  async function noteSuccess(connection: StoredConnection): Promise<void> {
    if (connection.lastRefreshFailureAt === null && connection.errors.every(({ type }) => type !== 'auth')) return;
    const now = clock.now();
    await database.transaction(async (tx) => {
      const row = await connectionsStore.find(tx, connection.integrationId, connection.connectionId);
      if (!row) return;
      await connectionsStore.update(tx, row.id, { ...row, ...healthy(now) }, now);
      await connectionsStore.removeErrors(tx, row.id, 'auth', '');
      tx.afterCommit(() => onChanged(row));
    });
  }

  function factsOf(row: CachedConnection, entry: ProviderEntry, request: RenewalRequest): RenewalFacts {
    return {
      entry,
      credentials: rows.credentialsOf(row),
      expiresAt: row.credentialsExpireAt,
      connectionConfig: rows.configOf(row),
      isExhausted: row.isRefreshExhausted,
      lastFailureAt: row.lastRefreshFailureAt,
      obtainedAt: row.credentialsObtainedAt ?? row.createdAt,
      nowMs: clock.now(),
      isForced: request.isForced,
      wantsAppJwt: request.wantsAppJwt,
    };
  }

  async function contextOf(
    row: CachedConnection,
    entry: ProviderEntry,
    operation?: Operation,
  ): Promise<CredentialsContext> {
    const [app, custom] = await Promise.all([
      integrations.readAppCredentials(row.environmentId, row.integrationKey),
      integrations.readCustom(row.environmentId, row.integrationKey),
    ]);
    return {
      environmentId: row.environmentId,
      entry,
      app,
      custom,
      connectionConfig: rows.configOf(row),
      ...(operation ? { operation } : {}),
    };
  }

  function startOperation(row: CachedConnection, entry: ProviderEntry): Operation {
    return log.start({
      environmentId: row.environmentId,
      type: 'auth',
      action: 'refresh_token',
      message: `Refresh the token of ${row.connectionId}`,
      integrationKey: row.integrationKey,
      providerName: entry.name,
      connectionId: row.connectionId,
      secrets: secretsOf(rows.credentialsOf(row)),
    });
  }

  return { isFresh, ensureFresh, noteFailure, noteSuccess };
}

const REFUSALS = {
  exhausted: [
    'connection_refresh_exhausted',
    'Refreshing the token failed on four days. Reconnect the account, or force a refresh.',
  ],
  backoff: [
    'connection_refresh_backoff',
    'Refreshing the token failed less than 30 seconds ago. Try again later, or force a refresh.',
  ],
} as const;

function refusal(need: keyof typeof REFUSALS): HomeportError {
  const [code, message] = REFUSALS[need];
  return new HomeportError(code, message);
}

/** Some refreshes fail with a code of the code exchange; callers get the code of refreshes instead. */
function toFailure(error: HomeportError): HomeportError {
  if (error.code !== 'unable_to_parse_token_response' && error.code !== 'token_exchange_failed') return error;
  return new HomeportError('refresh_token_external_error', error.message, { cause: error });
}

/** Automatic renewals end after failures on this many days (auth-and-connect.md 4.6). */
const MAX_ATTEMPTS = 4;

/**
 * The counters after another failure; only the first failure of a day counts. An unreachable provider does not count,
 * so that a computer without a network uses up no attempt.
 */
function afterFailure(before: RefreshCounters, nowMs: number, code: ErrorCode): RefreshCounters {
  const { lastRefreshFailureAt: last, refreshAttempts } = before;
  const isCounted =
    code !== 'provider_unreachable' && (last === null || refreshAttempts === 0 || dayOf(last) !== dayOf(nowMs));
  const attempts = isCounted ? refreshAttempts + 1 : refreshAttempts;
  return {
    lastRefreshFailureAt: nowMs,
    lastRefreshSuccessAt: null,
    refreshAttempts: attempts,
    isRefreshExhausted: attempts >= MAX_ATTEMPTS,
  };
}

function dayOf(ms: number): number {
  return Math.floor(ms / 86_400_000);
}
