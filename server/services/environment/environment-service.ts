import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import type { ApiKeysStore } from '../../stores/api-keys-store.ts';
import type { EnvironmentRow, EnvironmentsStore } from '../../stores/environments-store.ts';
import type { Vault } from '../../vault/vault.ts';
import { DEFAULT_SETTINGS, type EnvironmentSettings } from './environment-settings.ts';

export interface Environment {
  id: number;
  uuid: string;
  name: string;
  settings: EnvironmentSettings;
}

/** Who calls: an environment and what the key may do there. */
export interface Caller {
  environment: Environment;
  keyId: number;
  scopes: readonly string[];
}

export interface EnvironmentServiceOptions {
  database: Database;
  environments: EnvironmentsStore;
  apiKeys: ApiKeysStore;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  /** Level of function logs where an environment sets none (design.md 3). */
  defaultLogLevel: FunctionLevel | undefined;
}

export type FunctionLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

/** Environment variables that set the level of function logs (functions.md 3.9), the own name first. */
const LEVEL_VARIABLES = ['HOMEPORT_LOGGER_LEVEL', 'NANGO_LOGGER_LEVEL'];
const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error', 'off'];

const DEFAULT_KEY_NAME = 'default';
/** Last use of a key is written at most once a minute (http-api.md 1.3). */
const TOUCH_EVERY_MS = 60_000;

/** Environments, their secret keys, settings and variables. */
export class EnvironmentService {
  readonly #options: EnvironmentServiceOptions;
  readonly #environments = new Map<number, Environment>();
  /** By secret key, in memory only; this process is the only writer, so the cache is dropped on every change. */
  readonly #callers = new Map<string, Caller>();
  readonly #touchedAt = new Map<number, number>();
  readonly #variables = new Map<number, Array<{ name: string; value: string }>>();

  constructor(options: EnvironmentServiceOptions) {
    this.#options = options;
  }

  /** Loads the environments; makes `dev` with its secret key on the first start. */
  async start(fixedSecretKey?: string): Promise<void> {
    const rows = await this.#options.environments.list(this.#options.database.reader);
    for (const row of rows) this.#remember(row);
    if (rows.length === 0) await this.#create('dev');
    const dev = this.list()[0];
    if (dev && fixedSecretKey) await this.#fixSecretKey(dev, fixedSecretKey);
  }

  list(): Environment[] {
    return [...this.#environments.values()];
  }

  find(id: number): Environment | undefined {
    return this.#environments.get(id);
  }

  findByName(name: string): Environment | undefined {
    return this.list().find((environment) => environment.name === name);
  }

  /** The caller that a secret key belongs to. */
  async authenticate(secretKey: string): Promise<Caller | undefined> {
    const caller = this.#callers.get(secretKey) ?? (await this.#findCaller(secretKey));
    if (caller) this.#touch(caller.keyId);
    return caller;
  }

  async #findCaller(secretKey: string): Promise<Caller | undefined> {
    const { apiKeys, database, vault } = this.#options;
    const key = await apiKeys.findByHash(database.reader, vault.lookupHash(secretKey.toLowerCase()));
    const environment = key && this.#environments.get(key.environmentId);
    if (!key || !environment) return undefined;
    const caller = { environment, keyId: key.id, scopes: key.scopes };
    this.#callers.set(secretKey, caller);
    return caller;
  }

  /** The default secret key of an environment, for display. */
  async revealSecretKey(environmentId: number): Promise<string> {
    const { apiKeys, database, vault } = this.#options;
    const key = await apiKeys.findByName(database.reader, environmentId, DEFAULT_KEY_NAME);
    if (!key) throw new Error('The environment has no default key.');
    return vault.open(key.secret, secretContext(environmentId, DEFAULT_KEY_NAME));
  }

  async listVariables(environmentId: number): Promise<Array<{ name: string; value: string }>> {
    const known = this.#variables.get(environmentId);
    if (known) return known;
    const { database, environments, vault } = this.#options;
    const rows = await environments.listVariables(database.reader, environmentId);
    const variables = rows.map((row) => ({ name: row.name, value: vault.open(row.value, variableContext(environmentId, row.name)) }));
    this.#variables.set(environmentId, variables);
    return variables;
  }

