import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import { SingleFlight } from '../../lib/single-flight.ts';
import type { ConnectionRow } from '../../stores/connections-store.ts';
import {
  type CredentialsPlace,
  type CredentialsService,
  isRenewedType,
  type Minted,
  type StoredCredentials,
} from '../credentials/credentials-service.ts';
import type { IntegrationsService } from '../integrations/integrations-service.ts';
import type { Operation, OperationLog } from '../logs/operation.ts';
import type { RenewalJournal } from './renewal-journal.ts';

/** A connection with everything opened. */
export interface OpenConnection {
  row: ConnectionRow;
  credentials: StoredCredentials;
  /** Secret fields included. */
  config: Record<string, unknown>;
}

export interface ConnectionRenewalOptions {
  credentials: CredentialsService;
  integrations: IntegrationsService;
  catalog: { find(name: string): ProviderEntry | undefined };
  clock: Clock;
  log: OperationLog;
  journal: RenewalJournal;
  /** The connection as it is stored now; undefined when it is gone. */
  open(connectionRowId: number): Promise<OpenConnection | undefined>;
  /** Stores renewed credentials, unless others were stored since `replaces`. */
  store(connectionRowId: number, replaces: string, minted: Minted): Promise<void>;
  /** Notes a failed renewal. */
  fail(connection: ConnectionRow, failure: HomeportError, operation: Operation): Promise<void>;
}

export interface RenewalRequest {
  isForced: boolean;
  /** Also renew the JWT of a GitHub app. */
  wantsAppJwt: boolean;
  /** Nobody waits for the credentials: that a provider cannot be reached is then no failure. */
  isOptional: boolean;
}

/** Keeps tokens fresh: one renewal per connection at a time, shared by everybody who waits for it. */
export class ConnectionRenewal {
  readonly #options: ConnectionRenewalOptions;
  readonly #flights = new SingleFlight<void>();

  constructor(options: ConnectionRenewalOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the stored credentials can be used. Throws the cause when they cannot be renewed
   * (auth-and-connect.md 4.6). Reads nothing from the disk when nothing is due.
   */
  async ensure(connection: OpenConnection, request: RenewalRequest): Promise<void> {
    if (!isRenewedType(connection.row.credentialsType)) return;
    const entry = this.#options.catalog.find(connection.row.provider);
    if (!entry || (await this.#find(connection, entry, request)) === 'none') return;
    await this.#flights.run(String(connection.row.id), () => this.#renewOnce(connection.row.id, entry, request));
  }

  /** Stores what a crash kept from being stored. */
  async recover(): Promise<number> {
    const { journal, store } = this.#options;
    const entries = journal.readAll();
    for (const { name, connectionRowId, replaces, minted } of entries) {
      await store(connectionRowId, replaces, minted);
      journal.remove(name);
    }
    return entries.length;
  }

  /** Looks again: whoever came too late for a shared renewal finds its result. */
  async #renewOnce(connectionRowId: number, entry: ProviderEntry, request: RenewalRequest): Promise<void> {
    const connection = await this.#options.open(connectionRowId);
    if (!connection) throw new HomeportError('not_found', 'The connection was deleted.');
    const need = await this.#find(connection, entry, request);
    if (need === 'none') return;
    if (need === 'exhausted' || need === 'backoff') throw refusal(need);
    const operation = this.#startOperation(connection, entry);
    try {
      await this.#renew(connection, await this.#placeOf(connection, entry, operation), need === 'app-jwt');
      operation.finish('success');
    } catch (error) {
      if (!(error instanceof HomeportError)) {
        operation.finish('failed', { error: { message: 'The hub itself failed; its log has more.' } });
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

  /** Stores what was renewed also when a later step failed: the provider may have forgotten what it replaced. */
  async #renew({ row, credentials: stored }: OpenConnection, place: CredentialsPlace, onlyAppJwt: boolean) {
    const { credentials, journal, store } = this.#options;
    const kept: Array<{ name: string; minted: Minted }> = [];
    const keep = (minted: Minted): void => {
      kept.push({ name: journal.write({ connectionRowId: row.id, replaces: row.credentials, minted }), minted });
      if (kept.length > 1) journal.remove(kept.shift()?.name ?? '');
    };
    try {
      keep(await credentials.renew(place, stored, { onlyAppJwt, keep }));
    } finally {
      for (const { name, minted } of kept) {
        await store(row.id, row.credentials, minted);
        journal.remove(name);
      }
    }
  }

  #find(connection: OpenConnection, entry: ProviderEntry, { isForced, wantsAppJwt }: RenewalRequest) {
    const { row, credentials, config } = connection;
    return this.#options.credentials.findNeed(() => this.#placeOf(connection, entry), {
      entry,
      credentials,
      connectionConfig: config,
      isExhausted: row.isRefreshExhausted,
      lastFailureAt: row.lastRefreshFailureAt,
      nowMs: this.#options.clock.now(),
      isForced,
      wantsAppJwt,
    });
  }

  async #placeOf(
    { row, config }: OpenConnection,
    entry: ProviderEntry,
    operation?: Operation,
  ): Promise<CredentialsPlace> {
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
      secrets: textsOf(credentials),
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

/** A refresh answers with the code of refreshes, also where it failed as an exchange does. */
function toFailure(error: HomeportError): HomeportError {
  if (error.code !== 'unable_to_parse_token_response' && error.code !== 'token_exchange_failed') return error;
  return new HomeportError('refresh_token_external_error', error.message, { cause: error });
}

/** Every text that must not appear in the log. */
function textsOf(credentials: StoredCredentials): string[] {
  return Object.entries(credentials).flatMap(([name, value]) =>
    name !== 'type' && name !== 'expires_at' && typeof value === 'string' && value.length > 3 ? [value] : [],
  );
}
