import { Agent, get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { AuditRow } from '../../../server/environments/dashboard-audit.contract.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { DashboardClient } from './dashboard-client.ts';

const LIST = 'GET /api/v1/keys';
const AUDIT = 'GET /api/v1/audit';

let server: InProcessServer;
let client: DashboardClient;

beforeAll(async () => {
  server = await startInProcess();
  client = await DashboardClient.signIn({ url: server.url, signIn: server });
  await importPracticeConnection(server);
});
afterAll(() => server?.stop());

const audit = async (query: Record<string, string>): Promise<AuditRow[]> => (await client.call(AUDIT, { query })).data;
const keyNamed = async (name: string) => (await client.call(LIST)).data.find((one) => one.name === name);

async function makeKey(name: string, scopes: string[]) {
  const key = await client.call('POST /api/v1/keys', { body: { name, scopes } });
  return { id: key.id, secret: key.secret, api: new ApiCaller({ url: server.url, secretKey: key.secret }) };
}

const params = (id: number) => ({ params: { keyId: String(id) } });
const READ_ONE = 'GET /connections/me?provider_config_key=practice';

describe('keys of the dashboard', () => {
  it('are made with chosen scopes, renamed, narrowed and revoked, each at once', async () => {
    const { id, api, secret } = await makeKey('Notes', ['environment:connections:read_credentials']);
    expect((await api.send(READ_ONE)).status).toBe(200);
    expect(await keyNamed('Notes')).toMatchObject({
      id,
      isDefault: false,
      scopes: ['environment:connections:read_credentials'],
    });
    expect(JSON.stringify(await client.call(LIST))).not.toContain(secret);

    const body = { name: 'Notebook', scopes: ['environment:connections:list'] };
    await client.call('PATCH /api/v1/keys/:keyId', { ...params(id), body });
    expect(await api.refusal(READ_ONE)).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await api.send('GET /connections')).status).toBe(200);
    expect((await keyNamed('Notebook'))?.scopes).toEqual(body.scopes);

    await client.call('DELETE /api/v1/keys/:keyId', params(id));
    expect((await api.send('GET /connections')).status).toBe(401);
    expect((await audit({ search: 'Note' })).map(({ action, subject }) => `${action} ${subject}`)).toEqual(
      expect.arrayContaining(['key_created Notes', 'key_changed Notebook', 'key_revoked Notebook']),
    );
  });

  it('keep names apart, and the default key its name and access', async () => {
    const { id } = await makeKey('One', ['environment:proxy']);
    await makeKey('Two', ['environment:proxy']);
    const standard = await keyNamed('default');

    const taken = await client.refusal('PATCH /api/v1/keys/:keyId', { ...params(id), body: { name: 'Two' } });
    const fixed = await client.refusal('PATCH /api/v1/keys/:keyId', {
      ...params(standard?.id ?? 0),
      body: { scopes: ['environment:proxy'] },
    });

    expect([taken.code, fixed.code]).toEqual(['conflict', 'invalid_body']);
  });

  it('count calls and credentials that were read, on the quick path and on the other', async () => {
    const { api, id } = await makeKey('Counter', ['environment:connections:*', 'environment:proxy']);
    for (let call = 0; call < 5; call += 1) await api.send(READ_ONE);
    await api.send(`${READ_ONE}&refresh_token=true`);
    await api.send('GET /connections');
    await api.send('GET /proxy/v1/echo', { headers: { 'provider-config-key': 'practice', 'connection-id': 'me' } });

    expect(await keyNamed('Counter')).toMatchObject({ calls: 8, credentialReads: 6 });
    const [read] = await audit({ actions: 'token_read', apps: 'Counter' });
    expect(read).toMatchObject({ keyId: id, count: 6, integrationKey: 'practice', connectionId: 'me', result: 'done' });
    expect(await audit({ actions: 'proxy_call', apps: 'Counter' })).toMatchObject([{ count: 1, connectionId: 'me' }]);
    expect(await audit({ actions: 'first_use', apps: 'Counter' })).toHaveLength(1);
  });

  it('name the connection of a proxied call, whatever the query says to the provider', async () => {
    const headers = { 'provider-config-key': 'practice', 'connection-id': 'me' };
    for (const [name, path] of Object.entries({ Plain: '/proxy', Layered: '/PROXY' })) {
      const { api } = await makeKey(name, ['environment:proxy']);
      await api.send(`GET ${path}/v1/echo?connection_id=other`, { headers });
      await client.call(LIST);

      expect(await audit({ actions: 'proxy_call', apps: name })).toMatchObject([{ count: 1, connectionId: 'me' }]);
    }
  });

  it('do not count as a read what the scopes leave out', async () => {
    const { api } = await makeKey('Blind', ['environment:connections:read']);
    await api.send(READ_ONE);

    expect(await keyNamed('Blind')).toMatchObject({ calls: 1, credentialReads: 0 });
  });

  it('leave a refused call in the audit with the scope that lacks, once an hour', async () => {
    const { api } = await makeKey('Narrow', ['environment:proxy']);
    await api.send('GET /connections/secret-name?provider_config_key=practice');
    await api.send('GET /connections/other-name?provider_config_key=practice');
    await client.call(LIST);

    const rows = await audit({ actions: 'scope_refused', apps: 'Narrow' });
    expect(rows).toMatchObject([{ result: 'refused', count: 2, hasKey: true }]);
    expect(rows[0]?.subject).toBe(
      'environment:connections:read or environment:connections:read_credentials (GET /connections/:connectionId)',
    );
    expect((await client.call('GET /api/v1/filter-values', { query: { of: 'audit.apps' } })).data).toContainEqual(
      expect.objectContaining({ value: 'Narrow' }),
    );
  });

  it.runIf(process.platform === 'linux')('show the program that called last', async () => {
    const { secret } = await makeKey('Program', ['environment:connections:list']);
    // A program can be found only while its connection is open.
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    get(`${server.url}/connections`, { agent, headers: { authorization: `Bearer ${secret}` } }, (response) =>
      response.resume(),
    );

    const seen = await waitFor(async () => (await keyNamed('Program'))?.process, { what: 'the program' });
    expect(seen).toMatchObject({ name: expect.any(String), path: expect.stringContaining('/') });
    expect(await audit({ actions: 'new_process', apps: 'Program' })).toMatchObject([{ subject: seen?.path }]);
  });
});

