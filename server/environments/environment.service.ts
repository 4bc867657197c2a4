import type { Database, ReadHandle, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { AllowedConnections } from './allowed-connections.contract.ts';
import { ApiKeys } from './api-keys.ts';
import { PRODUCTION_NAME } from './environment.contract.ts';
import { checkEnvironmentName } from './environment-names.ts';
import {
  DEFAULT_SETTINGS,
  type FunctionLevel,
  mergeSettings,
  type SettingsChanges,
  type StoredEnvironmentSettings,
} from './environment-settings.ts';
import { type EnvironmentRow, EnvironmentsStore } from './environments.store.ts';
import { isCollectorMoved, type OtlpHeader, OtlpHeaders } from './otlp-headers.ts';
import { SigningKeys } from './signing-keys.ts';

export interface Environment {
  id: number;
  uuid: string;
  name: string;
  settings: StoredEnvironmentSettings;
}

/** The caller: an environment, and what the key may do in it. */
export interface Caller {
  environment: Environment;
  keyId: number;
  scopes: readonly string[];
  /** Connections that the key is limited to; null means all of them. */
  allowed: AllowedConnections;
}

export interface Variable {
  name: string;
  value: string;
  /** The settings page shows the value at once. Absent in a change: unchanged; for a new variable: false. */
  isPlain?: boolean | undefined;
}

/** Settings that are stored encrypted; a given list replaces the whole stored list. */
export interface SealedSettings {
  variables?: Variable[] | undefined;
  otlpHeaders?: OtlpHeader[] | undefined;
}

/** As `SealedSettings`; a function decides from what is stored when the change is made, so that no other change is lost. */
export interface WantedLists {
  variables?: Variable[] | ((stored: Variable[]) => Variable[]) | undefined;
  otlpHeaders?: OtlpHeader[] | ((stored: OtlpHeader[]) => OtlpHeader[]) | undefined;
}

/** Values that are set from outside at start. */
export interface FixedFacts {
  /** UUID v4: the default key of the first environment. */
  secretKey?: string | undefined;
  /** Primary webhook address of the first environment. */
  webhookUrl?: string | undefined;
}

export interface EnvironmentServiceOptions {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  /** Level of function logs for environments without their own (design.md 3). */
  defaultLogLevel: FunctionLevel | undefined;
}

/** Variables that set the level of function logs (functions.md 3.9), our own name first. */
const LEVEL_VARIABLES = ['HOMEPORT_LOGGER_LEVEL', 'NANGO_LOGGER_LEVEL'];
const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error', 'off'];

/** Environments, their secret keys, settings and variables. */
export class EnvironmentService {
  readonly keys: ApiKeys;
  readonly otlpHeaders: OtlpHeaders;
  readonly signingKeys: SigningKeys;
  readonly #options: EnvironmentServiceOptions;
  readonly #rows = new EnvironmentsStore();
  readonly #environments = new Map<number, Environment>();
  /** Kept in memory; this process is the only writer and updates them. */
  readonly #variables = new Map<number, Variable[]>();

  constructor(options: EnvironmentServiceOptions) {
    this.#options = options;
    this.keys = new ApiKeys(options);
    this.otlpHeaders = new OtlpHeaders({ ...options, environmentsStore: this.#rows });
    this.signingKeys = new SigningKeys({
      ...options,
      environmentsStore: this.#rows,
      secretKey: (id) => this.revealSecretKey(id),
    });
    options.vault.onLock(() => {
      this.#variables.clear();
      this.keys.clearCache();
    });
  }

  /** Loads the environments; creates `dev` with its secret key on the first start. */
  async start({ secretKey, webhookUrl }: FixedFacts = {}): Promise<void> {
    const rows = await this.#rows.list(this.#options.database.reader);
    for (const row of rows) this.#remember(row);
    if (rows.length === 0) await this.#create('dev', DEFAULT_SETTINGS);
    const dev = this.list()[0];
    if (!dev) return;
    if (secretKey) await this.keys.fixDefault(dev.id, secretKey);
    if (webhookUrl && dev.settings.webhook.primaryUrl !== webhookUrl)
      await this.change(dev.id, { webhook: { primaryUrl: webhookUrl } });
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

  /** The environment that the functions folder belongs to. */
  get workspaceEnvironment(): Environment {
    const [first] = this.list();
    if (!first) throw new Error('There is no environment.');
    return first;
  }

  /** Loopback and private hosts that requests of the environment may reach (its `allowed_hosts`). */
  allowedHosts(environmentId: number): readonly string[] {
    return this.find(environmentId)?.settings.allowedHosts ?? [];
  }

  /** Days for which operations are kept; null means for ever. */
  logRetentionDays(environmentId: number): number | null {
    const environment = this.find(environmentId);
    return environment ? environment.settings.logRetentionDays : DEFAULT_SETTINGS.logRetentionDays;
  }

  /** Approximate limit for the size of the logs, in bytes; null means no limit. */
  maxLogBytes(environmentId: number): number | null {
    const megabytes = this.find(environmentId)?.settings.logMegabytes;
    return megabytes ? megabytes * 1_048_576 : null;
  }

  /** Days after which records are pruned and deleted; null means never. */
  recordRetention(environmentId: number): { pruneAfterDays: number | null; deleteAfterDays: number | null } {
    const settings = this.find(environmentId)?.settings;
    return { pruneAfterDays: settings?.recordPruneDays ?? null, deleteAfterDays: settings?.recordDeleteDays ?? null };
  }

  /** The caller to whom a secret key belongs; undefined for an unknown key. */
  async authenticate(secretKey: string): Promise<Caller | undefined> {
    const grant = await this.keys.find(secretKey);
    const environment = grant && this.#environments.get(grant.environmentId);
    return environment && { environment, keyId: grant.id, scopes: grant.scopes, allowed: grant.allowed };
  }

  /** The default secret key of an environment, for display. */
  revealSecretKey(environmentId: number): Promise<string> {
    return this.keys.reveal(environmentId);
  }

  async listVariables(environmentId: number): Promise<Variable[]> {
    const known = this.#variables.get(environmentId);
    if (known) return known;
    const variables = await this.#readVariables(this.#options.database.reader, environmentId);
    // A change that was stored meanwhile is newer than what was read here.
    const newer = this.#variables.get(environmentId);
    if (newer) return newer;
    this.#variables.set(environmentId, variables);
    return variables;
  }

  async #readVariables(db: ReadHandle, environmentId: number): Promise<Array<Variable & { isPlain: boolean }>> {
    return (await this.#rows.listVariables(db, environmentId)).map(({ name, value, isPlain }) => ({
      name,
      value: this.#options.vault.open(value, variableContext(environmentId, name)),
      isPlain,
    }));
  }

  /** Works also while the vault is locked. */
  async listVariableNames(environmentId: number): Promise<string[]> {
    const rows = await this.#rows.listVariables(this.#options.database.reader, environmentId);
    return rows.map(({ name }) => name);
  }

  /** Minimum level of function logs: from its variable, else its setting, else the program's default, else `warn`. */
  async functionLogLevel(environmentId: number): Promise<FunctionLevel> {
    const variables = await this.listVariables(environmentId);
    const named = LEVEL_VARIABLES.map((name) => variables.find((variable) => variable.name === name)?.value);
    const written = named.find((value) => value !== undefined && LEVELS.includes(value)) as FunctionLevel | undefined;
    return (
      written ?? this.#environments.get(environmentId)?.settings.logLevel ?? this.#options.defaultLogLevel ?? 'warn'
    );
  }

  /** The hub's public origin, from the first environment that sets one; undefined when none does. */
  findPublicUrl(): string | undefined {
    return this.list().find(({ settings }) => settings.publicUrl !== null)?.settings.publicUrl ?? undefined;
  }

  /**
   * Changes parts of the settings and, when given, replaces variables and headers for the collector, all in one
   * transaction. Headers for one collector must not be sent to another one: they are removed when its origin changes.
   */
  async change(
    environmentId: number,
    wanted: SettingsChanges | ((stored: StoredEnvironmentSettings) => SettingsChanges),
    sealed: WantedLists = {},
  ): Promise<Environment> {
    const { clock, database } = this.#options;
    return database.transaction(
      async (tx) => {
        const environment = this.#get(environmentId);
        const changes = typeof wanted === 'function' ? wanted(environment.settings) : wanted;
        const complete = sealed.variables && (await this.#decideVariables(tx, environmentId, sealed.variables));
        const otlpHeaders =
          typeof sealed.otlpHeaders === 'function'
            ? sealed.otlpHeaders(await this.otlpHeaders.list(environmentId, tx))
            : sealed.otlpHeaders;
        const changed = { ...environment, settings: mergeSettings(environment.settings, changes) };
        await this.#rows.updateSettings(tx, environmentId, JSON.stringify(changed.settings), clock.now());
        if (complete) await this.#storeVariables(tx, environmentId, complete);
        if (otlpHeaders || isCollectorMoved(environment.settings.otlpEndpoint, changed.settings.otlpEndpoint))
          await this.otlpHeaders.store(tx, environmentId, otlpHeaders ?? []);
        tx.afterCommit(() => {
          this.#environments.set(environmentId, changed);
          if (complete) this.#variables.set(environmentId, complete);
        });
        return changed;
      },
      { durable: true },
    );
  }

  /** Creates an environment with its own secret key. */
  async create(name: string, settings: SettingsChanges = {}, sealed: SealedSettings = {}): Promise<Environment> {
    checkEnvironmentName(name);
    return this.#create(name, mergeSettings(DEFAULT_SETTINGS, settings), sealed);
  }

  /** True when destructive work in the dashboard requires typing the name. */
  isProduction({ name, settings }: Environment): boolean {
    return settings.isProduction || name === PRODUCTION_NAME;
  }

  /** Whether the environment may be renamed and deleted. */
  rightsOf({ id, name }: Environment): { canRename: boolean; canDelete: boolean } {
    const canRename = name !== PRODUCTION_NAME;
    return { canRename, canDelete: canRename && id !== this.list()[0]?.id };
  }

  /** Changes the name and every address that contains it; keys and uuid stay. Throws `conflict` and `invalid_body`. */
  async rename(id: number, name: string): Promise<Environment> {
    const { clock, database } = this.#options;
    checkEnvironmentName(name);
    return database.transaction(
      async (tx) => {
        const environment = this.#get(id);
        if (environment.name === name) return environment;
        if (!this.rightsOf(environment).canRename)
          throw new HomeportError('invalid_body', `The environment "${PRODUCTION_NAME}" keeps its name.`);
        if (await this.#rows.hasName(tx, name)) throw takenName(name);
        const renamed = { ...environment, name };
        await this.#rows.updateName(tx, id, name, clock.now());
        tx.afterCommit(() => this.#environments.set(id, renamed));
        return renamed;
      },
      { durable: true },
    );
  }

  /** In the chosen order; environments without a position come last, oldest first. */
  listInOrder(): Environment[] {
    const positionOf = ({ settings }: Environment): number => settings.position ?? Number.MAX_SAFE_INTEGER;
    return this.list().toSorted((one, other) => positionOf(one) - positionOf(other));
  }

  /** Stores the order of the named environments; the others keep their positions. */
  async reorder(names: readonly string[]): Promise<void> {
    for (const [position, name] of names.entries()) {
      const environment = this.findByName(name);
      if (environment && environment.settings.position !== position) await this.change(environment.id, { position });
    }
  }

  /**
   * Makes an environment unreachable: its keys, sessions and webhook addresses end at once. `lifecycle` removes its
   * contents. Throws `not_found` and `cannot_delete_prod_environment`.
   */
  async remove(id: number): Promise<void> {
    const { clock, database } = this.#options;
    await database.transaction(
      async (tx) => {
        const { name } = this.#get(id);
        if (name === PRODUCTION_NAME)
          throw new HomeportError(
            'cannot_delete_prod_environment',
            'The production environment cannot be deleted. Delete its integrations; their connections go with them.',
          );
        if (id === this.list()[0]?.id)
          throw new HomeportError(
            'cannot_delete_prod_environment',
            `"${name}" is the environment of the functions folder and cannot be deleted. Delete its integrations; their connections go with them.`,
          );
        await this.#rows.markDeleted(tx, id, clock.now());
        tx.afterCommit(() => {
          this.#environments.delete(id);
          this.#variables.delete(id);
          this.keys.clearCache();
        });
      },
      { durable: true },
    );
  }

  async #create(
    name: string,
    settings: StoredEnvironmentSettings,
    { variables = [], otlpHeaders = [] }: SealedSettings = {},
  ): Promise<Environment> {
    const { clock, database, ids } = this.#options;
    const now = clock.now();
    const uuid = ids.uuid();
    const id = await database.transaction(
      async (tx) => {
        if (await this.#rows.hasName(tx, name)) throw takenName(name);
        const created = await this.#rows.insert(tx, { uuid, name, settings: JSON.stringify(settings), now });
        await this.keys.createDefault(tx, created);
        await this.#storeVariables(tx, created, variables);
        await this.otlpHeaders.store(tx, created, otlpHeaders);
        return created;
      },
      { durable: true },
    );
    const environment = { id, uuid, name, settings };
    this.#environments.set(id, environment);
    return environment;
  }

  /** Variables keep their `isPlain` when a change does not say it. */
  async #decideVariables(
    tx: Transaction,
    environmentId: number,
    wanted: NonNullable<WantedLists['variables']>,
  ): Promise<Variable[]> {
    const stored = await this.#readVariables(tx, environmentId);
    const known = new Map(stored.map(({ name, isPlain }) => [name, isPlain]));
    const variables = typeof wanted === 'function' ? wanted(stored) : wanted;
    return variables.map(({ name, value, isPlain }) => ({ name, value, isPlain: isPlain ?? known.get(name) ?? false }));
  }

  async #storeVariables(tx: Transaction, environmentId: number, variables: Variable[]): Promise<void> {
    const sealed = variables.map(({ name, value, isPlain = false }) => ({
      name,
      value: this.#options.vault.seal(value, variableContext(environmentId, name)),
      isPlain,
    }));
    await this.#rows.replaceVariables(tx, environmentId, sealed);
  }

  #get(id: number): Environment {
    const environment = this.#environments.get(id);
    if (!environment) throw new HomeportError('not_found', 'There is no such environment.');
    return environment;
  }

  #remember(row: EnvironmentRow): void {
    const stored = JSON.parse(row.settings) as SettingsChanges;
    this.#environments.set(row.id, {
      id: row.id,
      uuid: row.uuid,
      name: row.name,
      settings: mergeSettings(DEFAULT_SETTINGS, stored),
    });
  }
}

function takenName(name: string): HomeportError {
  return new HomeportError('conflict', `There is already an environment "${name}".`);
}

function variableContext(environmentId: number, name: string): string {
  return `environment:${environmentId}:variable:${name}`;
}
