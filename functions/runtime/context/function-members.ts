import type { SyncRef } from '../bridge.ts';
import {
  ArrayIsArray,
  ArrayPrototypeJoin,
  ArrayPrototypeSlice,
  JSONParse,
  JSONStringify,
  StringPrototypeSplit,
  toText,
} from '../primordials.ts';
import type { GuestRun, Members } from './guest-run.ts';

type SyncName = string | { name: string; variant?: string };
type SyncOptions = { reset?: boolean; emptyCache?: boolean };

/** Members that call other functions (functions.md 3.5). */
export function functionMembers(run: GuestRun): Members {
  const { host } = run;
  return {
    /** Called as `(providerConfigKey, connectionId, actionName, input?)` or `(actionName, input?)`. */
    async triggerAction(...args: unknown[]) {
      const { providerConfigKey, connectionId } = run.context;
      const isFull = typeof args[2] === 'string';
      const { 0: key, 1: id } = isFull ? args : [providerConfigKey, connectionId];
      const actionName = isFull ? args[2] : args[0];
      const input = isFull ? args[3] : args[1];
      const text = JSONStringify(input);
      const { output } = await host.call('action.trigger', {
        providerConfigKey: toText(key),
        connectionId: toText(id),
        actionName: toText(actionName),
        ...(text === undefined ? {} : { input: text }),
      });
      return JSONParse(output);
    },
    async triggerSync(providerConfigKey: string, connectionId: string, sync: SyncName, mode?: unknown) {
      const target = { providerConfigKey: toText(providerConfigKey), connectionId: toText(connectionId) };
      const args = { ...target, sync: toSyncRef(sync), ...toFlags(mode) };
      await host.call('sync.trigger', args);
    },
    async startSync(providerConfigKey: string, syncs: SyncName[], connectionId?: string) {
      const only = connectionId ? { connectionId: toText(connectionId) } : {};
      if (!ArrayIsArray(syncs)) throw new TypeError("startSync takes a list of syncs: nango.startSync(key, ['name'])");
      await host.call('sync.start', {
        providerConfigKey: toText(providerConfigKey),
        syncs: syncs.map(toSyncRef),
        ...only,
      });
    },
  };
}

/** Accepts `name`, `name::variant` as over HTTP (syncs-and-records.md 1.7), or an object with both members. */
function toSyncRef(sync: SyncName): SyncRef {
  if (typeof sync !== 'string' && typeof sync?.name !== 'string')
    throw new TypeError('A sync is named by a text, or by an object with name and variant');
  if (typeof sync !== 'string') return { name: toText(sync.name), variant: toText(sync.variant ?? 'base') };
  const parts = StringPrototypeSplit(sync, '::');
  return { name: parts[0] ?? '', variant: ArrayPrototypeJoin(ArrayPrototypeSlice(parts, 1), '::') || 'base' };
}

/** Accepts options, or a mode of the older signature. */
function toFlags(mode: unknown): { reset: boolean; emptyCache: boolean } {
  if (typeof mode === 'object' && mode !== null) {
    const options = mode as SyncOptions;
    return { reset: options.reset === true, emptyCache: options.emptyCache === true };
  }
  const emptyCache = mode === 'full_refresh_and_clear_cache';
  return { reset: emptyCache || mode === 'full_refresh' || mode === true, emptyCache };
}
