import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import { andThen, type MaybePromise } from '../platform/lib/maybe-promise.ts';
import { hasNtfyTopic } from '../platform/lib/ntfy-topic.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { AllowedConnections } from './allowed-connections.contract.ts';
import { createApiKeys } from './api-keys.ts';
import { createApprovalsToken } from './approvals-token.ts';
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
import { createOtlpHeaders, isOriginMoved, type OtlpHeader } from './otlp-headers.ts';
import { createSigningKeys } from './signing-keys.ts';
import { createVariables, type Variable } from './variables.ts';

export type { Variable } from './variables.ts';

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

/** Settings that are stored encrypted; a given list replaces the whole stored list. */
export interface SealedSettings {
  approvalsToken?: string | null | undefined;
  variables?: Variable[] | undefined;
  otlpHeaders?: OtlpHeader[] | undefined;
}

/** As `SealedSettings`; a function decides from what is stored when the change is made, so that no other change is lost. */
export interface WantedLists {
  variables?: Variable[] | ((stored: Variable[]) => Variable[]) | undefined;
  otlpHeaders?: OtlpHeader[] | ((stored: OtlpHeader[]) => OtlpHeader[]) | undefined;
  /** Null removes it; undefined keeps it. */
  approvalsToken?: string | null | undefined;
}

/** Values that are set from outside at start. */
export interface FixedFacts {
  /** UUID v4: the default key of the first environment. */
  secretKey?: string | undefined;
  /** Primary webhook address of the first environment. */
  webhookUrl?: string | undefined;
}

/** Variables that set the level of function logs (functions.md 3.9), our own name first. */
const LEVEL_VARIABLES = ['HOMEPORT_LOGGER_LEVEL', 'NANGO_LOGGER_LEVEL'];
const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error', 'off'];

export type EnvironmentService = ReturnType<typeof createEnvironmentService>;

