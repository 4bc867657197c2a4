import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../test/support/fake-provider.ts';
import { OutboundHttp } from '../platform/lib/outbound-http.ts';
import { createPlainRequests, readStepResponse } from './provider-steps-runner.ts';

describe('requests without the connection’s credentials', () => {
  let provider: FakeProvider;
  let http: OutboundHttp;

  beforeEach(async () => {
    provider = await FakeProvider.start();
    http = new OutboundHttp({ ownPort: () => undefined });
  });
  afterEach(async () => {
    await http.stop();
    await provider.stop();
  });

  const send = (...[request]: Parameters<ReturnType<typeof createPlainRequests>>) =>
    createPlainRequests({ http, allowedHosts: 'all' })(request);

  it('carry query, headers and JSON', async () => {
    provider.on('POST /things', { status: 201, headers: { 'x-id': '7' }, body: { id: 7 } });

    const response = await send({
      method: 'POST',
      url: `${provider.address}/things?kept=1`,
      query: { added: 'a b' },
      headers: { 'X-Version': '2' },
      json: { name: 'thing' },
    });

    expect(response).toMatchObject({ status: 201, headers: { 'x-id': '7' }, text: '{"id":7}', json: { id: 7 } });
    expect(provider.requests[0]).toMatchObject({
      url: '/things?kept=1&added=a+b',
      headers: { 'x-version': '2', 'content-type': 'application/json', 'user-agent': 'Homeport' },
    });
    expect(provider.requests[0]?.body.toString()).toBe('{"name":"thing"}');
  });

  it('carry forms', async () => {
    provider.on('POST /token', { body: 'ok' });

    const response = await send({
      method: 'POST',
      url: `${provider.address}/token`,
      form: { scope: 'a b', secret: '&=' },
    });

    expect(response).toMatchObject({ text: 'ok', json: undefined });
    expect(provider.requests[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(provider.requests[0]?.body.toString()).toBe('scope=a+b&secret=%26%3D');
  });

  it('follow no redirect', async () => {
    provider.on('GET /here', { status: 307, headers: { location: '/there' } });

    expect(await send({ url: `${provider.address}/here` })).toMatchObject({ status: 307, json: undefined });
    expect(provider.requestsTo('/there')).toEqual([]);
  });

  it('reach no private address unless allowed', async () => {
    const guarded = createPlainRequests({ http });

    await expect(guarded({ url: `${provider.address}/here` })).rejects.toMatchObject({ code: 'ERR_ADDRESS_REFUSED' });
  });

  it('end when the time is up', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    provider.on('GET /slow', () => {
      resolve();
      return new Promise(() => {});
    });
    const impatient = createPlainRequests({ http, allowedHosts: 'all', timeoutMs: 200 });

    const response = impatient({ url: `${provider.address}/slow` });
    await Promise.all([asked, expect(response).rejects.toMatchObject({ code: 'ETIMEDOUT' })]);
  });

  it('refuse an answer over one megabyte', async () => {
    const body = Readable.from([Buffer.alloc(1_048_576), Buffer.alloc(1)]);

    await expect(readStepResponse({ status: 200, headers: {}, body })).rejects.toMatchObject({
      code: 'ERR_RESPONSE_TOO_LARGE',
    });
  });
});