  /** Minimum level of function logs: the environment's variable, its setting, the program's default, `warn`. */
  async functionLogLevel(environmentId: number): Promise<FunctionLevel> {
    const variables = await this.listVariables(environmentId);
    const named = LEVEL_VARIABLES.map((name) => variables.find((variable) => variable.name === name)?.value);
    const written = named.find((value) => value !== undefined && LEVELS.includes(value)) as FunctionLevel | undefined;
    return written ?? this.#environments.get(environmentId)?.settings.logLevel ?? this.#options.defaultLogLevel ?? 'warn';
  }

  async replaceVariables(environmentId: number, variables: Array<{ name: string; value: string }>): Promise<void> {
    const { database, environments, vault } = this.#options;
    const sealed = variables.map(({ name, value }) => ({ name, value: vault.seal(value, variableContext(environmentId, name)) }));
    await database.transaction((tx) => environments.replaceVariables(tx, environmentId, sealed), { durable: true });
    this.#variables.delete(environmentId);
  }

  /** Makes an environment with a secret key of its own. */
  async create(name: string): Promise<Environment> {
    if (this.findByName(name)) throw new HomeportError('conflict', `There is already an environment "${name}".`);
    return this.#create(name);
  }

  async #create(name: string): Promise<Environment> {
    const { apiKeys, clock, database, environments, ids, vault } = this.#options;
    const now = clock.now();
    const uuid = ids.uuid();
    const id = await database.transaction(
      async (tx) => {
        const created = await environments.insert(tx, { uuid, name, settings: JSON.stringify(DEFAULT_SETTINGS), now });
        await environments.updateSigningKey(tx, created, vault.seal(ids.uuid(), `environment:${created}:signing-key`), now);
        const secret = ids.uuid();
        await apiKeys.insert(tx, {
          environmentId: created,
          displayName: DEFAULT_KEY_NAME,
          scopes: ['environment:*'],
          lookupHash: vault.lookupHash(secret),
          secret: vault.seal(secret, secretContext(created, DEFAULT_KEY_NAME)),
          now,
        });
        return created;
      },
      { durable: true },
    );
    const environment = { id, uuid, name, settings: DEFAULT_SETTINGS };
    this.#environments.set(id, environment);
    return environment;
  }

  async #fixSecretKey(environment: Environment, secretKey: string): Promise<void> {
    const { apiKeys, database, vault } = this.#options;
    const hash = vault.lookupHash(secretKey);
    const key = await apiKeys.findByName(database.reader, environment.id, DEFAULT_KEY_NAME);
    if (!key || key.lookupHash === hash) return;
    const sealed = vault.seal(secretKey, secretContext(environment.id, DEFAULT_KEY_NAME));
    await database.transaction((tx) => apiKeys.updateSecret(tx, key.id, hash, sealed), { durable: true });
    this.#callers.clear();
  }

  #remember(row: EnvironmentRow): void {
    const settings = { ...DEFAULT_SETTINGS, ...(JSON.parse(row.settings) as Partial<EnvironmentSettings>) };
    this.#environments.set(row.id, { id: row.id, uuid: row.uuid, name: row.name, settings });
  }

  #touch(keyId: number): void {
    const now = this.#options.clock.now();
    if (now - (this.#touchedAt.get(keyId) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return;
    this.#touchedAt.set(keyId, now);
    // The caller does not wait for this; a failed write would surface at the next real one.
    void this.#options.database.transaction((tx) => this.#options.apiKeys.touch(tx, keyId, now)).catch(() => this.#touchedAt.delete(keyId));
  }
}

function secretContext(environmentId: number, displayName: string): string {
  return `environment:${environmentId}:api-key:${displayName}`;
}

function variableContext(environmentId: number, name: string): string {
  return `environment:${environmentId}:variable:${name}`;
}
