import { describe, expect, it } from 'vitest';
import type { GuestHttpRequest, HostTable } from '../../../functions/runtime/bridge.ts';
import { readFilter } from '../dry-run/compare-shapes.ts';
import { createReadGuard } from './read-guard.ts';
import type { RunRequest } from './run-request.ts';

const SENT = { status: 200, statusText: 'sent', headers: {}, body: '{}', config: { method: '', url: '', headers: {} } };
const RECORDED = { post: { '/v1/search': { response: {}, readsOnly: true }, '/v1/issues': { response: {} } } };

/** Sends requests as a recording is made again; the first one that is refused throws. */
function sender(most = 10): (request: Partial<GuestHttpRequest>) => Promise<string> {
  const table = { 'http.request': async () => SENT } as unknown as HostTable;
  const guard = createReadGuard(readFilter(RECORDED), most);
  const send = guard.methods(table, {} as RunRequest)['http.request'];
  return async (request) => {
    const whole = { method: 'GET', endpoint: '/v1/issues', expect: 'text', ...request } as GuestHttpRequest;
    return (await send(whole, new AbortController().signal)).statusText;
  };
}

describe('a recording that is made again', () => {
  it.each([
    [{}],
    [{ method: 'head' }],
    [{ params: { page: '2' }, headers: { accept: 'application/json' } }],
    [{ method: 'POST', endpoint: 'v1/search?x=1' }],
  ] as Array<[Partial<GuestHttpRequest>]>)('sends %j', async (request) => {
    expect(await sender()(request)).toBe('sent');
  });

  it.each([
    [{ method: 'POST' }],
    [{ method: 'DELETE' }],
    [{ method: 'PUT', endpoint: '/v1/search' }],
    [{ headers: { 'X-HTTP-Method-Override': 'DELETE' } }],
    [{ method: 'POST', endpoint: '/v1/search', params: { _method: 'DELETE' } }],
    [{ endpoint: '/v1/issues/1?_method=DELETE' }],
  ] as Array<[Partial<GuestHttpRequest>]>)('does not send %j', async (request) => {
    await expect(sender()(request)).rejects.toThrow('This run may only read');
  });

  it('ends after enough requests', async () => {
    const send = sender(2);
    await send({});
    await send({});
    await expect(send({})).rejects.toThrow('may send 2 requests');
  });
});
