import type { HostMethods } from '../../../functions/runtime/bridge.ts';

type Asks<M extends keyof HostMethods> = (args: HostMethods[M]['args']) => Promise<HostMethods[M]['result']>;

/** What a local run knows about its surroundings: asked of a hub, or read out of a recording. */
export interface LocalPlace {
  getConnection: Asks<'connection.get'>;
  setMetadata: Asks<'metadata.set'>;
  updateMetadata: Asks<'metadata.update'>;
  getIntegration: Asks<'integration.get'>;
  listVariables: Asks<'environment.variables'>;
  triggerAction: Asks<'action.trigger'>;
  triggerSync: Asks<'sync.trigger'>;
  getRecordsByIds: Asks<'records.getByIds'>;
  listRecords: Asks<'records.list'>;
  uncontrolledFetch(
    args: HostMethods['http.uncontrolledFetch']['args'],
    signal: AbortSignal,
  ): Promise<HostMethods['http.uncontrolledFetch']['result']>;
}
