import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromGuestRequest, toGuestResponse } from '../../../server/functions/runs/host-api.ts';
import type { ProviderDefinition, ProviderEntry } from '../../../server/integrations/catalog/entry-schema.ts';
import { HomeportError } from '../../../server/platform/lib/homeport-error.ts';
import { randomIds } from '../../../server/platform/lib/ids.ts';
import { readBody } from '../../../server/platform/lib/outbound-exchange.ts';
import { OutboundHttp } from '../../../server/platform/lib/outbound-http.ts';
import {
  createProxyService,
  type ProxyAttempt,
  type ProxyCall,
  ProxyRequestError,
  type ProxyService,
  type ProxyTarget,
} from '../../../server/proxy/proxy.service.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { waitFor } from '../../support/wait-for.ts';

const LIMIT = 1_000_000;
const ref = { environmentId: 1, integrationKey: 'acme', connectionId: 'c1' };

let provider: FakeProvider;
let http: OutboundHttp;
let clock: FakeClock;
let credentials: ProxyTarget['connection']['credentials'];
let proxyRules: NonNullable<ProviderDefinition['proxy']>;
let source: ProviderEntry['source'];
let allowed: string[];
let connectionConfig: Record<string, unknown>;
let configFields: ProviderDefinition['connection_config'];
let reads: number;
let attempts: ProxyAttempt[];
let service: ProxyService;

beforeEach(async () => {
  provider = await FakeProvider.start();
  http = new OutboundHttp({ ownPort: () => undefined });
  clock = new FakeClock();
  credentials = { type: 'API_KEY', apiKey: 'canary-key' };
  proxyRules = { base_url: provider.address, headers: { 'x-key': '${apiKey}' } };
  source = 'workspace';
  allowed = [];
  connectionConfig = {};
  configFields = undefined;
  reads = 0;
  attempts = [];
  service = createService();
});

afterEach(async () => {
  await http.stop();
  await provider.stop();
});

function createService(overridesAllowed = true): ProxyService {
  // Built at the first look-up, after the test has written its rules; then one object, as in the catalogue.
  let entry: ProviderEntry | undefined;
  const find = (name: string): ProviderEntry | undefined => {
    entry ??= {
      name: 'acme',
      source,
      display_name: 'Acme',
      auth_mode: 'API_KEY',
      proxy: proxyRules,
      ...(configFields ? { connection_config: configFields } : {}),
    };
    return name === entry.name ? entry : undefined;
  };
  return createProxyService({
    catalog: { find, explainMissing: (name) => `There is no ${name}.` },
    resolveTarget: async ({ integrationKey }) => {
      reads++;
      return {
        environmentId: 1,
        providerName: integrationKey,
        integration: { uniqueKey: integrationKey },
        connection: { id: 1, connectionId: 'c1', credentials: { ...credentials }, connectionConfig, metadata: {} },
      };
    },
    http,
    clock,
    ids: randomIds,
    environments: {
      allowedHosts: () => allowed,
      find: () => ({ settings: { allowsBaseUrlOverride: overridesAllowed } }) as never,
    },
  });
}

function call(change: Partial<ProxyCall> = {}) {
  return service.call({
    target: ref,
    method: 'GET',
    endpoint: '/items',
    onAttempt: (attempt) => attempts.push(attempt),
    ...change,
  });
}

/** Answers with one status after the other; the last one is repeated. */
function respondWith(...statuses: number[]): void {
  let index = 0;
  provider.on('GET /items', () => ({
    status: statuses[Math.min(index++, statuses.length - 1)] ?? 200,
    body: { at: index },
  }));
}

/** Runs a call to its end, moving the clock through every wait. */
async function settle<T>(promise: Promise<T>): Promise<T> {
  let isDone = false;
  const done = promise.finally(() => (isDone = true));
  done.catch(() => {
    // Awaited below.
  });
  while (!isDone) {
    await waitFor(() => isDone || clock.pendingTimers > 0);
    if (!isDone) await clock.advance(600_000);
  }
  return done;
}

