import type { ErrorCode } from '../contract/error-codes.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Operation, OperationLog } from '../log/operation.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError, isVaultLocked, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import { KeyedQueue } from '../platform/lib/keyed-queue.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { secretsOf } from '../platform/lib/secrets.ts';
import { SingleFlight } from '../platform/lib/single-flight.ts';
import type { ConnectionRow } from './connections.store.ts';
import {
  type CredentialsContext,
  type CredentialsService,
  type IssuedCredentials,
  isRenewedType,
  type RenewalFacts,
  type StoredCredentials,
} from './credentials/credentials.service.ts';
import { type RenewalJournal, UnstoredRenewals } from './unstored-renewals.ts';

/** A connection with its secrets opened. */
export interface OpenConnection {
  row: ConnectionRow;
  credentials: StoredCredentials;
  /** Includes secret fields. */
  config: Record<string, unknown>;
}

interface ConnectionRenewalOptions {
  credentials: CredentialsService;
  integrations: IntegrationsService;
  catalog: { find(name: string): ProviderEntry | undefined };
  clock: Clock;
  logger: Logger;
  log: OperationLog;
  journal: RenewalJournal;
  /** The currently stored connection; undefined when it was deleted. */
  open(connectionRowId: number): Promise<OpenConnection | undefined>;
  /** Stores renewed credentials, unless others were stored since `replaces`. */
  store(connectionRowId: number, replaces: string, issued: IssuedCredentials): Promise<void>;
  /** Called when `unstoredCount` has changed. */
  onUnstoredChanged(): void;
  /** Counts the failure and marks the connection. */
  fail(connection: ConnectionRow, failure: HomeportError, operation: Operation): Promise<void>;
}

export interface RenewalRequest {
  isForced: boolean;
  /** Also renews the JWT of a GitHub app. */
  wantsAppJwt: boolean;
  /** True when no caller waits for the credentials: then an unreachable provider is not a failure. */
  isOptional: boolean;
}

/** Renews tokens: one renewal per connection at a time, shared by all callers with the same request. */
export class ConnectionRenewal {
  readonly #options: ConnectionRenewalOptions;
  readonly #flights = new SingleFlight<void>();
  /** Different requests for one connection run one after the other, so that each sees what the previous one stored. */
  readonly #queue = new KeyedQueue();
  readonly #unstored: UnstoredRenewals;

  constructor(options: ConnectionRenewalOptions) {
    this.#options = options;
    this.#unstored = new UnstoredRenewals(options);
  }

  /**
   * Number of connections whose renewed credentials are only in memory or in the journal, because the database refused
   * them.
   */
  get unstoredCount(): number {
    return this.#unstored.count;
  }

  /**
   * Resolves when the stored credentials can be used. Throws the cause when they cannot be renewed (auth-and-connect.md
   * 4.6). Reads no data from the disk when no renewal is due.
   */
  async ensure(connection: OpenConnection, request: RenewalRequest): Promise<void> {
    const entry = this.#options.catalog.find(connection.row.provider);
    if (!entry || this.#isFresh(connection, entry, request)) return;
    const { row } = connection;
    const { isForced, wantsAppJwt, isOptional } = request;
    const requestKey = `${row.id} ${isForced ? 'forced' : 'due'} ${wantsAppJwt} ${isOptional}`;
    await this.#flights.run(requestKey, () =>
      this.#queue.run(String(row.id), () => this.#renewOnce(row.id, entry, request)),
    );
  }

  /** True when no renewal is due, so that the stored credentials can be used. */
  isFresh(connection: OpenConnection, request: RenewalRequest): boolean {
    const entry = this.#options.catalog.find(connection.row.provider);
    return !entry || this.#isFresh(connection, entry, request);
  }

