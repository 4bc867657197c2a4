import { ObjectAssign, ObjectCreate, ObjectDefineProperty } from '../primordials.ts';
import { checkpointMembers } from './checkpoint-members.ts';
import { ConnectionMembers } from './connection-members.ts';
import { functionMembers } from './function-members.ts';
import type { GuestRun, Members } from './guest-run.ts';
import { guardHiddenNames } from './hidden-names.ts';
import { httpMembers } from './http-members.ts';
import { integrationMembers } from './integration-members.ts';
import { lockMembers } from './lock-members.ts';
import { logMembers } from './log-members.ts';
import { miscMembers } from './misc-members.ts';
import { recordMembers } from './record-members.ts';

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
