import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MessageListItem } from '../../../server/log/dashboard-logs.contract.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { findSecrets } from '../../support/find-secrets.ts';
import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const API_KEY = 'canary-api-key-of-acme';
const ASKED = 'canary-what-was-asked';
const ANSWERED = 'canary-what-was-answered';
const RENEWED = 'canary-renewed-token';

let home: TempHome;
let provider: FakeProvider;
let server: InProcessServer;
let dashboard: DashboardClient;

beforeAll(async () => {
  home = await createTempHome();
  provider = await FakeProvider.start();
  const workspace = join(home.path, 'functions');
  await mkdir(workspace);
  await writeFile(join(workspace, 'providers.yaml'), providerEntries(provider.address));
  await saveFunction(
    workspace,
    'acme/actions/ask.ts',
    actionSource(`const asked = '${ASKED.split('-').join(' ')}'.replaceAll(' ', '-');
    const { data } = await nango.post({ endpoint: '/items', data: { asked } });
    return data;`),
  );
  server = await startInProcess({ home: home.path, env: { HOMEPORT_MASTER_KEY: randomBytes(32).toString('base64') } });
  dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
  await api('POST', '/integrations', { provider: 'acme', unique_key: 'acme' });
  await api('POST', '/integrations', {
    provider: 'renewing',
    unique_key: 'renewing',
    credentials: { type: 'OAUTH2', client_id: 'client', client_secret: 'client-secret-of-ours' },
  });
  await api('POST', '/connections', {
    provider_config_key: 'acme',
    connection_id: 'c1',
    credentials: { type: 'API_KEY', apiKey: API_KEY },
  });
  await waitFor(async () => (await api('GET', '/scripts/config')).text.includes('"ask"'), { what: 'the action' });
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
  await home?.remove();
});

beforeEach(async () => {
  provider.on('POST /items', { body: { answered: ANSWERED, echo: API_KEY, access_token: 'granted-by-the-provider' } });
  await change(true);
});
afterEach(() => dashboard.call('DELETE /api/v1/traffic-recording'));

const change = (isOn: boolean, mostMegabytes = 200) =>
  dashboard.call('PUT /api/v1/traffic-recording', { body: { isOn, mostMegabytes } });
const state = () => dashboard.call('GET /api/v1/traffic-recording');

