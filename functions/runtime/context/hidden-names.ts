import { ReflectDeleteProperty, ReflectGet, ReflectHas, ReflectSet, toText } from '../primordials.ts';

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

export function guardHiddenNames<T extends object>(target: T): T {
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
