import type { DryRunMethod, HostMethods, HostTable } from '../../../functions/runtime/bridge.ts';
import type { RunPlace } from './run-place.ts';
import type { DryParts, RunRequest } from './run-request.ts';

export type DryMethods = Pick<HostTable, DryRunMethod<'memory' | 'own'>>;

/** The host side of a run that stores nothing (http-api.md 14): what it would write, it reads back until it ends. */
export function createDryMethods(place: RunPlace, run: RunRequest, { memory, metadata }: DryParts): DryMethods {
  let written = metadata;
  const isOwn = ({ connectionId, providerConfigKey }: HostMethods['connection.get']['args']): boolean =>
    (connectionId ?? run.connection.connectionId) === run.connection.connectionId &&
    (providerConfigKey ?? run.integration.uniqueKey) === run.integration.uniqueKey;
  return {
    ...memory.methods(),
    'connection.get': async (args) => {
      const connection = await place.readConnection(args);
      return written && isOwn(args) ? { ...connection, metadata: written } : connection;
    },
    'metadata.set': async (args) => {
      written = args.metadata;
      return place.describeMetadata(args.metadata);
    },
    'metadata.update': async (args) => {
      written = { ...(written ?? run.connection.metadata), ...args.metadata };
      return place.describeMetadata(args.metadata);
    },
    'sync.trigger': async () => null,
  };
}
