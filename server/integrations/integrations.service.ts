import { ConnectionsStore } from '../connections/connections.store.ts';
import { PlaygroundInputsStore } from '../dashboard/playground-inputs.store.ts';
import { DestinationsStore } from '../destinations/destinations.store.ts';
import { type Database, isUniqueViolation, type Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { MaybePromise } from '../platform/lib/maybe-promise.ts';
import { ReadCache } from '../platform/lib/read-cache.ts';
import type { Vault } from '../platform/vault/vault.ts';
import { WebhookDestinationsStore } from '../webhooks-out/webhook-destinations.store.ts';
import type { Catalog, CatalogLookup } from './catalog/catalog.ts';
import type { ProviderEntry } from './catalog/entry-schema.ts';
import { needsOwnApp } from './catalog/ways-in.contract.ts';
import type { Integration, IntegrationAppCredentials, RegisteredApp } from './integration.ts';
import { createIntegrationChanges, type IntegrationChange } from './integration-changes.ts';
import {
  applyConfigChanges,
  type ConfigChanges,
  checkAppCredentials,
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
import type { CreateIntegrationBody, UpdateIntegrationBody } from './integrations.contract.ts';
import { type IntegrationRow, IntegrationsStore } from './integrations.store.ts';

export { checkCredentialsType, missingIntegration } from './integration-config.ts';

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

export type IntegrationsService = ReturnType<typeof createIntegrationsService>;

/** Integrations and their sealed app credentials. `lifecycle` removes them with everything that depends on them. */
export function createIntegrationsService({
  database,
  vault,
  clock,
  catalog,
}: {
  database: Database;
  vault: Vault;
  clock: Clock;
  catalog: CatalogLookup & Pick<Catalog, 'findProblem'>;
}) {
  const integrationsStore = new IntegrationsStore();
  const connectionsStore = new ConnectionsStore();
  const webhookDestinations = new WebhookDestinationsStore();
  const recordDestinations = new DestinationsStore();
  const playgroundInputs = new PlaygroundInputsStore();
  const changes = createIntegrationChanges({ database, vault, clock });
  /** Live rows by environment and key. */
  const cache = new ReadCache<IntegrationRow>({ max: CACHED_INTEGRATIONS });
  /** Opened secrets of a row. Every change drops the row, and these with it. */
  let opened = new WeakMap<IntegrationRow, OpenedSecrets>();

  vault.onLock(() => {
    opened = new WeakMap();
  });

  /** The integration with its provider. Throws `not_found`, also when the provider is no longer in the catalogue. */
  async function get(
    environmentId: number,
    uniqueKey: string,
  ): Promise<{ integration: Integration; entry: ProviderEntry }> {
    const integration = await findRow(environmentId, uniqueKey);
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

  async function readSecrets(environmentId: number, uniqueKey: string): Promise<OpenedSecrets> {
    const row = await findRow(environmentId, uniqueKey);
    return row ? open(row) : { app: {}, custom: {} };
  }

  /** Reads and writes the row in one transaction, so that no simultaneous change is lost; records the change. */
  async function change(
    environmentId: number,
    uniqueKey: string,
    { durable, undoes = null }: { durable: boolean; undoes?: number | null },
    work: (tx: Transaction, row: IntegrationRow) => Promise<IntegrationRow>,
  ): Promise<Integration> {
    return database.transaction(
      async (tx) => {
        const row = await integrationsStore.findByKey(tx, environmentId, uniqueKey);
        if (!row) throw missingIntegration(uniqueKey);
        tx.afterCommit(() => invalidate(environmentId, uniqueKey));
        const changed = await work(tx, row);
        if (changed.uniqueKey !== uniqueKey) {
          const renamed = { environmentId, from: uniqueKey, to: changed.uniqueKey };
          await webhookDestinations.renameIntegration(tx, renamed);
          await recordDestinations.renameIntegration(tx, renamed);
        }
        const after = { row: changed, config: openConfig(changed) };
        await changes.record(tx, { row, config: openConfig(row) }, after, undoes);
        return changed;
      },
      { durable },
    );
  }

  /** Two calls in one millisecond still get different stamps, because callers compare them. */
  function nextStamp(row: IntegrationRow): number {
    return Math.max(clock.now(), row.updatedAt + 1);
  }

  function openConfig(row: IntegrationRow): IntegrationConfig {
    const { app, custom } = open(row);
    return toIntegrationConfig(app, custom);
  }

  function open(row: IntegrationRow): OpenedSecrets {
    const known = opened.get(row);
    if (known) return known;
    const openOne = <T extends object>(sealed: string | null, name: 'credentials' | 'custom'): T =>
      Object.freeze(sealed ? vault.openJson<T>(sealed, context(row.id, name)) : ({} as T));
    const secrets: OpenedSecrets = {
      app: openOne(row.credentials, 'credentials'),
      custom: openOne(row.custom, 'custom'),
    };
    opened.set(row, secrets);
    return secrets;
  }

  async function insert(
    parts: Omit<IntegrationRow, 'id' | 'credentials' | 'custom' | 'createdAt' | 'updatedAt'>,
    app: IntegrationAppCredentials | undefined,
    custom: Record<string, string> | undefined,
  ): Promise<Integration> {
    const now = clock.now();
    const fresh = { ...parts, createdAt: now, updatedAt: now };
    try {
      return await database.transaction(
        async (tx) => {
          const id = await integrationsStore.insert(tx, fresh);
          return write(tx, { ...fresh, id, credentials: null, custom: null }, app, custom);
        },
        { durable: app !== undefined || custom !== undefined },
      );
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw takenKey(fresh.uniqueKey);
    }
  }

  async function write(
    tx: Transaction,
    row: IntegrationRow,
    app: IntegrationAppCredentials | undefined,
    custom: Record<string, string> | undefined,
  ): Promise<IntegrationRow> {
    const sealed: IntegrationRow = {
      ...row,
      credentials: app ? vault.sealJson(app, context(row.id, 'credentials')) : row.credentials,
      custom: custom ? vault.sealJson(custom, context(row.id, 'custom')) : row.custom,
    };
    await integrationsStore.update(tx, sealed);
    return sealed;
  }

  async function checkRename(tx: Transaction, row: IntegrationRow, newKey: string): Promise<void> {
    if (await integrationsStore.findByKey(tx, row.environmentId, newKey)) {
      throw new HomeportError('invalid_body', `There is already an integration "${newKey}".`);
    }
    if ((await connectionsStore.listOfIntegration(tx, row.id)).length > 0) {
      throw new HomeportError(
        'invalid_body',
        'The unique key of an integration that has connections cannot be changed. Delete its connections first.',
      );
    }
  }

  function findRow(environmentId: number, uniqueKey: string): MaybePromise<IntegrationRow | undefined> {
    return cache.get(cacheKey(environmentId, uniqueKey), () =>
      integrationsStore.findByKey(database.reader, environmentId, uniqueKey),
    );
  }

  function invalidate(environmentId: number, uniqueKey: string): void {
    cache.drop(cacheKey(environmentId, uniqueKey));
  }

  return {
    list(environmentId: number): Promise<Integration[]> {
      return integrationsStore.list(database.reader, environmentId);
    },

    /** At once when the integration is in memory. */
    find(environmentId: number, uniqueKey: string): MaybePromise<Integration | undefined> {
      return findRow(environmentId, uniqueKey);
    },

    /** As `find`, from memory only. */
    peek(environmentId: number, uniqueKey: string): Integration | undefined {
      return cache.peek(cacheKey(environmentId, uniqueKey));
    },

    /** Why the integration cannot be used although its provider is in the workspace: its entry is faulty. */
    explainHidden({ provider }: Integration): string | undefined {
      return catalog.findProblem(provider) ? catalog.explainMissing(provider) : undefined;
    },

    get,
    async readAppCredentials(environmentId: number, uniqueKey: string): Promise<IntegrationAppCredentials> {
      return (await readSecrets(environmentId, uniqueKey)).app;
    },

    async readCustom(environmentId: number, uniqueKey: string): Promise<Record<string, string>> {
      return (await readSecrets(environmentId, uniqueKey)).custom;
    },

    /** All values that a person entered, by field name, including secret ones. */
    async readConfig(environmentId: number, uniqueKey: string): Promise<IntegrationConfig> {
      const { app, custom } = await readSecrets(environmentId, uniqueKey);
      return toIntegrationConfig(app, custom);
    },

    /** Changes single fields; omitted fields stay. */
    async changeConfig(environmentId: number, uniqueKey: string, changed: ConfigChanges): Promise<Integration> {
      const { entry } = await get(environmentId, uniqueKey);
      return change(environmentId, uniqueKey, { durable: true }, (tx, row) => {
        const { app, custom } = applyConfigChanges(entry, open(row), changed);
        return write(tx, { ...row, updatedAt: nextStamp(row) }, app, custom);
      });
    },

    /** Stores a client that the provider registered, unless a person entered one meanwhile. */
    async keepRegisteredApp(environmentId: number, uniqueKey: string, registered: RegisteredApp): Promise<void> {
      await change(environmentId, uniqueKey, { durable: true }, async (tx, row) => {
        const { clientId, clientSecret, registeredFor, registrationEndsAt, ...rest } = open(row).app;
        if (clientId !== undefined && registeredFor === undefined) return row;
        return write(tx, { ...row, updatedAt: nextStamp(row) }, { ...rest, ...registered }, undefined);
      });
    },

    /** Creates an integration that may lack required fields; the dashboard asks for them later. */
    createFromConfig(environmentId: number, parts: IntegrationParts): Promise<Integration> {
      const entry = catalog.find(parts.provider);
      if (!entry) throw refusedMember('provider', catalog.explainMissing(parts.provider));
      const entered = applyConfigChanges(entry, { app: {}, custom: {} }, parts.config);
      const app = withDefaultScopes(entered.app, entry);
      const { uniqueKey, provider, displayName } = parts;
      return insert(
        { environmentId, uniqueKey, provider, displayName, forwardsWebhooks: true },
        Object.keys(app).length > 0 ? app : undefined,
        Object.keys(entered.custom).length > 0 ? entered.custom : undefined,
      );
    },

    async create(environmentId: number, body: CreateIntegrationBody): Promise<Integration> {
      const entry = catalog.find(body.provider);
      if (!entry) throw refusedMember('provider', catalog.explainMissing(body.provider));
      if (await findRow(environmentId, body.unique_key)) throw takenKey(body.unique_key);
      checkAppCredentials(entry, body.credentials);
      if (!body.credentials && needsOwnApp(entry)) {
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
      return insert(fresh, Object.keys(app).length > 0 ? app : undefined, body.integration_config ?? body.custom);
    },

    /** Copies all integrations, or `one` with another key, with secrets. Throws `conflict` when a key is in use. */
    async copy(fromId: number, toId: number, one?: { uniqueKey: string; as: string }): Promise<void> {
      await database.transaction(
        async (tx) => {
          for (const row of await integrationsStore.list(tx, fromId)) {
            if (one && row.uniqueKey !== one.uniqueKey) continue;
            const { app, custom } = open(row);
            const now = clock.now();
            const uniqueKey = one?.as ?? row.uniqueKey;
            const fresh = { ...row, environmentId: toId, uniqueKey, createdAt: now, updatedAt: now };
            if (await integrationsStore.findByKey(tx, toId, uniqueKey)) throw takenKey(uniqueKey);
            const id = await integrationsStore.insert(tx, fresh);
            await write(
              tx,
              { ...fresh, id, credentials: null, custom: null },
              row.credentials === null ? undefined : app,
              row.custom === null ? undefined : custom,
            );
            tx.afterCommit(() => invalidate(toId, uniqueKey));
          }
        },
        { durable: true },
      );
    },

    async update(environmentId: number, uniqueKey: string, body: UpdateIntegrationBody): Promise<Integration> {
      const { entry } = await get(environmentId, uniqueKey);
      checkAppCredentials(entry, body.credentials);
      checkCustom(entry, body);
      const sentCustom = body.integration_config ?? body.custom;
      const durable = body.credentials !== undefined || sentCustom !== undefined;
      return change(environmentId, uniqueKey, { durable }, async (tx, row) => {
        if (body.unique_key !== undefined && body.unique_key !== uniqueKey) await checkRename(tx, row, body.unique_key);
        const app = body.credentials && mergeAppCredentials(open(row).app, body.credentials);
        const custom = sentCustom && { ...open(row).custom, ...sentCustom };
        if (body.integration_config) checkDeclared(entry, custom, { requiresAll: false });
        const changed: IntegrationRow = {
          ...row,
          uniqueKey: body.unique_key ?? row.uniqueKey,
          displayName: body.display_name ?? row.displayName,
          forwardsWebhooks: body.forward_webhooks ?? row.forwardsWebhooks,
          updatedAt: nextStamp(row),
        };
        return write(tx, changed, app, custom);
      });
    },

    /** Changes of the last 30 days, newest first, including secret values. Throws `not_found`. */
    async listChanges(environmentId: number, uniqueKey: string): Promise<IntegrationChange[]> {
      const row = await findRow(environmentId, uniqueKey);
      if (!row) throw missingIntegration(uniqueKey);
      return changes.list(row, openConfig(row));
    },

    /** Throws `not_found` when the change was removed, `conflict` when one of its fields was changed again since. */
    async undoChange(environmentId: number, uniqueKey: string, changeId: number): Promise<Integration> {
      const { entry } = await get(environmentId, uniqueKey);
      return change(environmentId, uniqueKey, { durable: true, undoes: changeId }, async (tx, row) => {
        const undone = await changes.readUndo(tx, { row, config: openConfig(row) }, changeId);
        if (undone.uniqueKey !== undefined) await checkRename(tx, row, undone.uniqueKey);
        const { app, custom } = applyConfigChanges(entry, open(row), undone.config);
        const changed: IntegrationRow = {
          ...row,
          uniqueKey: undone.uniqueKey ?? row.uniqueKey,
          displayName: undone.displayName === undefined ? row.displayName : undone.displayName,
          forwardsWebhooks: undone.forwardsWebhooks ?? row.forwardsWebhooks,
          updatedAt: nextStamp(row),
        };
        return write(tx, changed, app, custom);
      });
    },

    /**
     * Removes only the row; the caller removes connections and schedules in the same transaction. Resolves to false when
     * another call has removed it.
     */
    async remove(tx: Transaction, integration: Integration): Promise<boolean> {
      if (!(await integrationsStore.remove(tx, integration.id, clock.now()))) return false;
      await changes.remove(tx, integration.id);
      await playgroundInputs.removeOfIntegration(tx, integration.id);
      tx.afterCommit(() => invalidate(integration.environmentId, integration.uniqueKey));
      return true;
    },
  };
}

function cacheKey(environmentId: number, uniqueKey: string): string {
  return `${environmentId}:${uniqueKey}`;
}

const context = (id: number, field: string): string => `integration:${id}:${field}`;
