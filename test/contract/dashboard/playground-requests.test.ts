import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlaygroundRequestInput } from '../../../server/dashboard/dashboard-playground.contract.ts';
import { findSecrets } from '../../support/find-secrets.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const query = { env: 'dev' };
const onMe = { integrationKey: 'practice', connectionId: 'practice-user' };
const CONTENT = 'a file with a secret-marker-4711';
const FILE = { name: 'note "1".txt', type: 'text/plain', sizeBytes: CONTENT.length };
const base64 = Buffer.from(CONTENT).toString('base64');

let hub: InProcessServer;
let page: DashboardClient;
const signIn = async (): Promise<void> => {
  page = await DashboardClient.signIn({ url: hub.url, signIn: hub });
};
beforeAll(async () => {
  hub = await startInProcess();
  await signIn();
  await page.call('POST /api/v1/practice', { query });
});
afterAll(() => hub?.stop());

async function ended(id: string) {
  return waitFor(
    async () => {
      const found = await page.call('GET /api/v1/playground/runs/:runId', { params: { runId: id }, query });
      return found.state !== 'running' && found;
    },
    { what: 'the end of the run' },
  );
}
const send = async (more: Partial<Extract<PlaygroundRequestInput, { kind: 'proxy' }>>) => {
  const body = { kind: 'proxy', ...onMe, method: 'POST', endpoint: '/v1/echo', ...more };
  return ended((await page.call('POST /api/v1/playground/runs', { query, body })).id);
};
interface Echo {
  method: string;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body: unknown;
}
const echo = async (more: Parameters<typeof send>[0]): Promise<Echo> =>
  JSON.parse((await send(more)).response?.body ?? '') as Echo;
const history = async () => (await page.call('GET /api/v1/playground/runs', { query })).data;