describe('the audit', () => {
  it('lists reveals, exports and changes by a person, without the values', async () => {
    await client.call('POST /api/v1/reveal', {
      body: { kind: 'credential', integrationKey: 'practice', connectionId: 'me', field: 'apiKey' },
    });
    await fetch(`${client.url}/api/v1/export/connections?env=dev`, { headers: client.headers }).then((one) =>
      one.text(),
    );
    await client.call('PATCH /api/v1/settings', { body: { variables: [{ name: 'TOKEN', value: 'canary-value' }] } });

    const rows = await audit({ limit: '20' });
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          action: 'secret_revealed',
          keyId: null,
          integrationKey: 'practice',
          connectionId: 'me',
          subject: 'credential apiKey',
        }),
        expect.objectContaining({ action: 'exported', subject: 'connections' }),
        expect.objectContaining({ action: 'settings_changed', subject: 'variables' }),
      ]),
    );
    expect(JSON.stringify(rows)).not.toMatch(/canary-value|practice-demo-key/);
  });

  it('lists the actions of a key over the API, and streams its rows', async () => {
    const { api } = await makeKey('Script', ['environment:*']);
    await api.send('POST /integrations', { body: { provider: 'practice', unique_key: 'second' } });
    await api.send('DELETE /integrations/second');

    const text = await fetch(`${client.url}/api/v1/export/audit?env=dev&apps=Script&sort=time`, {
      headers: client.headers,
    }).then((response) => response.text());
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditRow);
    expect(rows.map(({ action, subject, integrationKey }) => [action, subject ?? integrationKey])).toEqual(
      expect.arrayContaining([
        ['integration_created', 'second'],
        ['integration_deleted', 'second'],
      ]),
    );
  });

  it('shows equal acts that follow each other as one row, which opens', async () => {
    const importOf = (id: string) =>
      client.call('POST /api/v1/connections', {
        body: {
          provider_config_key: 'practice',
          connection_id: id,
          credentials: { type: 'API_KEY', apiKey: 'practice-key' },
        },
      });
    const ids = ['group-1', 'group-2', 'group-3'];
    for (const id of ids) await importOf(id).catch(() => importOf(id));
    const imports = { actions: 'connection_imported', sort: '-time' };
    await waitFor(async () => (await audit({ ...imports, search: 'group-' })).length === 3, { what: 'the entries' });

    const [grouped, ...others] = await audit({ ...imports, search: 'group-', grouped: 'true' });
    expect(others).toEqual([]);
    expect(grouped).toMatchObject({
      action: 'connection_imported',
      entries: 3,
      count: 3,
      integrationKey: 'practice',
      // What they do not have in common is not named.
      connectionId: null,
    });
    const during = `${Date.parse(grouped?.firstAt ?? '')},${Date.parse(grouped?.at ?? '')}`;
    const opened = await audit({ ...imports, during });
    expect(opened.map(({ connectionId }) => connectionId)).toEqual(ids.toReversed());
    expect(opened.every(({ entries }) => entries === 1)).toBe(true);

    // Another act between them begins another row.
    await makeKey('Between', ['environment:connections:list']);
    await importOf('group-4');
    await waitFor(async () => (await audit({ ...imports, search: 'group-4' })).length === 1, {
      what: 'the fourth entry',
    });
    // That a process is new here is noticed and written beside the calls.
    const rows = (await audit({ sort: '-time', grouped: 'true' })).filter(({ action }) => action !== 'new_process');
    expect(rows.slice(0, 3).map(({ action, entries }) => [action, entries])).toEqual([
      ['connection_imported', 1],
      ['key_created', 1],
      ['connection_imported', expect.any(Number)],
    ]);
  });
});

