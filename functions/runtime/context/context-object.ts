import {
  NumberIsFinite,
  ObjectAssign,
  ObjectCreate,
  ObjectDefineProperty,
  ReflectDeleteProperty,
  ReflectGet,
  ReflectHas,
  ReflectSet,
  toNumber,
  toText,
} from '../primordials.ts';
import { checkpointMembers } from './checkpoint-members.ts';
import { ConnectionMembers } from './connection-members.ts';
import { functionMembers } from './function-members.ts';
import type { GuestRun, Members } from './guest-run.ts';
import { httpMembers } from './http-members.ts';
import { miscMembers } from './misc-members.ts';
import { recordMembers } from './record-members.ts';
import { TimedCache } from './timed-cache.ts';

/**
 * Creates the object that authors call `nango`. Syncs and webhook handlers have more members than actions (functions.md
 * 3).
 */
export function createContextObject(run: GuestRun): object {
  const connections = new ConnectionMembers(run);
  const target: Members = ObjectAssign(ObjectCreate(null) as Members, properties(run), {
    ...logMembers(run),
    ...httpMembers(run, () => connections.clearCache()),
    ...connections.members(),
    ...integrationMembers(run),
    ...functionMembers(run),
    ...checkpointMembers(run),
    ...lockMembers(run),
    ...miscMembers(run),
  });
  ObjectDefineProperty(target, 'logger', { get: () => ({ level: run.log.level }), enumerable: true });
  if (hasRecords(run)) ObjectAssign(target, syncProperties(run), recordMembers(run));
  for (const name of run.context.unrecorded ?? []) target[name] = () => Promise.reject(notRecorded(name));
  return guardHiddenNames(target);
}

/** Functions check for this text (functions.md 8.3). */
function notRecorded(name: string): Error {
  return new Error(`Missing mock data for ${name}`);
}

function hasRecords(run: GuestRun): boolean {
  return run.context.scriptType === 'sync' || run.context.scriptType === 'webhook';
}

function properties({ context }: GuestRun): Members {
  return {
    connectionId: context.connectionId,
    providerConfigKey: context.providerConfigKey,
    provider: context.provider,
    environmentId: context.environmentId,
    environmentName: context.environmentName,
    accountId: context.accountId,
    nangoConnectionId: context.nangoConnectionId,
    activityLogId: context.activityLogId,
    scriptType: context.scriptType,
    isCLI: context.isCLI,
    syncConfig: context.syncConfig,
    getVariant: () => context.variant ?? 'base',
    runnerFlags: {
      validateActionInput: false,
      validateActionOutput: false,
      validateSyncRecords: false,
      validateSyncMetadata: false,
    },
  };
}

function syncProperties({ context }: GuestRun): Members {
  return {
    syncId: context.syncId,
    syncJobId: context.syncJobId,
    variant: context.variant ?? 'base',
    lastSyncDate: context.lastSyncDate ? new Date(context.lastSyncDate) : undefined,
    track_deletes: context.trackDeletes ?? false,
    emptyCache: context.emptyCache ?? false,
  };
}

/** Names that the reference service protects. Functions that read them get the same refusal (functions.md 3.2). */
const HIDDEN = new Set<PropertyKey>([
  'nango',
  'persistClient',
  'telemetryRecorder',
  'locking',
  'checkpointing',
  'checkpointKey',
  'integrationConfig',
  'memoizedConnections',
  'memoizedIntegration',
  'attributes',
  'telemetryBag',
  'abortSignal',
  'lifecycle',
  'getProxyConfig',
  'throwIfAbortedOrKilled',
  'throwIfInterrupted',
  'shouldLog',
  'validateRecords',
  'removeMetadata',
  'modelFullName',
  'sendLogToPersist',
  'logAPICall',
  'getMergingStrategy',
  'setMergingStrategyByModel',
  'trackDeletesKey',
  'fetchRecordsPage',
  'getCheckpointRange',
  'clearRecordsIfNeeded',
  'batchSize',
  'getRecordsBatchSize',
  'mergingByModel',
  'httpLogSample',
  '__proto__',
  'constructor',
]);

function guardHiddenNames<T extends object>(target: T): T {
  return new Proxy(target, {
    get: (object, name, receiver) => ReflectGet(object, allowed(name), receiver),
    set: (object, name, value) => ReflectSet(object, allowed(name), value),
    defineProperty: (object, name, descriptor) => Reflect.defineProperty(object, allowed(name), descriptor),
    deleteProperty: (object, name) => ReflectDeleteProperty(object, allowed(name)),
    has: (object, name) => !HIDDEN.has(name) && ReflectHas(object, name),
    getPrototypeOf: () => null,
  });
}

function allowed(name: PropertyKey): PropertyKey {
  if (HIDDEN.has(name)) throw new Error(`Access to "${toText(name)}" is not allowed.`);
  return name;
}

const INTEGRATION_TTL_MS = 10 * 60_000;

/** The integration and environment members of the context (functions.md 3.4). */
export function integrationMembers(run: GuestRun): Members {
  const cache = new TimedCache<Record<string, unknown>>({ ttlMs: INTEGRATION_TTL_MS, now: run.now });
  const getIntegration = (options?: { include?: string[] }) => {
    const include = [...new Set(options?.include ?? [])].map(toText).sort();
    return cache.get(include.join(), () => run.host.call('integration.get', { include }));
  };
  return {
    getIntegration,
    getWebhookURL: async () => (await getIntegration({ include: ['webhook'] }))['webhook_url'],
    getEnvironmentVariables: () => run.host.call('environment.variables', {}),
    getFlowAttributes() {
      if (run.context.syncJobId === undefined) throw new Error('There is no sync run to read attributes of');
      return run.context.syncConfig['attributes'] ?? {};
    },
  };
}

/** The lock members of the context (functions.md 3.8). */
function lockMembers(run: GuestRun): Members {
  return {
    async tryAcquireLock(options: { key: string; ttlMs: number }) {
      const key = checkKey(options);
      const ttlMs = toNumber(options.ttlMs);
      if (!(ttlMs > 0 && NumberIsFinite(ttlMs))) throw new Error('Invalid lock: ttlMs must be greater than 0');
      return run.host.call('lock.acquire', { key, ttlMs });
    },
    async releaseLock(options: { key: string }) {
      return run.host.call('lock.release', { key: checkKey(options) });
    },
    async releaseAllLocks() {
      await run.host.call('lock.releaseAll', {});
    },
  };
}

function checkKey(options: { key: string } | undefined): string {
  const key = options?.key;
  if (typeof key !== 'string' || key.length < 1 || key.length > 255) {
    throw new Error('Invalid lock: the key must have 1 to 255 characters');
  }
  return key;
}

const MAX_COST = 1_000_000_000;

/** The log members of the context (functions.md 3.9). */
function logMembers(run: GuestRun): Members {
  return {
    async log(...args: unknown[]) {
      const options = hasLevel(args.at(-1)) ? (args.pop() as { level: unknown }) : undefined;
      if (args.length === 0) return;
      run.log.user(toText(options?.level ?? 'info'), args[0], args[1]);
    },
    async reportCost(amount: number) {
      if (typeof amount !== 'number' || !(amount >= 0 && amount <= MAX_COST))
        throw new TypeError('reportCost takes a number from 0 to 1000000000');
      await run.host.call('cost.report', { amount });
    },
    setLogger(logger: { level?: unknown }) {
      run.log.setLevel(logger?.level);
    },
  };
}

function hasLevel(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'level' in value;
}
