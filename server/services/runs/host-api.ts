import type { HostMethod, HostMethods, HostTable } from '../../../functions/runtime/bridge.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { CheckpointSession, LockSession, RecordSession } from '../records/records-service.ts';
import type { DryMethods } from './dry-methods.ts';
import type { RunHttp } from './run-http.ts';
import type { RunNeighbours } from './run-neighbours.ts';
import type { RunPlace } from './run-place.ts';

/** Everything one run may ask for, each part bound to the run's own connection. */
export interface HostParts {
  place: RunPlace;
  http: RunHttp;
  neighbours: RunNeighbours;
  checkpoint: CheckpointSession;
  locks: LockSession;
  /** Only syncs and webhook handlers have records. */
  records: RecordSession | undefined;
  onRecordsChanged(model: string): void;
  /** Takes the place of everything that stores. */
  dry?: DryMethods;
}

export type HostCall = <M extends HostMethod>(
  method: M,
  args: HostMethods[M]['args'],
  signal: AbortSignal,
) => Promise<HostMethods[M]['result']>;

/** The host side of a run: one row per method of the bridge. */
export function createHostCall(parts: HostParts): HostCall {
  const table: HostTable = { ...hostTable(parts), ...parts.dry };
  return (method, args, signal) => table[method](args, signal);
}

function hostTable({ place, http, neighbours, checkpoint, locks, records, onRecordsChanged }: HostParts): HostTable {
  const kept = (): RecordSession => {
    if (!records) throw new HomeportError('invalid_record', 'Records belong to syncs; this function is none.');
    return records;
  };
  const telling = async <T>(model: string, change: Promise<T>): Promise<T> => {
    const result = await change;
    onRecordsChanged(model);
    return result;
  };
  return {
    'http.request': (args, signal) => http.request(args, signal),
    'http.uncontrolledFetch': (args, signal) => http.uncontrolledFetch(args, signal),
    'connection.get': (args) => place.readConnection(args),
    'metadata.set': (args) => place.changeMetadata(args.metadata, 'replace'),
    'metadata.update': (args) => place.changeMetadata(args.metadata, 'merge'),
    'integration.get': (args) => place.readIntegration(args.include),
    'environment.variables': () => place.listVariables(),
    'action.trigger': (args, signal) => neighbours.triggerAction(args, signal),
    'sync.trigger': (args) => neighbours.triggerSync(args),
    'sync.start': (args) => neighbours.startSyncs(args),
    'records.save': (args) => telling(args.model, kept().save(args.model, args.records)),
    'records.update': (args) => telling(args.model, kept().update(args.model, args.records)),
    'records.delete': (args) => telling(args.model, kept().remove(args.model, args.ids)),
    'records.getByIds': (args) => kept().getByIds(args.model, args.ids),
    'records.list': (args) =>
      kept().list(args.model, { limit: args.limit, ...(args.cursor === undefined ? {} : { cursor: args.cursor }) }),
    'records.setMergingStrategy': async (args) => {
      await kept().setMergingStrategy(args.model, args.strategy);
      return null;
    },
    'records.trackDeletesStart': async (args) => {
      await kept().trackDeletesStart(args.model);
      return null;
    },
    'records.trackDeletesEnd': (args) => telling(args.model, kept().trackDeletesEnd(args.model)),
    'records.deleteFromPreviousExecutions': (args) =>
      telling(args.model, kept().deleteFromPreviousExecutions(args.model)),
    'checkpoint.get': () => checkpoint.get(),
    'checkpoint.save': async (args) => {
      await checkpoint.save(args.checkpoint);
      return null;
    },
    'checkpoint.clear': async () => {
      await checkpoint.clear();
      return null;
    },
    'lock.acquire': (args) => locks.acquire(args.key, args.ttlMs),
    'lock.release': (args) => locks.release(args.key),
    'lock.releaseAll': async () => {
      await locks.releaseAll();
      return null;
    },
  };
}
