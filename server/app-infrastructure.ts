import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { makeDataFolder, makePrivate } from './data-folder.ts';
import { createEnvironmentService } from './environments/environment.service.ts';
import type { EventLog } from './event-log.ts';
import { prepareWorkspace } from './functions/deployments/starter-workspace.ts';
import { FunctionsStore } from './functions/functions.store.ts';
import { type BuiltinCatalog, loadBuiltinCatalog } from './integrations/catalog/builtin-catalog.ts';
import { type ApprovedEntries, Catalog } from './integrations/catalog/catalog.ts';
import type { EntrySource, ProviderDefinition } from './integrations/catalog/entry-schema.ts';
import { ParsedCopies } from './integrations/catalog/parsed-copies.ts';
import { isCatalogPath, readWorkspaceCatalog } from './integrations/catalog/workspace-files.ts';
import { CatalogApprovalsStore } from './integrations/catalog-approvals.store.ts';
import { IntegrationsStore } from './integrations/integrations.store.ts';
import { STEP_NAMES } from './lifecycle/provider-steps/provider-steps.ts';
import { keySourcesOf } from './offline-data.ts';
import { BackupFolder } from './platform/database/backup-folder.ts';
import { DataFiles } from './platform/database/data-files.ts';
import type { Database } from './platform/database/database.ts';
import { FolderLock } from './platform/database/folder-lock.ts';
import { examineDatabase, findLostDatabase, openDatabase } from './platform/database/open-database.ts';
import type { ProcessControl } from './platform/http/control-routes.ts';
import { type Clock, systemClock } from './platform/lib/clock.ts';
import { type Ids, randomIds } from './platform/lib/ids.ts';
import type { Logger } from './platform/lib/logger.ts';
import { OutboundHttp } from './platform/lib/outbound-http.ts';
import { readGuestSnapshot } from './platform/sandbox/guest-snapshot.ts';
import { RUN_LIMITS } from './platform/sandbox/run-limits.ts';
import { Sandbox } from './platform/sandbox/sandbox.ts';
import { ClockStepsStore } from './platform/scheduler/clock-steps.store.ts';
import { Scheduler } from './platform/scheduler/scheduler.ts';
import { SeenTime } from './platform/scheduler/seen-time.ts';
import { type KeySource, type UnlockedKey, unlockDataKey } from './platform/vault/master-key.ts';
import { VaultStore } from './platform/vault/vault.store.ts';
import { Vault } from './platform/vault/vault.ts';
import { PRACTICE_CLIENT } from './practice/authorization/practice-client.ts';
import { isPracticeProvider, practiceEntries } from './practice/practice-entries.ts';
import { createPracticeProvider, type PracticeProvider } from './practice/practice-provider.ts';
import type { Resources } from './resources.ts';
import { MIGRATIONS } from './schema/migration-list.ts';
import type { WebhookRouting } from './webhooks-in/routing/webhook-routing.ts';
import { WEBHOOK_ROUTINGS } from './webhooks-in/routing/webhook-routings.ts';

export interface AppOptions {
  config: Config;
  resources: Resources;
  logger: Logger;
  clock?: Clock;
  ids?: Ids;
  /** By the catalogue's `webhook_routing_script`. Default: the built-in routings. */
  webhookRoutings?: ReadonlyMap<string, WebhookRouting>;
  /** Longest silence of a provider during a request. Default: the limit of the proxy. */
  providerSilenceMs?: number;
  /** How many times as long as usual parts may take to stop, as on a machine that many tests share. */
  stopTimeFactor?: number;
  /** Ends or replaces the process at the request of a command (`homeport stop`, `homeport restart`). */
  process?: ProcessControl;
}