  #isFresh(connection: OpenConnection, entry: ProviderEntry, request: RenewalRequest): boolean {
    if (!isRenewedType(connection.row.credentialsType)) return true;
    return this.#options.credentials.peekNeed(this.#factsOf(connection, entry, request)) === 'none';
  }

  /** Stores what the last run of the program could not store; resolves to the number of entries. */
  recover(): Promise<number> {
    return this.#unstored.recover();
  }

  /** Stores what is still in memory, in the database or in the journal. */
  stop(): Promise<void> {
    return this.#unstored.stop();
  }

  /** Checks again whether a renewal is due, because a renewal for another request may have ended meanwhile. */
  async #renewOnce(connectionRowId: number, entry: ProviderEntry, request: RenewalRequest): Promise<void> {
    // The provider no longer accepts the refresh token that is still in the database.
    await this.#unstored.store(connectionRowId);
    const connection = await this.#options.open(connectionRowId);
    if (!connection) throw new HomeportError('not_found', 'The connection was deleted.');
    const need = await this.#findNeed(connection, entry, request);
    if (need === 'none') return;
    if (need === 'exhausted' || need === 'backoff') throw refusal(need);
    const operation = this.#startOperation(connection, entry);
    try {
      await this.#renew(connection, await this.#contextOf(connection, entry, operation), operation, need === 'app-jwt');
      operation.finish('success');
    } catch (error) {
      if (!(error instanceof HomeportError)) {
        operation.finish('failed', {
          error: { message: UNEXPECTED_ERROR },
        });
        throw error;
      }
      if (isVaultLocked(error)) {
        operation.finish('cancelled', { message: error.message });
        throw error;
      }
      const failure = toFailure(error);
      if (request.isOptional && failure.code === 'provider_unreachable') {
        operation.finish('cancelled', { message: failure.message });
        throw failure;
      }
      await this.#options.fail(connection.row, failure, operation);
      operation.finish('failed', { error: { message: failure.message, type: failure.code } });
      throw failure;
    }
  }

  /** Stores renewed credentials even when a later step failed: the provider may no longer accept the old ones. */
  async #renew(
    { row, credentials: stored }: OpenConnection,
    context: CredentialsContext,
    operation: Operation,
    onlyAppJwt: boolean,
  ): Promise<void> {
    const keep = (issued: IssuedCredentials): void =>
      this.#unstored.keep({ connectionRowId: row.id, replaces: row.credentials, minted: issued });
    try {
      keep(await this.#options.credentials.renew(context, stored, { onlyAppJwt, keep }));
    } finally {
      await this.#unstored.store(row.id, operation);
    }
  }

  #findNeed(connection: OpenConnection, entry: ProviderEntry, request: RenewalRequest) {
    const facts = this.#factsOf(connection, entry, request);
    return this.#options.credentials.findNeed(() => this.#contextOf(connection, entry), facts);
  }

  #factsOf({ row, credentials, config }: OpenConnection, entry: ProviderEntry, request: RenewalRequest): RenewalFacts {
    return {
      entry,
      credentials,
      connectionConfig: config,
      isExhausted: row.isRefreshExhausted,
      lastFailureAt: row.lastRefreshFailureAt,
      obtainedAt: row.lastRefreshSuccessAt ?? row.createdAt,
      nowMs: this.#options.clock.now(),
      isForced: request.isForced,
      wantsAppJwt: request.wantsAppJwt,
    };
  }

  async #contextOf(
    { row, config }: OpenConnection,
    entry: ProviderEntry,
    operation?: Operation,
  ): Promise<CredentialsContext> {
    const { integrations } = this.#options;
    const [app, custom] = await Promise.all([
      integrations.readAppCredentials(row.environmentId, row.integrationKey),
      integrations.readCustom(row.environmentId, row.integrationKey),
    ]);
    return {
      environmentId: row.environmentId,
      entry,
      app,
      custom,
      connectionConfig: config,
      ...(operation ? { operation } : {}),
    };
  }

  #startOperation({ row, credentials }: OpenConnection, entry: ProviderEntry): Operation {
    return this.#options.log.start({
      environmentId: row.environmentId,
      type: 'auth',
      action: 'refresh_token',
      message: `Refresh the token of ${row.connectionId}`,
      integrationKey: row.integrationKey,
      providerName: entry.name,
      connectionId: row.connectionId,
      secrets: secretsOf(credentials),
    });
  }
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

type Counters = Pick<
  ConnectionRow,
  'lastRefreshFailureAt' | 'lastRefreshSuccessAt' | 'refreshAttempts' | 'isRefreshExhausted'
>;

/** A refused re-authorization ends automatic renewals at once. */
export const EXHAUSTED = { refreshAttempts: MAX_ATTEMPTS, isRefreshExhausted: true };

/**
 * The counters after another failure; only the first failure of a day counts. An unreachable provider does not count,
 * so that a computer without a network uses up no attempt.
 */
export function afterFailure(before: Counters, nowMs: number, code: ErrorCode): Counters {
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

/** The counters of working credentials. */
export function healthy(nowMs: number): Counters {
  return { lastRefreshSuccessAt: nowMs, lastRefreshFailureAt: null, refreshAttempts: 0, isRefreshExhausted: false };
}