async function api(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${server.secretKey}`,
      ...{ 'provider-config-key': 'acme', 'connection-id': 'c1' },
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const seen = new Set<string>();

/** The newest ended operation of the type that no earlier call returned, and its requests. */
async function newest(types: string): Promise<{ operationId: string; requests: MessageListItem[] }> {
  return waitFor(
    async () => {
      const { data } = await dashboard.call('GET /api/v1/logs/operations', { query: { types, limit: '1' } });
      const [operation] = data;
      if (!operation?.endedAt || seen.has(operation.id)) return undefined;
      const query = { operationId: operation.id, types: 'http' };
      const { data: requests } = await dashboard.call('GET /api/v1/logs/messages', { query });
      if (requests.length === 0) return undefined;
      seen.add(operation.id);
      return { operationId: operation.id, requests };
    },
    { what: `the end of ${types}` },
  );
}

const partsOf = (operationId: string, message: MessageListItem | undefined) => ({
  params: { operationId, recordingId: message?.recordingId ?? '' },
});
const READ = 'GET /api/v1/logs/operations/:operationId/recordings/:recordingId';

/** Its bodies, once they are stored. */
async function readRecording(operationId: string, message: MessageListItem | undefined) {
  const parts = partsOf(operationId, message);
  await waitFor(async () => (await dashboard.send(READ, parts)).status === 200, { what: 'the recording' });
  return dashboard.call(READ, parts);
}

describe('recording of traffic', () => {
  it('is off until it is switched on, and keeps nothing then', async () => {
    await change(false);

    await api('POST', '/proxy/items', { asked: ASKED });
    await api('POST', '/action/trigger', { action_name: 'ask' });

    expect((await newest('proxy')).requests.map(({ recordingId }) => recordingId)).toEqual([null]);
    expect((await newest('action')).requests.map(({ recordingId }) => recordingId)).toEqual([null]);
    expect(await state()).toEqual({ isOn: false, mostMegabytes: 200, usedBytes: 0 });
  });

  it.each([
    ['an API call', 'proxy', () => api('POST', '/proxy/items', { asked: ASKED })],
    ['a function', 'action', () => api('POST', '/action/trigger', { action_name: 'ask' })],
  ])('keeps both bodies of %s, without secrets', async (_what, type, send) => {
    const response = await send();

    const { operationId, requests } = await newest(type);
    const recorded = await readRecording(operationId, requests[0]);
    expect(response.text).toContain(API_KEY);
    expect(recorded.request).toMatchObject({ text: `{"asked":"${ASKED}"}`, encoding: 'utf8', isCut: false });
    expect(JSON.parse(recorded.response?.text ?? '')).toEqual({
      answered: ANSWERED,
      echo: 'REDACTED',
      access_token: 'REDACTED',
    });
    expect(recorded.response).toMatchObject({ contentType: 'application/json', isCut: false });
    expect((await state()).usedBytes).toBeGreaterThan(0);
  });

  it('keeps each attempt of a request that is repeated', async () => {
    let count = 0;
    provider.on('POST /items', () => {
      count += 1;
      return count === 1 ? { status: 503, headers: { 'retry-after': '0' }, body: { busy: 1 } } : { body: { busy: 0 } };
    });

    await api('POST', '/proxy/items', { asked: ASKED }, { retries: '1' });

    const { operationId, requests } = await newest('proxy');
    const attempts = await Promise.all(requests.map((request) => readRecording(operationId, request)));
    expect(attempts.map(({ response }) => response?.text)).toEqual(['{"busy":1}', '{"busy":0}']);
    expect(attempts.map(({ request }) => request?.text)).toEqual(Array(2).fill(`{"asked":"${ASKED}"}`));
  });

  it.each([
    ['an API call', 'proxy', () => api('POST', '/proxy/items', { asked: ASKED })],
    ['a function', 'action', () => api('POST', '/action/trigger', { action_name: 'ask' })],
  ])('keeps what %s sent when no answer comes', async (_what, type, send) => {
    provider.on('POST /items', { drop: true });

    await send();

    const { operationId, requests } = await newest(type);
    expect(await readRecording(operationId, requests[0])).toMatchObject({
      request: { text: `{"asked":"${ASKED}"}` },
      response: null,
    });
  });

  it('keeps bytes as base64, and decodes what the caller takes encoded', async () => {
    provider.on('GET /picture', { headers: { 'content-type': 'image/png' }, body: Buffer.from([0, 255, 128, 1]) });
    provider.on('GET /packed', {
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
      body: gzipSync('packed text'),
    });

    await api('GET', '/proxy/picture');
    const picture = await newest('proxy');
    expect(await readRecording(picture.operationId, picture.requests[0])).toMatchObject({
      request: null,
      response: { text: 'AP+AAQ==', encoding: 'base64', contentType: 'image/png', sizeBytes: 4 },
    });

    await api('GET', '/proxy/packed', undefined, { decompress: 'false' });
    const sent = await newest('proxy');
    expect((await readRecording(sent.operationId, sent.requests[0])).response).toMatchObject({ text: 'packed text' });
  });

  it('never keeps what is said to get a token', async () => {
    provider.on('POST /token', { body: { access_token: RENEWED, refresh_token: 'next-refresh', expires_in: 3600 } });
    await api('POST', '/connections', {
      provider_config_key: 'renewing',
      connection_id: 'r1',
      credentials: { type: 'OAUTH2', access_token: 'old-token', refresh_token: 'old-refresh', expires_in: 1 },
    });

    await api('POST', '/proxy/items', { asked: ASKED }, { 'provider-config-key': 'renewing', 'connection-id': 'r1' });

    expect(provider.requestsTo('/token')).toHaveLength(1);
    await newest('proxy');
    const { data: operations } = await dashboard.call('GET /api/v1/logs/operations', {
      query: { integrations: 'renewing' },
    });
    const logged = await Promise.all(
      operations.map(({ id }) =>
        dashboard.call('GET /api/v1/logs/messages', { query: { operationId: id, types: 'http' } }),
      ),
    );
    const requests = logged.flatMap(({ data }) => data);
    const kept = requests.map(({ context, recordingId }) => [context, recordingId !== null]);
    expect(kept).toEqual(
      expect.arrayContaining([
        ['proxy', true],
        ['auth', false],
      ]),
    );
    expect(kept).not.toContainEqual(['auth', true]);
  });

  it('is part of an HTTP Archive', async () => {
    await api('POST', '/proxy/items', { asked: ASKED });
    const { operationId, requests } = await newest('proxy');
    await readRecording(operationId, requests[0]);

    const { log } = await dashboard.call('GET /api/v1/logs/har', { query: { operationId } });

    expect(log.entries).toMatchObject([
      {
        request: { postData: { mimeType: 'application/json', text: `{"asked":"${ASKED}"}` }, bodySize: 33 },
        response: { content: { mimeType: 'application/json', text: expect.stringContaining(ANSWERED) } },
      },
    ]);
    expect(log.entries[0]?.response.content.size).toBeGreaterThan(50);
  });

  it('lies sealed in the data folder, and is closed with the vault', async () => {
    await api('POST', '/proxy/items', { asked: ASKED });
    const { operationId, requests } = await newest('proxy');
    await readRecording(operationId, requests[0]);

    expect(await findSecrets(home.path, { asked: ASKED, answered: ANSWERED }, {})).toEqual([]);
    await dashboard.call('POST /api/v1/vault/lock');
    const refusals = [
      await dashboard.refusal(READ, partsOf(operationId, requests[0])),
      await dashboard.refusal('GET /api/v1/logs/har', { query: { operationId } }),
    ];
    await dashboard.call('POST /api/v1/vault/unlock');
    expect(refusals).toEqual(Array(2).fill({ status: 423, code: 'vault_locked' }));
  });

  it('is deleted on request, and the audit says who looked and changed', async () => {
    await api('POST', '/proxy/items', { asked: ASKED });
    const { operationId, requests } = await newest('proxy');
    await readRecording(operationId, requests[0]);

    await dashboard.call('DELETE /api/v1/traffic-recording');

    expect(await dashboard.refusal(READ, partsOf(operationId, requests[0]))).toMatchObject({ status: 404 });
    expect((await state()).usedBytes).toBe(0);
    const { data } = await dashboard.call('GET /api/v1/audit');
    expect(data.map(({ action, subject }) => `${action}: ${subject}`)).toEqual(
      expect.arrayContaining([
        'settings_changed: traffic recordings deleted',
        'settings_changed: traffic recording on, 200 MB',
        'secret_revealed: recorded bodies of a request',
      ]),
    );
  });

  it('refuses limits out of bounds', async () => {
    for (const mostMegabytes of [9, 10_001, 20.5])
      expect(
        await dashboard.refusal('PUT /api/v1/traffic-recording', { body: { isOn: true, mostMegabytes } }),
      ).toMatchObject({ status: 400 });
    expect((await change(true, 10)).mostMegabytes).toBe(10);
  });
});

function providerEntries(address: string): string {
  return `acme:
  display_name: Acme
  auth_mode: API_KEY
  proxy:
    base_url: ${address}
    headers:
      authorization: Bearer \${apiKey}
    retry:
      after: retry-after
  credentials:
    apiKey:
      type: string
      title: API key
      description: Any text.
      secret: true
renewing:
  display_name: Renewing
  auth_mode: OAUTH2
  authorization_url: ${address}/authorize
  token_url: ${address}/token
  proxy:
    base_url: ${address}
`;
}