/** Opens the data folder, database, vault and workspace, and collects what every service gets. */
export async function openInfrastructure({
  config,
  resources,
  logger,
  clock = systemClock,
  ids = randomIds,
  webhookRoutings = WEBHOOK_ROUTINGS,
  providerSilenceMs,
}: AppOptions) {
  await makeDataFolder(config.home);
  const lock = await FolderLock.take(config.home);
  const backups = new BackupFolder({ home: config.home, clock });
  // Before anything is written: damaged data or a wrong key must leave the folder unchanged.
  const { isUnchecked, unlocked, lostDatabase } = await examine(config, backups).catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  const madePrivate = await makePrivate(config.home);
  /** Addresses to which providers return after an authorization; set when the environments are loaded. */
  const hubCallbacks = { list: (): string[] => [] };
  // The files of the function workers are read, and the practice provider starts, while the database opens.
  const starting = {
    sandbox: createSandbox(config, resources, logger, clock),
    practice: startPractice(config, { logger, clock, ids, callbackAddresses: () => hubCallbacks.list() }),
  };
  for (const part of Object.values(starting)) part.catch(() => {});

  const opened = await openDatabase({
    ...{ home: config.home, backups, migrations: MIGRATIONS, clock, logger },
    isExamined: true,
  });
  const { database } = opened;
  const vault = await openVault(database, unlocked, clock);
  const isWorkspaceNew = await prepareWorkspace({
    workspace: config.functionsFolder,
    isNamed: config.isFunctionsFolderNamed,
    templates: resources.templates,
    hasFunctions: () => new FunctionsStore().hasAny(database.reader, 'workspace'),
  });
  /** Set when the HTTP server listens. */
  const port = { value: 0 };
  const environments = createEnvironmentService({
    database,
    vault,
    clock,
    ids,
    defaultLogLevel: config.functionLogLevel,
  });
  const publicUrl = (): string | undefined => config.publicUrl ?? environments.findPublicUrl();
  const localBase = (): string => `http://localhost:${port.value}`;
  const publicBase = (): string => publicUrl() ?? localBase();
  hubCallbacks.list = () => [
    `${publicBase()}/oauth/callback`,
    ...environments.list().flatMap(({ settings }) => settings.callbackUrl ?? []),
  ];
  const seenTime = new SeenTime({ database, clock, logger });
  await seenTime.start();
  return {
    config,
    resources,
    logger,
    clock,
    seenTime,
    ids,
    lock,
    backups,
    dataState: { isUnchecked, problem: opened.backupProblem ?? lostDatabase },
    dataFiles: new DataFiles({
      home: config.home,
      database,
      clock,
      logger,
      usesKeyFile: () => vault.source === 'file',
    }),
    lostDatabase,
    database,
    vault,
    madePrivate,
    isWorkspaceNew,
    starting,
    port,
    environments,
    publicUrl,
    publicBase,
    localBase,
    webhookRoutings,
    providerSilenceMs,
  };
}
export type Infrastructure = Awaited<ReturnType<typeof openInfrastructure>>;

/** Names of steps and routings that catalogue entries may use. */
const HANDLERS: ReadonlySet<string> = new Set([...STEP_NAMES, ...WEBHOOK_ROUTINGS.keys()]);

/** Starts the engines below the services. */
export async function startEngines(infrastructure: Infrastructure) {
  const { clock, config, database, logger, port, resources, starting } = infrastructure;
  const integrationRows = new IntegrationsStore();
  const practice = await starting.practice;
  const catalog = new Catalog({
    builtin: withPractice(await loadBuiltinCatalog(resources.catalog, HANDLERS), practice.address),
    handlers: HANDLERS,
    isInUse: (provider) => integrationRows.isProviderInUse(database.reader, provider),
    hasIntegrations: (provider) => integrationRows.hasProvider(database.reader, provider),
    approved: storeApprovals(database, clock),
    copies: await openCopies(config, resources),
    trustsWorkspace: config.trustsWorkspace,
  });
  let reloading: Promise<void> = Promise.resolve();
  // One reload after the other: an older reading must not replace a newer one.
  const reloadCatalog = (): Promise<void> => {
    const turn = reloading.then(async () => catalog.reload(await readWorkspaceCatalog(config.functionsFolder)));
    reloading = turn.catch(() => {});
    return turn;
  };
  const scheduler = new Scheduler({ database, clock, logger });
  const clockSteps = new ClockStepsStore();
  scheduler.onStepBack(async (tx, step) => {
    if (step.stepMs > 0) logger.warn(step, 'the clock was set back; times that lie too far ahead are moved');
    await clockSteps.pullBack(tx, step);
  });
  return {
    practice: practice.provider,
    practiceClient: PRACTICE_CLIENT,
    // The practice provider is one service for all of its auth modes.
    templateFolderOf: (provider: string) => (isPracticeProvider(provider) ? 'practice' : provider),
    catalog,
    reloadCatalog,
    sandbox: await starting.sandbox,
    scheduler,
    http: new OutboundHttp({ ownPort: () => port.value }),
  };
}
export type Engines = Awaited<ReturnType<typeof startEngines>>;