describe('pairing', () => {
  const ask = async (body: object = { name: 'Notes app', scopes: 'read' }, headers = {}, hub = server) => {
    const { status, body: response } = await new ApiCaller(hub).send('POST /pairings', {
      body,
      headers: { authorization: undefined, ...headers },
    });
    return { status, ...((response as { data?: { id: string; code: string } }).data ?? { id: '', code: '' }) };
  };
  const poll = async ({ id, code }: { id: string; code: string }) => {
    const { status, body } = await new ApiCaller(server).send(`POST /pairings/${id}`, {
      body: { code },
      headers: { authorization: undefined },
    });
    return { status, ...((body as { data?: Record<string, unknown> }).data ?? {}) };
  };

  it('gives an app the key that a person allows, once', async () => {
    const asked = await ask();
    expect(asked.code).toMatch(/^[A-Z2-5]{4}-[A-Z2-5]{4}$/);
    expect(await poll(asked)).toMatchObject({ status: 'waiting' });
    const [waiting] = (await client.call('GET /api/v1/pairings')).data;
    expect(waiting).toMatchObject({
      name: 'Notes app',
      code: asked.code,
      scopes: expect.arrayContaining(['environment:records:read']),
    });

    await client.call('POST /api/v1/pairings/:pairingId', {
      params: { pairingId: asked.id },
      body: { decision: 'allow', name: 'My notes', scopes: ['environment:connections:list'] },
    });
    const given = (await poll(asked)) as unknown as { status: string; secret_key: string; display_name: string };

    expect(given).toMatchObject({ status: 'allowed', display_name: 'My notes', environment: 'dev' });
    const api = new ApiCaller({ url: server.url, secretKey: given.secret_key });
    expect((await api.send('GET /connections')).status).toBe(200);
    expect((await poll(asked)).status).toBe(404);
    expect((await client.call('GET /api/v1/pairings')).data).toEqual([]);
    expect(await audit({ actions: 'app_paired' })).toMatchObject([{ subject: 'My notes' }]);
  });

  it('tells an app that it was refused', async () => {
    const asked = await ask();
    await client.call('POST /api/v1/pairings/:pairingId', {
      params: { pairingId: asked.id },
      body: { decision: 'deny' },
    });

    expect(await poll(asked)).toEqual({ status: 'denied' });
  });

  it('ends a request after five wrong codes', async () => {
    const asked = await ask();
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect((await poll({ ...asked, code: 'BBBB-BBBB' })).status).toBe(404);

    expect((await poll(asked)).status).toBe(404);
    expect((await client.call('GET /api/v1/pairings')).data).toEqual([]);
  });

  it('is for programs: a page and the public address are refused', async () => {
    expect((await ask(undefined, { origin: 'https://example.com' })).status).toBe(403);
    expect((await ask(undefined, { 'x-forwarded-for': '1.2.3.4' })).status).toBe(421);
    expect((await ask(undefined, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('takes so many requests a minute', async () => {
    // A hub of its own, because the limit would hold for the other tests too.
    const own = await startInProcess();
    onTestFinished(() => own.stop());
    const statuses = [];
    for (let attempt = 0; attempt < 8; attempt += 1) statuses.push((await ask(undefined, {}, own)).status);

    expect(statuses).toContain(429);
    expect(statuses[0]).toBe(201);
  });
});
