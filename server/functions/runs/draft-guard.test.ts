import { describe, expect, it } from 'vitest';
import type { GuestHttpRequest, HostTable } from '../../../functions/runtime/bridge.ts';
import { createDraftGuard } from './draft-guard.ts';
import type { RunRequest } from './run-request.ts';

const RUN = { connection: { connectionId: 'me' }, integration: { uniqueKey: 'practice' } } as RunRequest;
const SENT = { status: 200, statusText: 'sent', headers: {}, body: '{}', config: { method: '', url: '', headers: {} } };

/** Whether a request of a draft reaches the provider. */
async function isSent(request: Partial<GuestHttpRequest>): Promise<boolean> {
  const table = { 'http.request': async () => SENT } as unknown as HostTable;
  const send = createDraftGuard([], []).methods(table, RUN)['http.request'];
  const whole = { method: 'GET', endpoint: '/v1/issues', expect: 'text', ...request } as GuestHttpRequest;
  const answer = await send(whole, new AbortController().signal);
  return answer.statusText === 'sent';
}

describe('a dry run of a draft', () => {
  it.each([
    [{}, true],
    [{ method: 'head' }, true],
    [{ params: { page: '2' }, headers: { accept: 'application/json' } }, true],
    [{ method: 'POST' }, false],
    [{ method: 'DELETE' }, false],
    [{ headers: { 'X-HTTP-Method-Override': 'DELETE' } }, false],
    [{ headers: { 'x-method-override': 'PATCH' } }, false],
    [{ params: { _method: 'DELETE' } }, false],
    [{ params: '_method=DELETE' }, false],
    [{ endpoint: '/v1/issues/1?_method=DELETE' }, false],
  ] as Array<[Partial<GuestHttpRequest>, boolean]>)('sends %j: %s', async (request, isRead) => {
    expect(await isSent(request)).toBe(isRead);
  });
});
