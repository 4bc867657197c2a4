import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from './fake-provider.ts';
import { waitFor } from './wait-for.ts';

let provider: FakeProvider;
beforeEach(async () => {
  provider = await FakeProvider.start();
});
afterEach(() => provider.stop());

describe('FakeProvider', () => {
  it('answers by its rules and records the request', async () => {
    provider.on('POST /token', { status: 201, headers: { 'x-kind': 'test' }, body: { access_token: 'a' } });

    const response = await fetch(`${provider.address}/token?x=1`, { method: 'POST', body: 'grant' });

    expect(response.status).toBe(201);
    expect(response.headers.get('x-kind')).toBe('test');
    expect(await response.json()).toEqual({ access_token: 'a' });
    expect(provider.requestsTo('/token')).toMatchObject([
      { method: 'POST', url: '/token?x=1', body: Buffer.from('grant') },
    ]);
  });

  it('lets a later rule win and answers 404 without a rule', async () => {
    provider.on('GET /a', { body: 'first' }).on('GET /a', { body: 'second' });

    expect(await (await fetch(`${provider.address}/a`)).text()).toBe('second');
    expect((await fetch(`${provider.address}/b`)).status).toBe(404);
  });

  it('closes the connection on request', async () => {
    provider.on('GET /gone', { drop: true });

    await expect(fetch(`${provider.address}/gone`)).rejects.toThrow();
  });

  it('knows requests whose sender did not wait for the answer', async () => {
    let respond = (): void => {};
    provider.on('GET /late', () => new Promise((resolve) => (respond = () => resolve({ body: {} }))));
    const impatient = new AbortController();
    const asked = fetch(`${provider.address}/late`, { signal: impatient.signal });
    await waitFor(() => provider.requestsTo('/late').length > 0);

    impatient.abort();

    await expect(asked).rejects.toThrow();
    expect((await waitFor(() => provider.cutRequests[0])).url).toBe('/late');
    respond();
  });
});