const waits = (): Array<number | undefined> => attempts.map((attempt) => attempt.retry?.waitMs);

describe('ProxyService.call', () => {
  it('injects credentials and hands the answer on unread', async () => {
    provider.on('GET /items', { status: 201, headers: { 'x-a': ['1', '2'] }, body: { ok: true } });

    const response = await call({ endpoint: "/items?b=%5B2%5D&a='" });

    expect(response).toMatchObject({
      status: 201,
      statusText: 'Created',
      headers: { 'content-type': 'application/json' },
    });
    expect((await readBody(response.body, LIMIT)).toString()).toBe('{"ok":true}');
    expect(provider.requests[0]).toMatchObject({ url: "/items?b=%5B2%5D&a='", headers: { 'x-key': 'canary-key' } });
  });

  it('hands a refusal of the provider on unchanged', async () => {
    provider.on('GET /items', { status: 404, headers: { 'x-why': 'gone' }, body: 'no such thing' });

    const response = await call();

    expect(response).toMatchObject({ status: 404, headers: { 'x-why': 'gone' } });
    expect((await readBody(response.body, LIMIT)).toString()).toBe('no such thing');
  });

  it('streams: the caller reads before the provider has finished', async () => {
    let finish = (): void => {};
    const server = createServer((_request, response) => {
      response.write('first');
      finish = () => response.end('second');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    proxyRules.base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    const chunks = (await call()).body[Symbol.asyncIterator]();

    expect(String((await chunks.next()).value)).toBe('first');
    finish();
    expect(String((await chunks.next()).value)).toBe('second');
    await chunks.return?.();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('does not retry unless asked to', async () => {
    respondWith(500);

    expect((await call()).status).toBe(500);
    expect(provider.requests).toHaveLength(1);
  });

  it('retries with doubling waits and returns the last answer', async () => {
    respondWith(500, 502, 429, 503);

    const response = await settle(call({ retries: 3 }));

    expect(response.status).toBe(503);
    expect(JSON.parse((await readBody(response.body, LIMIT)).toString())).toEqual({ at: 4 });
    expect(waits()).toEqual([3_000, 6_000, 12_000, undefined]);
    expect(attempts.map((attempt) => [attempt.attempt, attempt.status, attempt.retry?.reason])).toEqual([
      [1, 500, 'status_500'],
      [2, 502, 'status_502'],
      [3, 429, 'status_429'],
      [4, 503, undefined],
    ]);
  });

  it('follows the rules of the entry and the caller', async () => {
    proxyRules.retry = { error_code: ['429'], after: 'x-wait' };
    let count = 0;
    provider.on('GET /items', () => (count++ === 0 ? { status: 429, headers: { 'x-wait': '7' } } : { status: 500 }));

    expect((await settle(call({ retries: 5 }))).status).toBe(500);
    expect(waits()).toEqual([7_000, undefined]);

    attempts.length = 0;
    await settle(call({ retries: 1, retryOn: [500] }));
    expect(attempts).toHaveLength(2);
  });

  it('reads the hint for the wait from the error body', async () => {
    proxyRules.retry = { in_body: { path: 'error.message', value: 'wait (\\d+)', strategy: 'after' } };
    provider.on('GET /items', { status: 429, body: { error: { message: 'wait 42 seconds' } } });

    await settle(call({ retries: 1 }));

    expect(waits()).toEqual([42_000, undefined]);
  });

  it('retries when the connection breaks, and then says what was tried', async () => {
    provider.on('GET /items', { drop: true });

    const error = await settle(call({ retries: 1, endpoint: '/items?k=canary-key' })).catch(
      (failure: unknown) => failure,
    );

    expect(error).toBeInstanceOf(ProxyRequestError);
    expect(error).toMatchObject({
      code: 'ECONNRESET',
      request: { method: 'GET', url: `${provider.address}/items?k=REDACTED` },
    });
    expect(attempts.map((attempt) => attempt.error?.code)).toEqual(['ECONNRESET', 'ECONNRESET']);
    expect(JSON.stringify([error, attempts])).not.toContain('canary-key');
  });

  it('reads the credentials again before a retry when they are older than 60 s', async () => {
    proxyRules.retry = { after: 'x-wait' };
    provider.on('GET /items', { status: 500, headers: { 'x-wait': '61' } });
    await settle(call({ retries: 1 }));
    expect(reads).toBe(2);

    reads = 0;
    provider.on('GET /items', { status: 500, headers: { 'x-wait': '20' } });
    const running = call({ retries: 2 });
    for (let retry = 0; retry < 2; retry++) {
      await waitFor(() => clock.pendingTimers > 0);
      await clock.advance(20_000);
    }
    await running;
    expect(reads).toBe(1);
  });

  it('sends a 401 once more, with what it then reads', async () => {
    provider.on('GET /items', (request) => {
      credentials = { type: 'API_KEY', apiKey: 'renewed-key' };
      return { status: request.headers['x-key'] === 'renewed-key' ? 200 : 401 };
    });

    expect((await settle(call({ retries: 1 }))).status).toBe(200);
    expect(provider.requests.map((request) => request.headers['x-key'])).toEqual(['canary-key', 'renewed-key']);
  });

  it('gives up at the second 401 when the credentials stay the same', async () => {
    respondWith(401);

    expect((await settle(call({ retries: 5 }))).status).toBe(401);
    expect(provider.requests).toHaveLength(2);
  });

  it('gives up at the first 401 when an earlier attempt already used these credentials', async () => {
    respondWith(500, 401);

    expect((await settle(call({ retries: 5 }))).status).toBe(401);
    expect(provider.requests).toHaveLength(2);
  });

  it('does not wait past the deadline', async () => {
    respondWith(500);

    await settle(call({ retries: 1, deadlineMs: clock.now() + 500 }));

    expect(waits()).toEqual([500, undefined]);
  });

  it('stops waiting when the caller aborts', async () => {
    respondWith(500);
    const controller = new AbortController();
    const running = call({ retries: 1, signal: controller.signal });
    await waitFor(() => clock.pendingTimers > 0);

    controller.abort(new Error('stopped'));

    await expect(running).rejects.toThrow('stopped');
    expect(provider.requests).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('shows no secret in what it reports', async () => {
    provider.on('GET /items', { headers: { 'set-cookie': 'session=1', 'x-echo': 'canary-key' } });

    const response = await call({ params: { key: 'canary-key' }, headers: { authorization: 'Bearer callers-own' } });

    expect(attempts).toHaveLength(1);
    expect(JSON.stringify([attempts, response.describeRequest()])).not.toMatch(/canary|callers-own|session=1/);
    expect(attempts[0]?.request).toMatchObject({ method: 'GET', url: `${provider.address}/items?key=REDACTED` });
  });

  it.each<[string, Partial<ProxyCall>]>([
    ['missing_api_url', { endpoint: '' }],
    ['missing_provider', { target: { ...ref, integrationKey: '' } }],
    ['unknown_provider', { target: { ...ref, integrationKey: 'nobody' } }],
  ])('answers %s', async (code, change) => {
    await expect(call(change)).rejects.toMatchObject({ code, status: 400 });
  });

  it('answers base_url_override_disabled when overrides are off, also before reading the connection', async () => {
    service = createService(false);

    await expect(call({ baseUrlOverride: 'https://api.acme.test' })).rejects.toMatchObject({
      code: 'base_url_override_disabled',
    });
    expect(reads).toBe(0);
  });
});

describe('ProxyService and private addresses', () => {
  it('reaches a host that the user wrote in the workspace, and an override to the same host', async () => {
    provider.on('GET /items', {});

    expect((await call()).status).toBe(200);
    expect((await call({ baseUrlOverride: provider.address })).status).toBe(200);
  });

  it('refuses an override to another private host until the environment allows it', async () => {
    provider.on('GET /items', {});
    proxyRules.base_url = 'https://api.acme.test';
    const override = { baseUrlOverride: provider.address };

    await expect(call(override)).rejects.toMatchObject({ code: 'base_url_override_not_allowed', status: 400 });
    allowed = ['127.0.0.1'];
    expect((await call(override)).status).toBe(200);
  });

  it('does not trust a private address that came from the connection', async () => {
    proxyRules.base_url = '${connectionConfig.url}';
    connectionConfig = { url: provider.address };

    await expect(call()).rejects.toMatchObject({ code: 'base_url_override_not_allowed' });
    expect(provider.requests).toHaveLength(0);
  });

  it('reaches a built-in provider on this computer', async () => {
    source = 'builtin';
    provider.on('GET /items', {});

    expect((await call()).status).toBe(200);
  });

  it('refuses a redirect to a private host, and does not retry it', async () => {
    provider.on('GET /items', { status: 302, headers: { location: 'http://169.254.169.254/' } });

    await expect(call({ retries: 3 })).rejects.toMatchObject({ code: 'proxy_redirect_to_denied_host' });
    expect(provider.requests).toHaveLength(1);
  });

  it("refuses a redirect to a neighbour of the provider's port", async () => {
    const other = await FakeProvider.start();
    provider.on('GET /items', { status: 302, headers: { location: `${other.address}/there` } });

    await expect(call()).rejects.toMatchObject({ code: 'proxy_redirect_to_denied_host' });
    expect(other.requests).toHaveLength(0);
    await other.stop();
  });

  it("does not take an entry's key header to another host", async () => {
    const other = await FakeProvider.start();
    other.on('GET /there', {});
    provider.on('GET /items', { status: 302, headers: { location: `${other.address}/there` } });
    allowed = ['127.0.0.1'];

    await call();

    expect(other.requests).toHaveLength(1);
    expect(other.requests[0]?.headers).not.toHaveProperty('x-key');
    await other.stop();
  });
});

describe('a redirect to another host', () => {
  const secretField = {
    type: 'string',
    title: 'T',
    description: 'T',
    secret: true,
  } as const;

  it.each([307, 308])(
    'with %i takes neither secrets of the body nor headers of secret configuration along',
    async (status) => {
      const other = await FakeProvider.start();
      try {
        other.on('POST /there', { body: {} });
        provider.on('POST /items', {
          status,
          headers: { location: `${other.address}/there` },
        });
        allowed = [new URL(other.address).host];
        proxyRules = {
          ...proxyRules,
          headers: {
            'x-tenant': '${connectionConfig.tenant}',
            'x-region': '${connectionConfig.region}',
          },
          body: { key: '${apiKey}', region: '${connectionConfig.region}' },
        };
        configFields = {
          tenant: secretField,
          region: { ...secretField, secret: false },
        };
        connectionConfig = { tenant: 'canary-tenant', region: 'eu' };

        await call({
          method: 'POST',
          body: { kind: 'json', text: '{"mine":1}' },
        });

        expect(JSON.parse(String(provider.requests[0]?.body))).toEqual({
          mine: 1,
          key: 'canary-key',
          region: 'eu',
        });
        expect(provider.requests[0]?.headers).toMatchObject({
          'x-tenant': 'canary-tenant',
          'x-region': 'eu',
        });
        expect(JSON.parse(String(other.requests[0]?.body))).toEqual({
          mine: 1,
          region: 'eu',
        });
        expect(other.requests[0]?.headers).toMatchObject({ 'x-region': 'eu' });
        expect(other.requests[0]?.headers).not.toHaveProperty('x-tenant');
      } finally {
        await other.stop();
      }
    },
  );
});

describe('ProxyService.verify', () => {
  const target = (): ProxyTarget => ({
    environmentId: 1,
    providerName: 'acme',
    integration: { uniqueKey: 'acme' },
    connection: { id: 0, connectionId: 'new', credentials, connectionConfig: {}, metadata: {} },
  });

  it('is untested without a verification request', async () => {
    expect(await service.verify(target(), 'interactive')).toEqual({ kind: 'untested' });
  });

  it('accepts when one of the endpoints answers 2xx', async () => {
    proxyRules.verification = {
      endpoints: ['/first', '/bots/${apiKey}'],
      method: 'POST',
      headers: { 'x-test': '1' },
      data: { q: 1 },
    };
    provider.on('POST /first', { status: 401 }).on('POST /bots/canary-key', { status: 200 });

    expect(await service.verify(target(), 'import')).toEqual({ kind: 'accepted' });
    expect(provider.requests[1]).toMatchObject({
      headers: { 'x-test': '1', 'content-type': 'application/json' },
      body: Buffer.from('{"q":1}'),
    });
  });

  it('is refused without a retry when no address works', async () => {
    proxyRules.verification = { endpoints: ['/first', '/second'] };
    provider.on('GET /first', { status: 500 }).on('GET /second', { status: 403 });

    expect(await service.verify(target(), 'interactive')).toEqual({ kind: 'refused', status: 403 });
    expect(provider.requests).toHaveLength(2);
  });

  it('tells an unreachable provider from one that refuses', async () => {
    proxyRules.verification = { endpoints: ['/first'] };
    provider.on('GET /first', { drop: true });

    expect(await service.verify(target(), 'interactive')).toEqual({ kind: 'unreachable', code: 'ECONNRESET' });
  });

  it('uses the address of its own that the verification names', async () => {
    const other = await FakeProvider.start();
    other.on('GET /me', {});
    proxyRules.verification = { endpoints: ['/me'], base_url_override: other.address };

    expect(await service.verify(target(), 'interactive')).toEqual({ kind: 'accepted' });
    await other.stop();
  });
});

describe('requests of functions', () => {
  it('run through the same call and come back as text or bytes', async () => {
    provider.on('GET /items', {
      headers: { link: ['<a>', '<b>'], 'set-cookie': ['x', 'y'] },
      body: Buffer.from([255, 1]),
    });
    const request = {
      method: 'GET',
      endpoint: '/items',
      params: { a: '1' },
      decompress: false,
      expect: 'bytes',
    } as const;

    const response = await toGuestResponse(await service.call(fromGuestRequest(request, ref)), 'bytes', {
      limitBytes: LIMIT,
    });

    expect(response).toMatchObject({
      status: 200,
      statusText: 'OK',
      headers: { link: '<a>, <b>', 'set-cookie': ['x', 'y'] },
    });
    expect([...(response.body as Uint8Array)]).toEqual([255, 1]);
    expect(response.config).toMatchObject({ url: `${provider.address}/items?a=1`, headers: { 'x-key': 'REDACTED' } });
  });

  it('may name another connection', () => {
    expect(
      fromGuestRequest({ method: 'GET', endpoint: '/', providerConfigKey: 'other', expect: 'text' }, ref).target,
    ).toEqual({ ...ref, integrationKey: 'other' });
  });

  it('do not read a body past the limit', async () => {
    provider.on('GET /items', { body: 'x'.repeat(100) });

    await expect(toGuestResponse(await call(), 'text', { limitBytes: 99 })).rejects.toMatchObject({
      code: 'ERR_RESPONSE_TOO_LARGE',
    });
  });

  it('keep HomeportError for what cannot be sent', async () => {
    await expect(
      service.call(fromGuestRequest({ method: 'GET', endpoint: '', expect: 'text' }, ref)),
    ).rejects.toBeInstanceOf(HomeportError);
  });
});