/** Environments, their secret keys, settings and variables. */
export function createEnvironmentService(use: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  /** Level of function logs for environments without their own (design.md 3). */
  defaultLogLevel: FunctionLevel | undefined;
}) {
  const { database, vault, clock, ids, defaultLogLevel } = use;
  const store = new EnvironmentsStore();
  const environments = new Map<number, Environment>();
  const variables = createVariables({ database, vault, environmentsStore: store });
  const keys = createApiKeys({ database, vault, clock, ids });
  const otlpHeaders = createOtlpHeaders({ database, vault, environmentsStore: store });
  const approvalsToken = createApprovalsToken({ database, vault, environmentsStore: store });
  const signingKeys = createSigningKeys({
    database,
    vault,
    clock,
    ids,
    environmentsStore: store,
    secretKey: keys.reveal,
  });
  vault.onLock(keys.clearCache);

  /** Loads the environments; creates `dev` with its secret key on the first start. */
  async function start({ secretKey, webhookUrl }: FixedFacts = {}): Promise<void> {
    const rows = await store.list(database.reader);
    for (const row of rows) remember(row);
    if (rows.length === 0) await insert('dev', DEFAULT_SETTINGS);
    const dev = list()[0];
    if (!dev) return;
    if (secretKey) await keys.fixDefault(dev.id, secretKey);
    if (webhookUrl && dev.settings.webhook.primaryUrl !== webhookUrl)
      await change(dev.id, { webhook: { primaryUrl: webhookUrl } });
  }

  const list = (): Environment[] => [...environments.values()];
  const find = (id: number): Environment | undefined => environments.get(id);
  const findByName = (name: string): Environment | undefined => list().find((one) => one.name === name);

  /** Loopback and private hosts that requests of the environment may reach (its `allowed_hosts`). */
  const allowedHosts = (environmentId: number): readonly string[] => find(environmentId)?.settings.allowedHosts ?? [];

  /** Days for which operations are kept; null means for ever. */
  function logRetentionDays(environmentId: number): number | null {
    const environment = find(environmentId);
    return environment ? environment.settings.logRetentionDays : DEFAULT_SETTINGS.logRetentionDays;
  }

  /** Approximate limit for the size of the logs, in bytes; null means no limit. */
  function maxLogBytes(environmentId: number): number | null {
    const megabytes = find(environmentId)?.settings.logMegabytes;
    return megabytes ? megabytes * 1_048_576 : null;
  }

  /** Days after which records are pruned and deleted; null means never. */
  function recordRetention(environmentId: number): { pruneAfterDays: number | null; deleteAfterDays: number | null } {
    const settings = find(environmentId)?.settings;
    return { pruneAfterDays: settings?.recordPruneDays ?? null, deleteAfterDays: settings?.recordDeleteDays ?? null };
  }

  /** The caller to whom a secret key belongs; undefined for an unknown key. */
  function authenticate(secretKey: string): MaybePromise<Caller | undefined> {
    return andThen(keys.find(secretKey), (grant) => {
      const environment = grant && environments.get(grant.environmentId);
      return environment && { environment, keyId: grant.id, scopes: grant.scopes, allowed: grant.allowed };
    });
  }

  /** Minimum level of function logs: from its variable, else its setting, else the program's default, else `warn`. */
  async function functionLogLevel(environmentId: number): Promise<FunctionLevel> {
    const stored = await variables.list(environmentId);
    const named = LEVEL_VARIABLES.map((name) => stored.find((variable) => variable.name === name)?.value);
    const written = named.find((value) => value !== undefined && LEVELS.includes(value)) as FunctionLevel | undefined;
    return written ?? environments.get(environmentId)?.settings.logLevel ?? defaultLogLevel ?? 'warn';
  }

  /** The hub's public origin, from the first environment that sets one; undefined when none does. */
  function findPublicUrl(): string | undefined {
    return list().find(({ settings }) => settings.publicUrl !== null)?.settings.publicUrl ?? undefined;
  }

  /**
   * Changes parts of the settings and, when given, replaces sealed ones, all in one transaction. Headers for one
   * collector must not be sent to another one: they are removed when its origin changes. So is the token for questions.
   */
  async function change(
    environmentId: number,
    wanted: SettingsChanges | ((stored: StoredEnvironmentSettings) => SettingsChanges),
    sealed: WantedLists = {},
  ): Promise<Environment> {
    return database.transaction(
      async (tx) => {
        const environment = get(environmentId);
        const changes = typeof wanted === 'function' ? wanted(environment.settings) : wanted;
        const complete = sealed.variables && (await variables.decide(tx, environmentId, sealed.variables));
        const headers =
          typeof sealed.otlpHeaders === 'function'
            ? sealed.otlpHeaders(await otlpHeaders.list(environmentId, tx))
            : sealed.otlpHeaders;
        const changed = { ...environment, settings: mergeSettings(environment.settings, changes) };
        checkApprovals(changed.settings);
        await store.updateSettings(tx, environmentId, JSON.stringify(changed.settings), clock.now());
        if (complete) await variables.store(tx, environmentId, complete);
        if (headers || isOriginMoved(environment.settings.otlpEndpoint, changed.settings.otlpEndpoint))
          await otlpHeaders.store(tx, environmentId, headers ?? []);
        const token = sealed.approvalsToken;
        if (token !== undefined || isOriginMoved(environment.settings.approvals.url, changed.settings.approvals.url))
          await approvalsToken.store(tx, environmentId, token ?? null);
        tx.afterCommit(() => {
          environments.set(environmentId, changed);
          if (complete) variables.remember(environmentId, complete);
        });
        return changed;
      },
      { durable: true },
    );
  }

  /** Creates an environment with its own secret key. */
  async function create(
    name: string,
    settings: SettingsChanges = {},
    sealed: SealedSettings = {},
  ): Promise<Environment> {
    checkEnvironmentName(name);
    return insert(name, mergeSettings(DEFAULT_SETTINGS, settings), sealed);
  }

  /** True when destructive work in the dashboard requires typing the name. */
  function isProduction({ name, settings }: Environment): boolean {
    return settings.isProduction || name === PRODUCTION_NAME;
  }

  /** Whether the environment may be renamed and deleted. */
  function rightsOf({ id, name }: Environment): { canRename: boolean; canDelete: boolean } {
    const canRename = name !== PRODUCTION_NAME;
    return { canRename, canDelete: canRename && id !== list()[0]?.id };
  }

  /** Changes the name and every address that contains it; keys and uuid stay. Throws `conflict` and `invalid_body`. */
  async function rename(id: number, name: string): Promise<Environment> {
    checkEnvironmentName(name);
    return database.transaction(
      async (tx) => {
        const environment = get(id);
        if (environment.name === name) return environment;
        if (!rightsOf(environment).canRename)
          throw new HomeportError('invalid_body', `The environment "${PRODUCTION_NAME}" keeps its name.`);
        if (await store.hasName(tx, name)) throw takenName(name);
        const renamed = { ...environment, name };
        await store.updateName(tx, id, name, clock.now());
        tx.afterCommit(() => environments.set(id, renamed));
        return renamed;
      },
      { durable: true },
    );
  }

  /** In the chosen order; environments without a position come last, oldest first. */
  function listInOrder(): Environment[] {
    const positionOf = ({ settings }: Environment): number => settings.position ?? Number.MAX_SAFE_INTEGER;
    return list().toSorted((one, other) => positionOf(one) - positionOf(other));
  }

  /** Stores the order of the named environments; the others keep their positions. */
  async function reorder(names: readonly string[]): Promise<void> {
    for (const [position, name] of names.entries()) {
      const environment = findByName(name);
      if (environment && environment.settings.position !== position) await change(environment.id, { position });
    }
  }

  /**
   * Makes an environment unreachable: its keys, sessions and webhook addresses end at once. `lifecycle` removes its
   * contents. Throws `not_found` and `cannot_delete_prod_environment`.
   */
  async function remove(id: number): Promise<void> {
    await database.transaction(
      async (tx) => {
        const { name } = get(id);
        if (name === PRODUCTION_NAME)
          throw new HomeportError(
            'cannot_delete_prod_environment',
            'The production environment cannot be deleted. Delete its integrations; their connections go with them.',
          );
        if (id === list()[0]?.id)
          throw new HomeportError(
            'cannot_delete_prod_environment',
            `"${name}" is the environment of the functions folder and cannot be deleted. Delete its integrations; their connections go with them.`,
          );
        await store.markDeleted(tx, id, clock.now());
        tx.afterCommit(() => {
          environments.delete(id);
          variables.forget(id);
          keys.clearCache();
        });
      },
      { durable: true },
    );
  }

  async function insert(
    name: string,
    settings: StoredEnvironmentSettings,
    { variables: named = [], otlpHeaders: headers = [], approvalsToken: token = null }: SealedSettings = {},
  ): Promise<Environment> {
    const now = clock.now();
    const uuid = ids.uuid();
    const id = await database.transaction(
      async (tx) => {
        if (await store.hasName(tx, name)) throw takenName(name);
        const created = await store.insert(tx, { uuid, name, settings: JSON.stringify(settings), now });
        await keys.createDefault(tx, created);
        await variables.store(tx, created, named);
        await otlpHeaders.store(tx, created, headers);
        await approvalsToken.store(tx, created, token);
        return created;
      },
      { durable: true },
    );
    const environment = { id, uuid, name, settings };
    environments.set(id, environment);
    return environment;
  }

  function get(id: number): Environment {
    const environment = environments.get(id);
    if (!environment) throw new HomeportError('not_found', 'There is no such environment.');
    return environment;
  }

  function remember(row: EnvironmentRow): void {
    const stored = JSON.parse(row.settings) as SettingsChanges;
    environments.set(row.id, {
      id: row.id,
      uuid: row.uuid,
      name: row.name,
      settings: mergeSettings(DEFAULT_SETTINGS, stored),
    });
  }

  return {
    keys,
    otlpHeaders,
    approvalsToken,
    signingKeys,
    start,
    list,
    find,
    findByName,
    allowedHosts,
    logRetentionDays,
    maxLogBytes,
    recordRetention,
    authenticate,
    revealSecretKey: keys.reveal,
    listVariables: variables.list,
    /** Works also while the vault is locked. */
    listVariableNames: variables.listNames,
    functionLogLevel,
    findPublicUrl,
    change,
    create,
    isProduction,
    rightsOf,
    rename,
    listInOrder,
    reorder,
    remove,
    /** The environment that the functions folder belongs to. */
    get workspaceEnvironment(): Environment {
      const [first] = list();
      if (!first) throw new Error('There is no environment.');
      return first;
    },
  };
}

/** The address and its kind may be changed one by one. */
function checkApprovals({ approvals: { kind, url } }: StoredEnvironmentSettings): void {
  if (url === null || kind !== 'ntfy' || hasNtfyTopic(url)) return;
  const message = 'Must end with the topic, as in https://ntfy.sh/my-topic.';
  throw new HomeportError('invalid_body', 'The request is not valid.', {
    issues: [{ code: 'custom', message, path: ['approvals', 'url'] }],
  });
}

function takenName(name: string): HomeportError {
  return new HomeportError('conflict', `There is already an environment "${name}".`);
}
