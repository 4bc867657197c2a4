import type { HostMethod } from '../../functions/runtime/bridge.ts';

/** The names a worker may ask for; a worker is not trusted to send only these. */
const HOST_METHODS: Record<HostMethod, true> = {
  'http.request': true,
  'http.uncontrolledFetch': true,
  'connection.get': true,
  'metadata.set': true,
  'metadata.update': true,
  'integration.get': true,
  'environment.variables': true,
  'action.trigger': true,
  'sync.trigger': true,
  'sync.start': true,
  'records.save': true,
  'records.update': true,
  'records.delete': true,
  'records.getByIds': true,
  'records.list': true,
  'records.setMergingStrategy': true,
  'records.trackDeletesStart': true,
  'records.trackDeletesEnd': true,
  'records.deleteFromPreviousExecutions': true,
  'checkpoint.get': true,
  'checkpoint.save': true,
  'checkpoint.clear': true,
  'lock.acquire': true,
  'lock.release': true,
  'lock.releaseAll': true,
};

export function isHostMethod(name: unknown): name is HostMethod {
  return typeof name === 'string' && Object.hasOwn(HOST_METHODS, name);
}