describe('the body of an API call', () => {
  it('is JSON, with the digits as they were written', async () => {
    const sent = await echo({ body: '{"id": 12345678901234567890}', bodyType: 'json' });

    expect(sent.headers['content-type']).toBe('application/json');
    expect(sent.headers['content-length']).toBe('28');
  });

  it('is a form with its fields in their order, repeated ones too', async () => {
    const fields = [
      { name: 'a', value: '1' },
      { name: 'b', value: 'ü & =' },
      { name: 'a', value: '2' },
    ];
    const sent = await echo({ bodyType: 'form', fields });

    expect(sent.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(sent.body).toEqual({ a: ['1', '2'], b: 'ü & =' });
  });

  it('is multipart with texts and files', async () => {
    const fields = [
      { name: 'title', value: 'Grüße' },
      { name: 'file', file: { ...FILE, base64 } },
    ];
    const sent = await echo({ bodyType: 'multipart', fields });

    const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(sent.headers['content-type'] ?? '')?.[1];
    expect(sent.body).toBe(
      [
        `--${boundary}`,
        'Content-Disposition: form-data; name="title"',
        '',
        'Grüße',
        `--${boundary}`,
        'Content-Disposition: form-data; name="file"; filename="note %221%22.txt"',
        'Content-Type: text/plain',
        '',
        CONTENT,
        `--${boundary}--`,
        '',
      ].join('\r\n'),
    );
  });

  it('is a text, of the type that a header names', async () => {
    const plain = await echo({ bodyType: 'text', body: 'Grüße' });
    const xml = await echo({ bodyType: 'text', body: '<a/>', headers: { 'Content-Type': 'application/xml' } });

    expect([plain.headers['content-type'], plain.body]).toEqual(['text/plain; charset=utf-8', 'Grüße']);
    expect([xml.headers['content-type'], xml.body]).toEqual(['application/xml', '<a/>']);
  });

  it('is nothing when there is none', async () => {
    expect((await echo({ method: 'DELETE' })).headers['content-type']).toBeUndefined();
  });

  it('of a file whose content is not kept is not sent', async () => {
    const fields = [{ name: 'file', file: { ...FILE, base64: null } }];
    const body = { kind: 'proxy', ...onMe, method: 'POST', endpoint: '/v1/echo', bodyType: 'multipart', fields };

    expect(await page.refusal('POST /api/v1/playground/runs', { query, body })).toEqual({
      status: 400,
      code: 'invalid_body',
    });
  });

  it('goes with methods of WebDAV too', async () => {
    expect((await send({ method: 'PROPFIND', bodyType: 'text', body: '<propfind/>' })).response).toMatchObject({
      status: 200,
    });
  });
});

describe('the answer to an API call', () => {
  it('has its headers in a list, its size, and bytes for what is not text', async () => {
    const { response } = await send({ method: 'GET', endpoint: '/v1/files/a.bin?bytes=70' });

    expect(response).toMatchObject({ isText: false, body: '', sizeBytes: 70, isSizeKnown: true, isCut: false });
    expect(Buffer.from(response?.base64 ?? '', 'base64')).toHaveLength(70);
    expect(response?.headers.map(({ name }) => name)).toContain('content-type');
  });

  it('that is large is read up to a megabyte, and its size is the announced one', async () => {
    const { response } = await send({ method: 'GET', endpoint: '/v1/files/a.bin?bytes=3000000' });

    expect(response).toMatchObject({ isText: false, sizeBytes: 3_000_000, isSizeKnown: true, isCut: true });
    expect(Buffer.from(response?.base64 ?? '', 'base64')).toHaveLength(1024 * 1024);
  });
});

describe('variables of the environment in an API call', () => {
  const SECRET = 'variable-secret-4713 "x"';
  beforeAll(async () => {
    const variables = [
      { name: 'REGION', value: 'eu & us', is_plain: true },
      { name: 'API_SECRET', value: SECRET },
    ];
    await page.call('PATCH /api/v1/settings', { query, body: { variables } });
  });

  it('are filled in everywhere, and their secret values are neither in the history nor in the log', async () => {
    const sent = await send({
      endpoint: '/v1/echo?region={{REGION}}&key={{API_SECRET}}',
      headers: { 'x-own': '{{API_SECRET}}', 'x-region': '{{REGION}}' },
      body: '{"region": "{{REGION}}", "length": "{{API_SECRET}}"}',
    });

    expect(sent.state).toBe('success');
    const answer = JSON.parse(sent.response?.body ?? '') as Echo;
    expect(answer.query).toEqual({ region: 'eu & us', key: 'REDACTED' });
    expect(answer.headers).toMatchObject({ 'x-own': 'REDACTED', 'x-region': 'eu & us' });
    expect(answer.body).toEqual({ region: 'eu & us', length: 'REDACTED' });
    expect(sent.request).toMatchObject({
      endpoint: '/v1/echo?region={{REGION}}&key={{API_SECRET}}',
      headers: { 'x-own': '{{API_SECRET}}' },
    });
    const messages = await waitFor(
      async () => {
        const operationId = sent.operationId ?? '';
        const found = await page.call('GET /api/v1/logs/messages', { query: { ...query, operationId } });
        return found.data.some(({ request }) => request) && found.data;
      },
      { what: 'the request in the log' },
    );
    expect(JSON.stringify([await history(), messages])).not.toContain('variable-secret-4713');
    expect(await findSecrets(hub.home, { variable: 'variable-secret-4713' }, {})).toEqual([]);
  });

  it('that are not there are named, and nothing is sent', async () => {
    const before = (await history()).length;
    const body = { kind: 'proxy', ...onMe, method: 'POST', endpoint: '/v1/echo/{{NO_SUCH}}' } as const;
    const refused = await page.refusal('POST /api/v1/playground/runs', { query, body });

    expect(refused).toMatchObject({ status: 400, code: 'invalid_body' });
    expect(await history()).toHaveLength(before);
  });

  it('stand for themselves after a backslash', async () => {
    expect((await echo({ bodyType: 'text', body: 'Hello \\{{first_name}}' })).body).toBe('Hello {{first_name}}');
  });
});

describe('saved requests', () => {
  it('are listed for all integrations, without contents of files', async () => {
    await page.call('POST /api/v1/integrations', { query, body: { key: 'other', provider: 'practice' } });
    const request = { kind: 'proxy', ...onMe, method: 'POST', endpoint: '/v1/echo' };
    const fields = [{ name: 'file', file: { ...FILE, base64 } }];
    await page.call('PUT /api/v1/playground/inputs', {
      query,
      body: { name: 'upload', request: { ...request, bodyType: 'multipart', fields } },
    });
    await page.call('PUT /api/v1/playground/inputs', {
      query,
      body: { name: 'b', request: { ...request, integrationKey: 'other' } },
    });

    const { data: all } = await page.call('GET /api/v1/playground/requests', { query });

    const data = all.filter(({ name }) => name === 'upload' || name === 'b');
    expect(data.map(({ name, request: { integrationKey } }) => [integrationKey, name])).toEqual([
      ['other', 'b'],
      ['practice', 'upload'],
    ]);
    expect(data[1]?.request).toMatchObject({ fields: [{ name: 'file', file: { ...FILE, base64: null } }] });
  });
});

describe('the history of the playground', () => {
  it('survives a restart, sealed, without contents of files', async () => {
    const fields = [
      { name: 'file', file: { ...FILE, base64 } },
      { name: 'note', value: 'sealed-marker-4712' },
    ];
    const sent = await send({ bodyType: 'multipart', fields });
    const large = await send({ method: 'GET', endpoint: '/v1/files/a.bin?bytes=200000' });
    const before = await history();

    await hub.restart();
    await signIn();

    const after = await history();
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(after.find(({ id }) => id === sent.id)).toEqual(before.find(({ id }) => id === sent.id));
    expect(after.find(({ id }) => id === sent.id)?.request).toMatchObject({
      fields: [{ file: { name: FILE.name, base64: null } }, { name: 'note' }],
    });
    // The bytes of a large answer are not kept, but what it was is.
    expect(after.find(({ id }) => id === large.id)?.response).toMatchObject({ base64: null, sizeBytes: 200_000 });
    expect(await findSecrets(hub.home, { field: 'sealed-marker-4712', file: 'secret-marker-4711' }, {})).toEqual([]);
  });

  it('keeps the newest fifty runs', async () => {
    await send({ method: 'GET', endpoint: '/v1/me' });
    const [oldest] = (await history()).slice(-1);
    for (let count = 0; count < 52; count++) await send({ method: 'GET', endpoint: `/v1/me?run=${count}` });
    await hub.restart();
    await signIn();

    const kept = await history();
    expect(kept).toHaveLength(50);
    expect(kept.some(({ id }) => id === oldest?.id)).toBe(false);
    expect(kept[0]?.request).toMatchObject({ endpoint: '/v1/me?run=51' });
  });

  it('loses the runs of a connection with the connection, at once and after a restart', async () => {
    await fetch(`${hub.url}/connections`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hub.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        provider_config_key: 'practice',
        connection_id: 'leaving',
        credentials: { type: 'API_KEY', apiKey: 'practice-leaving' },
      }),
    });
    const stays = await send({ method: 'GET', endpoint: '/v1/me' });
    await send({ method: 'GET', endpoint: '/v1/me', connectionId: 'leaving' });
    const ofLeaving = async () => (await history()).filter(({ request }) => request.connectionId === 'leaving');
    expect(await ofLeaving()).toHaveLength(1);

    // An app deletes at once; the dashboard holds a deletion for some seconds.
    const deleted = await fetch(`${hub.url}/connections/leaving?provider_config_key=practice`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${hub.secretKey}` },
    });
    expect(deleted.status).toBe(200);

    expect(await ofLeaving()).toEqual([]);
    await hub.restart();
    await signIn();
    expect(await ofLeaving()).toEqual([]);
    expect((await history()).map(({ id }) => id)).toContain(stays.id);
  });

  it('is forgotten at a person’s wish', async () => {
    await send({ method: 'GET', endpoint: '/v1/me' });
    await page.call('DELETE /api/v1/playground/runs', { query });

    expect(await history()).toEqual([]);
    await hub.restart();
    await signIn();
    expect(await history()).toEqual([]);
  });
});

describe('requests of another program', () => {
  const listed = async () => (await page.call('GET /api/v1/playground/requests', { query })).data;
  const get = (name: string, endpoint = '/v1/me') => ({
    name,
    request: { kind: 'proxy' as const, method: 'GET' as const, endpoint },
  });
  const importAll = (requests: unknown[], more: object = {}) =>
    page.send('POST /api/v1/playground/requests', { query, body: { ...onMe, requests, ...more } });
  const cleared = async () => {
    for (const { id } of await listed())
      await page.call('DELETE /api/v1/playground/inputs/:inputId', { params: { inputId: id }, query });
  };

  it('are saved together, and a name that is taken gets a number', async () => {
    await cleared();
    expect((await importAll([get('Me'), get('Me', '/v1/me?again'), get('x'.repeat(60))])).status).toBe(200);
    expect((await importAll([get('Me'), get('x'.repeat(60))])).status).toBe(200);

    const names = (await listed()).map(({ name }) => name);
    expect(names).toEqual(['Me', 'Me 2', 'Me 3', 'x'.repeat(60), `${'x'.repeat(58)} 2`].sort());
    const { request } = (await listed()).find(({ name }) => name === 'Me 2') ?? {};
    expect(request).toMatchObject({ ...onMe, kind: 'proxy', endpoint: '/v1/me?again' });
  });

  it('are all refused when one is wrong or there is no room for all', async () => {
    await cleared();
    expect((await importAll([get('One'), get('Two', '')])).status).toBe(400);
    expect((await importAll([get('One'), get(' ')])).status).toBe(400);
    expect((await importAll([get('One')], { integrationKey: 'nothing' })).status).toBe(404);
    expect((await importAll(Array.from({ length: 501 }, (_, at) => get(`${at}`)))).status).toBe(400);
    expect(await listed()).toEqual([]);

    expect((await importAll(Array.from({ length: 499 }, (_, at) => get(`${at}`)))).status).toBe(200);
    const refused = await importAll([get('One'), get('Two')]);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(await refused.json())).toContain('499 requests are already saved here and 500 is the limit');
    expect(await listed()).toHaveLength(499);
    await cleared();
  });
});
