import { ConnectionsStore } from '../connections/connections.store.ts';
import { PlaygroundInputsStore } from '../dashboard/playground-inputs.store.ts';
import { type Database, isUniqueViolation, type Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { ReadCache } from '../platform/lib/read-cache.ts';
import type { Vault } from '../platform/vault/vault.ts';
import { WebhookDestinationsStore } from '../webhooks-out/webhook-destinations.store.ts';
import type { Catalog, CatalogLookup } from './catalog/catalog.ts';
import type { ProviderEntry } from './catalog/entry-schema.ts';
import type { Integration, IntegrationAppCredentials, RegisteredApp } from './integration.ts';
import { type IntegrationChange, IntegrationChanges } from './integration-changes.ts';
import {
  applyConfigChanges,
  type ConfigChanges,
  checkCredentialsType,
  checkCustom,
  checkDeclared,
  type IntegrationConfig,
  mergeAppCredentials,
  missingIntegration,
  refusedMember,
  takenKey,
  toIntegrationConfig,
  withDefaultScopes,
} from './integration-config.ts';
import {
  type CreateIntegrationBody,
  requiresAppCredentials,
  type UpdateIntegrationBody,
} from './integrations.contract.ts';
import { type IntegrationRow, IntegrationsStore } from './integrations.store.ts';

export { checkCredentialsType, missingIntegration } from './integration-config.ts';

export interface IntegrationsServiceOptions {
  database: Database;
  vault: Vault;
  clock: Clock;
  catalog: CatalogLookup & Pick<Catalog, 'findProblem'>;
}

export interface IntegrationParts {
  provider: string;
  uniqueKey: string;
  displayName: string | null;
  config: IntegrationConfig;
}

interface OpenedSecrets {
  app: IntegrationAppCredentials;
  custom: Record<string, string>;
}

/** Number of integrations kept in memory. */
const CACHED_INTEGRATIONS = 5000;

/** Integrations and their sealed app credentials. `lifecycle` removes them with everything that depends on them. */
export class IntegrationsService {
  readonly #options: IntegrationsServiceOptions;
  readonly #integrations = new IntegrationsStore();
  readonly #connections = new ConnectionsStore();
  readonly #webhookDestinations = new WebhookDestinationsStore();
  readonly #playgroundInputs = new PlaygroundInputsStore();
  readonly #changes: IntegrationChanges;
  /** Live rows by environment and key. */
  readonly #cache = new ReadCache<IntegrationRow>({ max: CACHED_INTEGRATIONS });
  /** Opened secrets of a row. Every change drops the row, and these with it. */
  #opened = new WeakMap<IntegrationRow, OpenedSecrets>();

  constructor(options: IntegrationsServiceOptions) {
    this.#options = options;
    options.vault.onLock(() => {
      this.#opened = new WeakMap();
    });
    this.#changes = new IntegrationChanges(options);
  }

  list(environmentId: number): Promise<Integration[]> {
    return this.#integrations.list(this.#options.database.reader, environmentId);
  }

  async find(environmentId: number, uniqueKey: string): Promise<Integration | undefined> {
    return this.#findRow(environmentId, uniqueKey);
  }

  /** As `find`, from memory only. */
  peek(environmentId: number, uniqueKey: string): Integration | undefined {
    return this.#cache.peek(cacheKey(environmentId, uniqueKey));
  }

  /** The integration with its provider. Throws `not_found`, also when the provider is no longer in the catalogue. */
  async get(environmentId: number, uniqueKey: string): Promise<{ integration: Integration; entry: ProviderEntry }> {
    const { catalog } = this.#options;
    const integration = await this.#findRow(environmentId, uniqueKey);
    // A faulty entry is also why an integration with its name could not be created.
    if (!integration)
      throw catalog.findProblem(uniqueKey)?.provider === uniqueKey
        ? new HomeportError(
            'not_found',
            `${missingIntegration(uniqueKey).message} ${catalog.explainMissing(uniqueKey)}`,
          )
        : missingIntegration(uniqueKey);
    const entry = catalog.find(integration.provider);
    if (!entry) throw new HomeportError('not_found', catalog.explainMissing(integration.provider));
    return { integration, entry };
  }

  /** Why the integration cannot be used although its provider is in the workspace: its entry is faulty. */
  explainHidden({ provider }: Integration): string | undefined {
    const { catalog } = this.#options;
    return catalog.findProblem(provider) ? catalog.explainMissing(provider) : undefined;
  }

  async readAppCredentials(environmentId: number, uniqueKey: string): Promise<IntegrationAppCredentials> {
    const row = await this.#findRow(environmentId, uniqueKey);
    return row ? this.#openApp(row) : {};
  }

  async readCustom(environmentId: number, uniqueKey: string): Promise<Record<string, string>> {
    const row = await this.#findRow(environmentId, uniqueKey);
    return row ? this.#openCustom(row) : {};
  }

  /** All values that a person entered, by field name, including secret ones. */
  async readConfig(environmentId: number, uniqueKey: string): Promise<IntegrationConfig> {
    const row = await this.#findRow(environmentId, uniqueKey);
    return row ? this.#openConfig(row) : {};
  }

  /** Changes single fields; omitted fields stay. */
  async changeConfig(environmentId: number, uniqueKey: string, changes: ConfigChanges): Promise<Integration> {
    const { entry } = await this.get(environmentId, uniqueKey);
    return this.#change(environmentId, uniqueKey, { durable: true }, (tx, row) => {
      const { app, custom } = applyConfigChanges(entry, this.#open(row), changes);
      return this.#write(tx, { ...row, updatedAt: this.#nextStamp(row) }, app, custom);
    });
  }

  /** Stores a client that the provider registered, unless a person entered one meanwhile. */
  async keepRegisteredApp(environmentId: number, uniqueKey: string, registered: RegisteredApp): Promise<void> {
    await this.#change(environmentId, uniqueKey, { durable: true }, async (tx, row) => {
      const { clientId, clientSecret, registeredFor, registrationEndsAt, ...rest } = this.#openApp(row);
      if (clientId !== undefined && registeredFor === undefined) return row;
      return this.#write(tx, { ...row, updatedAt: this.#nextStamp(row) }, { ...rest, ...registered }, undefined);
    });
  }

  /** Creates an integration that may lack required fields; the dashboard asks for them later. */
  createFromConfig(environmentId: number, parts: IntegrationParts): Promise<Integration> {
    const entry = this.#options.catalog.find(parts.provider);
    if (!entry) throw refusedMember('provider', this.#options.catalog.explainMissing(parts.provider));
    const entered = applyConfigChanges(entry, { app: {}, custom: {} }, parts.config);
    const app = withDefaultScopes(entered.app, entry);
    return this.#insert(
      {
        environmentId,
        uniqueKey: parts.uniqueKey,
        provider: parts.provider,
        displayName: parts.displayName,
        forwardsWebhooks: true,
      },
      Object.keys(app).length > 0 ? app : undefined,
      Object.keys(entered.custom).length > 0 ? entered.custom : undefined,
    );
  }

  async create(environmentId: number, body: CreateIntegrationBody): Promise<Integration> {
    const entry = this.#options.catalog.find(body.provider);
    if (!entry) throw refusedMember('provider', this.#options.catalog.explainMissing(body.provider));
    if (await this.#findRow(environmentId, body.unique_key)) throw takenKey(body.unique_key);
    checkCredentialsType(entry, body.credentials?.type);
    if (!body.credentials && requiresAppCredentials(entry.auth_mode)) {
      throw new HomeportError(
        'invalid_body',
        `The provider "${body.provider}" needs credentials of type ${entry.auth_mode}.`,
      );
    }
    checkCustom(entry, body);
    checkDeclared(entry, body.integration_config, { requiresAll: entry.auth_mode !== 'TWO_STEP' });

    const fresh = {
      environmentId,
      uniqueKey: body.unique_key,
      provider: body.provider,
      displayName: body.display_name ?? null,
      forwardsWebhooks: body.forward_webhooks ?? true,
    };
    const app = body.credentials
      ? mergeAppCredentials({}, withDefaultScopes(body.credentials, entry))
      : withDefaultScopes<IntegrationAppCredentials>({}, entry);
    return this.#insert(fresh, Object.keys(app).length > 0 ? app : undefined, body.integration_config ?? body.custom);
  }

  /** Copies all integrations, or `one` with another key, with secrets. Throws `conflict` when a key is in use. */
  async copy(fromId: number, toId: number, one?: { uniqueKey: string; as: string }): Promise<void> {
    await this.#options.database.transaction(
      async (tx) => {
        for (const row of await this.#integrations.list(tx, fromId)) {
          if (one && row.uniqueKey !== one.uniqueKey) continue;
          const { app, custom } = this.#open(row);
          const now = this.#options.clock.now();
          const uniqueKey = one?.as ?? row.uniqueKey;
          const fresh = { ...row, environmentId: toId, uniqueKey, createdAt: now, updatedAt: now };
          if (await this.#integrations.findByKey(tx, toId, uniqueKey)) throw takenKey(uniqueKey);
          const id = await this.#integrations.insert(tx, fresh);
          await this.#write(
            tx,
            { ...fresh, id, credentials: null, custom: null },
            row.credentials === null ? undefined : app,
            row.custom === null ? undefined : custom,
          );
          tx.afterCommit(() => this.#invalidate(toId, uniqueKey));
        }
      },
      { durable: true },
    );
  }

  async update(environmentId: number, uniqueKey: string, body: UpdateIntegrationBody): Promise<Integration> {
    const { entry } = await this.get(environmentId, uniqueKey);
    checkCredentialsType(entry, body.credentials?.type);
    checkCustom(entry, body);
    const sentCustom = body.integration_config ?? body.custom;
    const durable = body.credentials !== undefined || sentCustom !== undefined;
    return this.#change(environmentId, uniqueKey, { durable }, async (tx, row) => {
      if (body.unique_key !== undefined && body.unique_key !== uniqueKey)
        await this.#checkRename(tx, row, body.unique_key);
      const app = body.credentials && mergeAppCredentials(this.#openApp(row), body.credentials);
      const custom = sentCustom && { ...this.#openCustom(row), ...sentCustom };
      if (body.integration_config) checkDeclared(entry, custom, { requiresAll: false });
      const changed: IntegrationRow = {
        ...row,
        uniqueKey: body.unique_key ?? row.uniqueKey,
        displayName: body.display_name ?? row.displayName,
        forwardsWebhooks: body.forward_webhooks ?? row.forwardsWebhooks,
        updatedAt: this.#nextStamp(row),
      };
      return this.#write(tx, changed, app, custom);
    });
  }

  /** Changes of the last 30 days, newest first, including secret values. Throws `not_found`. */
  async listChanges(environmentId: number, uniqueKey: string): Promise<IntegrationChange[]> {
    const row = await this.#findRow(environmentId, uniqueKey);
    if (!row) throw missingIntegration(uniqueKey);
    return this.#changes.list(row, this.#openConfig(row));
  }

  /** Throws `not_found` when the change was removed, `conflict` when one of its fields was changed again since. */
  async undoChange(environmentId: number, uniqueKey: string, changeId: number): Promise<Integration> {
    const { entry } = await this.get(environmentId, uniqueKey);
    return this.#change(environmentId, uniqueKey, { durable: true, undoes: changeId }, async (tx, row) => {
      const undone = await this.#changes.readUndo(tx, { row, config: this.#openConfig(row) }, changeId);
      if (undone.uniqueKey !== undefined) await this.#checkRename(tx, row, undone.uniqueKey);
      const { app, custom } = applyConfigChanges(entry, this.#open(row), undone.config);
      const changed: IntegrationRow = {
        ...row,
        uniqueKey: undone.uniqueKey ?? row.uniqueKey,
        displayName: undone.displayName === undefined ? row.displayName : undone.displayName,
        forwardsWebhooks: undone.forwardsWebhooks ?? row.forwardsWebhooks,
        updatedAt: this.#nextStamp(row),
      };
      return this.#write(tx, changed, app, custom);
    });
  }

  /**
   * Removes only the row; the caller removes connections and schedules in the same transaction. Resolves to false when
   * another call has removed it.
   */
  async remove(tx: Transaction, integration: Integration): Promise<boolean> {
    if (!(await this.#integrations.remove(tx, integration.id, this.#options.clock.now()))) return false;
    await this.#changes.remove(tx, integration.id);
    await this.#playgroundInputs.removeOfIntegration(tx, integration.id);
    tx.afterCommit(() => this.#invalidate(integration.environmentId, integration.uniqueKey));
    return true;
  }

  /** Reads and writes the row in one transaction, so that no simultaneous change is lost; records the change. */
  async #change(
    environmentId: number,
    uniqueKey: string,
    { durable, undoes = null }: { durable: boolean; undoes?: number | null },
    work: (tx: Transaction, row: IntegrationRow) => Promise<IntegrationRow>,
  ): Promise<Integration> {
    const { database } = this.#options;
    return database.transaction(
      async (tx) => {
        const row = await this.#integrations.findByKey(tx, environmentId, uniqueKey);
        if (!row) throw missingIntegration(uniqueKey);
        tx.afterCommit(() => this.#invalidate(environmentId, uniqueKey));
        const changed = await work(tx, row);
        if (changed.uniqueKey !== uniqueKey) {
          const renamed = { environmentId, from: uniqueKey, to: changed.uniqueKey };
          await this.#webhookDestinations.renameIntegration(tx, renamed);
        }
        const after = { row: changed, config: this.#openConfig(changed) };
        await this.#changes.record(tx, { row, config: this.#openConfig(row) }, after, undoes);
        return changed;
      },
      { durable },
    );
  }

  /** Two calls in one millisecond still get different stamps, because callers compare them. */
  #nextStamp(row: IntegrationRow): number {
    return Math.max(this.#options.clock.now(), row.updatedAt + 1);
  }

  #openApp(row: IntegrationRow): IntegrationAppCredentials {
    return this.#open(row).app;
  }

  #openCustom(row: IntegrationRow): Record<string, string> {
    return this.#open(row).custom;
  }

  #openConfig(row: IntegrationRow): IntegrationConfig {
    return toIntegrationConfig(this.#openApp(row), this.#openCustom(row));
  }

  #open(row: IntegrationRow): OpenedSecrets {
    const known = this.#opened.get(row);
    if (known) return known;
    const open = <T extends object>(sealed: string | null, name: 'credentials' | 'custom'): T =>
      Object.freeze(sealed ? this.#options.vault.openJson<T>(sealed, context(row.id, name)) : ({} as T));
    const opened: OpenedSecrets = { app: open(row.credentials, 'credentials'), custom: open(row.custom, 'custom') };
    this.#opened.set(row, opened);
    return opened;
  }

  async #insert(
    parts: Omit<IntegrationRow, 'id' | 'credentials' | 'custom' | 'createdAt' | 'updatedAt'>,
    app: IntegrationAppCredentials | undefined,
    custom: Record<string, string> | undefined,
  ): Promise<Integration> {
    const now = this.#options.clock.now();
    const fresh = { ...parts, createdAt: now, updatedAt: now };
    try {
      return await this.#options.database.transaction(
        async (tx) => {
          const id = await this.#integrations.insert(tx, fresh);
          return this.#write(tx, { ...fresh, id, credentials: null, custom: null }, app, custom);
        },
        { durable: app !== undefined || custom !== undefined },
      );
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw takenKey(fresh.uniqueKey);
    }
  }

  async #write(
    tx: Transaction,
    row: IntegrationRow,
    app: IntegrationAppCredentials | undefined,
    custom: Record<string, string> | undefined,
  ): Promise<IntegrationRow> {
    const { vault } = this.#options;
    const sealed: IntegrationRow = {
      ...row,
      credentials: app ? vault.sealJson(app, context(row.id, 'credentials')) : row.credentials,
      custom: custom ? vault.sealJson(custom, context(row.id, 'custom')) : row.custom,
    };
    await this.#integrations.update(tx, sealed);
    return sealed;
  }

  async #checkRename(tx: Transaction, row: IntegrationRow, newKey: string): Promise<void> {
    if (await this.#integrations.findByKey(tx, row.environmentId, newKey)) {
      throw new HomeportError('invalid_body', `There is already an integration "${newKey}".`);
    }
    if ((await this.#connections.listOfIntegration(tx, row.id)).length > 0) {
      throw new HomeportError(
        'invalid_body',
        'The unique key of an integration that has connections cannot be changed. Delete its connections first.',
      );
    }
  }

  #findRow(environmentId: number, uniqueKey: string): Promise<IntegrationRow | undefined> {
    const { database } = this.#options;
    return this.#cache.get(cacheKey(environmentId, uniqueKey), () =>
      this.#integrations.findByKey(database.reader, environmentId, uniqueKey),
    );
  }

  #invalidate(environmentId: number, uniqueKey: string): void {
    this.#cache.drop(cacheKey(environmentId, uniqueKey));
  }
}

function cacheKey(environmentId: number, uniqueKey: string): string {
  return `${environmentId}:${uniqueKey}`;
}

const context = (id: number, field: string): string => `integration:${id}:${field}`;