/**
 * Another version of the program may check entries differently, so the stored copy is replaced when the checking code
 * changes.
 */
async function openCopies(config: Config, resources: Resources): Promise<ParsedCopies> {
  const { mtimeMs } = await stat(resources.catalog);
  const program = [resources.version, mtimeMs, ...[...HANDLERS].sort()].join(' ');
  return ParsedCopies.open(join(config.home, 'cache/providers.json'), program);
}

function storeApprovals(database: Database, clock: Clock): ApprovedEntries {
  const rows = new CatalogApprovalsStore();
  return {
    list: async () =>
      (await rows.list(database.reader)).map(({ definition, source, ...row }) => ({
        ...row,
        definition: JSON.parse(definition) as ProviderDefinition,
        source: source as EntrySource,
      })),
    save: (entries) =>
      database.transaction(async (tx) => {
        for (const { definition, ...entry } of entries)
          await rows.upsert(tx, { ...entry, definition: JSON.stringify(definition) }, clock.now());
      }),
    remove: (provider) => database.transaction((tx) => rows.remove(tx, provider)),
    wasApproved: (hash) => rows.wasApproved(database.reader, hash),
  };
}

async function createSandbox(config: Config, resources: Resources, logger: Logger, clock: Clock): Promise<Sandbox> {
  const guestCode = await resources.readGuestCode();
  return new Sandbox({
    guestCode,
    guestSnapshot: await readGuestSnapshot(resources.guestSnapshot, guestCode),
    // The maximum: one starts when the hub answers, further ones when there is work for them.
    workers: Math.max(2, Math.min(4, availableParallelism())),
    workerEntry: resources.workerEntry,
    execPath: process.execPath,
    limits: { memoryMb: RUN_LIMITS.memoryMb, totalMemoryMb: config.functionMemoryMb },
    logger,
    clock,
  });
}

async function startPractice(
  config: Config,
  options: Parameters<typeof createPracticeProvider>[0],
): Promise<{ provider: PracticeProvider; address: string }> {
  const provider = createPracticeProvider(options);
  return { provider, address: (await provider.start(config.practicePort)).address };
}

/** Checks the existing database, finds the master key and tries it on the data. */
async function examine(
  config: Config,
  backups: BackupFolder,
): Promise<{ isUnchecked: boolean; unlocked: UnlockedKey; lostDatabase: string | undefined }> {
  const lostDatabase = await findLostDatabase(config.home, backups);
  const { isUnchecked, value: stored } = await examineDatabase(
    { home: config.home, backups, migrations: MIGRATIONS },
    (db) => new VaultStore().findWrappedKey<KeySource>(db),
  );
  return { isUnchecked, unlocked: await unlockDataKey(keySourcesOf(config), stored), lostDatabase };
}

function openVault(database: Database, unlocked: UnlockedKey, clock: Clock): Promise<Vault> {
  const rows = new VaultStore();
  return Vault.start(unlocked, {
    save: (key) => database.transaction((tx) => rows.upsertWrappedKey(tx, key, clock.now()), { durable: true }),
  });
}

/** The built-in practice provider, with the address of this start. */
function withPractice(builtin: BuiltinCatalog, address: string): BuiltinCatalog {
  return new Map([...builtin, ...Object.entries(practiceEntries(address))].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Reads the catalogue again when one of its files in the workspace has changed. */
export function reloadChangedCatalog(
  paths: readonly string[],
  { engines, eventLog, logger }: { engines: Engines; eventLog: EventLog; logger: Logger },
): void {
  if (!paths.some(isCatalogPath)) return;
  engines
    .reloadCatalog()
    .then(() => eventLog.catalogRead(engines.catalog))
    .catch((error: unknown) => logger.error({ err: error }, 'the workspace catalogue could not be read'));
}
