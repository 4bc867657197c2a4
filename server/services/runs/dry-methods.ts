import type { HostMethod, HostMethods } from '../../../functions/runtime/bridge.ts';
import type { StoringMethods } from '../../dry-run/memory-host.ts';
import type { RunPlace } from './run-place.ts';
import type { DryParts, RunRequest } from './run-request.ts';

type Replaced = 'connection.get' | 'metadata.set' | 'metadata.update' | 'sync.trigger' | 'sync.start';

export type DryMethods = StoringMethods & {
  [M in Replaced & HostMethod]: (args: HostMethods[M]['args']) => Promise<HostMethods[M]['result']>;
};

/** The host side of a run that stores nothing (http-api.md 14): what it would write, it reads back until it ends. */
export function createDryMethods(place: RunPlace, run: RunRequest, { memory, metadata }: DryParts): DryMethods {
  let written = metadata;
  const isOwn = ({ connectionId, providerConfigKey }: HostMethods['connection.get']['args']): boolean =>
    (connectionId ?? run.connection.connectionId) === run.connection.connectionId &&
    (providerConfigKey ?? run.integration.uniqueKey) === run.integration.uniqueKey;
  const write = (status: number, changed: Record<string, unknown>): Record<string, unknown> => {
    written = changed;
    const ids = { connection_id: run.connection.connectionId, provider_config_key: run.integration.uniqueKey };
    return { status, data: { ...ids, metadata: changed } };
  };
  return {
    ...memory.methods(),
    'connection.get': async (args) => {
      const connection = await place.readConnection(args);
      return written && isOwn(args) ? { ...connection, metadata: written } : connection;
    },
    'metadata.set': async (args) => write(201, args.metadata),
    'metadata.update': async (args) => write(200, { ...(written ?? run.connection.metadata), ...args.metadata }),
    'sync.trigger': async () => null,
    'sync.start': async () => null,
  };
}
