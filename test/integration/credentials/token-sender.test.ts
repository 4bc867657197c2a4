import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TokenRequest, TokenResponse } from '../../../server/connections/credentials/token-context.ts';
import { createTokenSender } from '../../../server/connections/credentials/token-sender.ts';
import type { ProviderDefinition } from '../../../server/integrations/catalog/entry-schema.ts';
import type { Operation } from '../../../server/log/operation.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { OutboundHttp } from '../../../server/platform/lib/outbound-http.ts';
import { FakeProvider } from '../../support/fake-provider.ts';

const CANARY = 'canary-value';

let provider: FakeProvider;
let http: OutboundHttp;
let messages: object[];

beforeEach(async () => {
  provider = await FakeProvider.start();
  http = new OutboundHttp({ ownPort: () => undefined });
  messages = [];
});

afterEach(async () => {
  await http.stop();
  await provider.stop();
});

interface Setting extends Partial<Omit<Parameters<typeof createTokenSender>[0], 'entry'>> {
  entry?: Partial<ProviderDefinition>;
  source?: 'builtin' | 'workspace';
}

/** Sends to `/token` as a provider of the workspace would, with the given changes. */
function send(
  request: Partial<TokenRequest> = {},
  { entry, source = 'workspace', ...options }: Setting = {},
): Promise<TokenResponse> {
  const operation: Pick<Operation, 'log'> = { log: (message) => void messages.push(message) };
  const sender = createTokenSender({
    http,
    clock: systemClock,
    allowedHosts: [],
    operation: operation as Operation,
    ...options,
    entry: {
      name: 'acme',
      source,
      display_name: 'Acme',
      auth_mode: 'OAUTH2',
      token_url: `${provider.address}/token`,
      ...entry,
    },
  });
  return sender({ method: 'POST', url: `${provider.address}/token`, ...request });
}

describe('createTokenSender', () => {
  it('sends the request as it is and reads the answer', async () => {
    provider.on('POST /token', { status: 201, headers: { 'x-own': 'yes' }, body: { access_token: 'T' } });

    const response = await send({ headers: { 'x-asked': '1' }, body: 'a=b' });

    const text = '{"access_token":"T"}';
    expect(response).toMatchObject({ status: 201, text, json: { access_token: 'T' }, headers: { 'x-own': 'yes' } });
    const [request] = provider.requests;
    expect([request?.headers['x-asked'], request?.body.toString()]).toEqual(['1', 'a=b']);
  });

  it.each([
    ['a page', 200, '<html>down</html>'],
    ['nothing', 204, ''],
  ])('answers %s without JSON', async (_what, status, text) => {
    provider.on('POST /token', { status, body: text });

    expect(await send()).toMatchObject({ status, text, json: undefined });
  });

  it('does not follow redirects', async () => {
    provider.on('POST /token', { status: 302, headers: { location: `${provider.address}/other` } });

    expect((await send()).status).toBe(302);
    expect(provider.requests).toHaveLength(1);
  });

  it('notes the address without its query, and nothing that was said', async () => {
    provider.on('POST /token', { status: 400, body: { error: CANARY } });

    await send({
      url: `${provider.address}/token?access_token=${CANARY}`,
      headers: { authorization: CANARY },
      body: `client_secret=${CANARY}`,
    });

    const url = `${provider.address}/token`;
    expect(messages).toEqual([
      {
        level: 'error',
        type: 'http',
        context: 'auth',
        message: `POST ${url} answered 400`,
        durationMs: expect.any(Number),
        request: { method: 'POST', url },
        response: { code: 400 },
      },
    ]);
  });

  it('gives up when no answer arrives in time', async () => {
    provider.on('POST /token', () => new Promise(() => {}));

    const sent = send({ url: `${provider.address}/token?secret=${CANARY}`, body: CANARY }, { timeoutMs: 50 });

    await expect(sent).rejects.toMatchObject({
      code: 'provider_unreachable',
      payload: { code: 'ETIMEDOUT' },
      message: expect.stringMatching(/^The provider could not be reached: .*Try again later\.$/),
    });
    expect(JSON.stringify(messages)).not.toContain(CANARY);
    expect(messages).toMatchObject([{ level: 'error', error: { type: 'ETIMEDOUT' } }]);
  });

  it('gives up when the rest of the answer does not come', async () => {
    const server = createServer((_request, response) => void response.writeHead(200).write('{"access'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const sent = send({ url: `${address}/token` }, { entry: { token_url: `${address}/token` }, timeoutMs: 200 });

      await expect(sent).rejects.toMatchObject({ code: 'provider_unreachable', payload: { code: 'ETIMEDOUT' } });
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('says that the connection broke', async () => {
    provider.on('POST /token', { drop: true });

    await expect(send()).rejects.toMatchObject({
      code: 'provider_unreachable',
      payload: { code: 'ECONNRESET' },
    });
  });

  it('reads no answer without end', async () => {
    provider.on('POST /token', { body: 'x'.repeat(1_048_577) });

    await expect(send()).rejects.toMatchObject({
      code: 'provider_unreachable',
      payload: { code: 'ERR_RESPONSE_TOO_LARGE' },
    });
  });
});

describe('createTokenSender: private addresses', () => {
  const elsewhere: Partial<ProviderDefinition> = { token_url: 'https://acme.test/token' };

  it('refuses them with an advice', async () => {
    const { host } = new URL(provider.address);

    await expect(send({}, { entry: elsewhere })).rejects.toMatchObject({
      code: 'provider_unreachable',
      payload: { code: 'ERR_ADDRESS_REFUSED' },
      message: expect.stringContaining(`Add ${host} to allowed_hosts (PATCH /environment/settings) to reach it.`),
    });
    expect(provider.requests).toEqual([]);
    expect(messages).toMatchObject([{ error: { type: 'ERR_ADDRESS_REFUSED' } }]);
  });

  it('reaches those that the environment allows', async () => {
    provider.on('POST /token', { body: {} });

    const { host } = new URL(provider.address);

    expect((await send({}, { entry: elsewhere, allowedHosts: [host] })).status).toBe(200);
  });

  it.each<[string, (address: string) => Partial<ProviderDefinition>]>([
    ['token_url', (address) => ({ token_url: `${address}/token` })],
    ['a token_url per mode', (address) => ({ token_url: { APP: `${address}/a`, OAUTH2: 'https://acme.test' } })],
    ['refresh_url', (address) => ({ ...elsewhere, refresh_url: `${address}/r` })],
    ['a later step', (address) => ({ ...elsewhere, additional_steps: [{ token_url: `${address}/s` }] })],
    ['the base of the API', (address) => ({ ...elsewhere, proxy: { base_url: address } })],
  ])('reaches one that the entry writes as %s', async (_where, entryAt) => {
    provider.on('POST /token', { body: {} });

    expect((await send({}, { entry: entryAt(provider.address) })).status).toBe(200);
  });

  it('does not reach an address that only fills a placeholder', async () => {
    const entry = { token_url: 'http://${connectionConfig.host}/token' };

    await expect(send({}, { entry })).rejects.toMatchObject({ payload: { code: 'ERR_ADDRESS_REFUSED' } });
  });
});
