// @module-tag slow
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Phone, type PhoneMessage, startPhone } from '../../support/phone.ts';
import { runCli } from '../../support/run-cli.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { failure, type McpFixture, startMcpFixture } from './mcp-fixture.ts';

const TOKEN = 'tk_stored-in-settings';
const MASK = '••••••••';

let hub: McpFixture;
let phone: Phone;

async function start(approvals: Record<string, unknown>, env: Record<string, string> = {}): Promise<void> {
  phone = await startPhone();
  hub = await startMcpFixture({ env });
  await save({ url: `${phone.url}/hook`, kind: 'webhook', ...approvals });
}

afterEach(async () => {
  await hub?.stop();
  await phone?.stop();
});

const save = (approvals: Record<string, unknown>) =>
  hub.dashboard.call('PATCH /api/v1/settings', { body: { approvals } });
const target = () => hub.dashboard.call('GET /api/v1/mcp/approvals-target');
const test = () => hub.dashboard.call('POST /api/v1/mcp/approvals-target/test');
const patch = async (approvals: Record<string, unknown>) =>
  (await hub.api.send('PATCH /environment/settings', { body: { approvals } })) as {
    status: number;
    body: { data: { approvals: unknown } };
  };

/** Asks `count` questions at once. */
async function ask(count = 1, name = 'Agent') {
  const { secret } = await hub.createKey(name);
  const client = await hub.connect(secret);
  const results = Array.from({ length: count }, (_, index) =>
    client.callTool({ name: 'write-note', arguments: { text: `note ${index}` } }),
  );
  await waitFor(async () => (await waiting()).length === count, { what: 'the questions' });
  return results;
}

const waiting = async () => (await hub.dashboard.call('GET /api/v1/mcp/approvals')).data;

async function message(index = 0): Promise<PhoneMessage> {
  await waitFor(() => phone.sent.length > index, { what: 'the message' });
  return phone.sent[index] as PhoneMessage;
}

const press = async (url: string) => (await fetch(url, { method: 'POST' })).status;
const unsent = async () =>
  (await hub.dashboard.call('GET /api/v1/notifications')).data.find(({ title }) => title.includes('do not arrive'));

describe('questions that the settings send elsewhere', () => {
  it('are sent with the token, which no answer, file or export shows', { tags: ['main-path'] }, async () => {
    await start({ token: TOKEN });
    const [result] = await ask();
    const { authorization, body, path } = await message();

    expect(authorization).toBe(`Bearer ${TOKEN}`);
    expect(path).toBe('/hook');
    expect(await press(body['allow_url'] ?? '')).toBe(200);
    expect((await result)?.isError).not.toBe(true);

    const stored = { url: `${phone.url}/hook`, kind: 'webhook', token: MASK, public: false };
    expect((await hub.dashboard.call('GET /api/v1/settings')).approvals).toEqual(stored);
    const { body: seen } = await hub.api.send('GET /environment/settings');
    expect(seen).toMatchObject({ data: { approvals: stored } });
    for (const name of (await readdir(hub.server.home)).filter((one) => one.startsWith('homeport.db')))
      expect((await readFile(join(hub.server.home, name))).includes(TOKEN)).toBe(false);
    const { file } = await hub.dashboard.call('POST /api/v1/transfer/export', { body: { parts: ['settings'] } });
    expect(file).not.toHaveProperty(['settings', 'approvals']);
    const { data } = await hub.dashboard.call('GET /api/v1/audit');
    expect(JSON.stringify(data)).not.toContain(TOKEN);
  });

  it('keep the token when the mask is sent back, and lose it with another origin', async () => {
    await start({ token: TOKEN });
    const kept = await patch({ url: `${phone.url}/other`, kind: 'webhook', token: MASK, public: false });
    expect(kept.body.data.approvals).toMatchObject({ token: MASK });
    await test();
    expect((await message()).authorization).toBe(`Bearer ${TOKEN}`);

    const moved = await patch({ url: 'https://elsewhere.test/hook', token: MASK });
    expect(moved.body.data.approvals).toMatchObject({ url: 'https://elsewhere.test/hook', token: null });
    await patch({ url: `${phone.url}/hook` });
    await test();
    expect((await message(1)).authorization).toBeUndefined();
  });

  it('refuse what is no address and no token', async () => {
    await start({});
    for (const [approvals, reason] of [
      [{ url: 'https://ntfy.sh', kind: 'ntfy' }, 'Must end with the topic'],
      [{ url: 'https://ntfy.sh/', kind: 'ntfy' }, 'Must end with the topic'],
      [{ url: 'ftp://ntfy.sh/topic' }, 'http'],
      [{ token: 'a b' }, 'without spaces'],
      [{ token: 'a\r\nX-Evil: 1' }, 'without spaces'],
      [{ kind: 'mail' }, 'ntfy'],
      [{ topic: 'x' }, 'topic'],
    ] as const) {
      const { body, status } = await patch(approvals);
      expect([approvals, status, JSON.stringify(body)]).toEqual([approvals, 400, expect.stringContaining(reason)]);
    }
  });

  it('are set up in the terminal too, without showing the token', async () => {
    await start({ url: null });
    const cli = (...args: string[]) => runCli(['settings', ...args], { cwd: hub.server.home, home: hub.server.home });
    expect((await cli('set', 'approvals.kind', 'webhook')).status).toBe(0);
    expect((await cli('set', 'approvals.url', `${phone.url}/cli`)).status).toBe(0);
    expect((await cli('set', 'approvals.token', '12345')).status).toBe(0);
    expect((await cli('get', 'approvals.token')).output.trim()).toBe(MASK);
    await test();
    expect(await message()).toMatchObject({ path: '/cli', authorization: 'Bearer 12345' });
    expect((await cli('unset', 'approvals.token')).status).toBe(0);
    expect((await cli('unset', 'approvals.url')).status).toBe(0);
    expect(await target()).toMatchObject({ source: 'none' });
  });

  it('do not go to the hub itself', async () => {
    await start({});
    const { status, body } = await patch({ url: `${hub.server.url}/hook` });

    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('the address of Homeport itself');
  });

  it('hide the topic from keys that may only read settings, because whoever knows it can answer', async () => {
    await start({ url: 'https://ntfy.sh/secret-topic', kind: 'ntfy' });
    const { secret } = await hub.createKey('reader', ['environment:settings:read']);
    const reader = new ApiCaller({ url: hub.server.url, secretKey: secret });
    const { bytes } = await reader.send('GET /environment/settings');

    expect(bytes.toString()).toContain('https://ntfy.sh');
    expect(bytes.toString()).not.toContain('secret-topic');
  });

  it('follow the variables, which win, and the dashboard says so', async () => {
    const other = await startPhone();
    try {
      await start(
        { token: TOKEN },
        { HOMEPORT_APPROVALS_URL: `${other.url}/variable`, HOMEPORT_APPROVALS_KIND: 'webhook' },
      );
      expect(await target()).toMatchObject({ source: 'variables', url: `${other.url}/variable`, isPublicFixed: false });
      expect(await test()).toMatchObject({ status: 200, problem: null });
      expect(other.sent[0]).toMatchObject({ path: '/variable', authorization: undefined });
      expect(phone.sent).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  it('are not sent, and no test either, without an address', async () => {
    await start({ url: null });
    const [result] = await ask();
    expect(await target()).toMatchObject({ source: 'none', lastSent: null });
    expect((await hub.dashboard.refusal('POST /api/v1/mcp/approvals-target/test')).status).toBe(400);
    expect(phone.sent).toEqual([]);
    hub.expire();
    await result;
  });

  it('are told when they cannot be sent, and wait in the window', async () => {
    await start({});
    phone.answerWith(403);
    const [result] = await ask();
    await message();
    await waitFor(async () => (await unsent())?.isOver === false, { what: 'the notification' });
    expect(await unsent()).toMatchObject({ text: expect.stringContaining('answered 403') });
    expect((await target()).lastSent?.problem).toContain('answered 403');
    await hub.decide('allow-once');
    expect((await result)?.isError).not.toBe(true);

    phone.answerWith(200);
    expect(await test()).toMatchObject({ status: 200, problem: null });
    await waitFor(async () => (await unsent())?.isOver === true, { what: 'the end of the notification' });
  });

  it('say why an address that does not answer got nothing', async () => {
    await start({});
    await phone.stop();
    expect(await test()).toMatchObject({ status: null, problem: expect.stringContaining('did not answer') });
  });

  it('keep to a limit of messages, then one counts the others', async () => {
    await start({});
    const results = await ask(10);
    const { body } = await message(6);

    expect(body).toEqual({ title: '4 more calls wait for an answer in Homeport' });
    const links = phone.sent.slice(0, 6).map((one) => one.body['deny_url'] ?? '');
    expect(new Set(links).size).toBe(6);
    hub.expire();
    await Promise.all(results);
    expect(phone.sent).toHaveLength(7);
  });

  it('take one of two answers that come at once', async () => {
    await start({});
    const [result] = await ask();
    const { body } = await message();
    const { allow_url: allow = '', deny_url: deny = '' } = body;
    const answers = await Promise.all([press(allow), press(deny), press(allow), press(deny)]);

    expect(answers.toSorted()).toEqual([200, 404, 404, 404]);
    const isDenied = (await result)?.isError === true;
    expect(isDenied).toBe(answers.indexOf(200) % 2 === 1);
    const { data } = await hub.dashboard.call('GET /api/v1/audit', { query: { actions: 'approval_answered' } });
    expect(data).toHaveLength(1);
  });

  it('cannot be allowed while the vault is locked, only denied or later', async () => {
    await start({ token: TOKEN });
    const [result] = await ask();
    const { body } = await message();
    await hub.dashboard.call('POST /api/v1/vault/lock');

    expect(await press(body['allow_url'] ?? '')).toBe(423);
    expect(await test()).toMatchObject({ status: null, problem: expect.stringContaining('vault is locked') });
    await hub.dashboard.call('POST /api/v1/vault/unlock');
    expect(await press(body['allow_url'] ?? '')).toBe(200);
    expect((await result)?.isError).not.toBe(true);

    const second = failure((await ask(1, 'Second'))[0] as Promise<unknown>);
    const { deny_url: deny = '' } = (await message(1)).body;
    await hub.dashboard.call('POST /api/v1/vault/lock');
    expect(await press(deny)).toBe(200);
    expect(await second).not.toBe('');
    await hub.dashboard.call('POST /api/v1/vault/unlock');
  });

  it('have links to this computer when there is no public address, and the dashboard says so', async () => {
    await start({ public: true });
    expect(await target()).toMatchObject({
      arePublic: true,
      hasPublicUrl: false,
      base: expect.stringContaining('localhost'),
    });
    const [result] = await ask();
    const { deny_url: deny = '' } = (await message()).body;
    expect(new URL(deny).hostname).toBe('localhost');
    expect(await press(deny)).toBe(200);
    await result;
  });

  it('have links to the public address as soon as it is switched on', async () => {
    await start({}, { HOMEPORT_PUBLIC_URL: 'https://hub.example.test' });
    const results = await ask();
    const at = (path: string) =>
      hub.api.send(`GET ${path}`, { headers: { host: 'hub.example.test', authorization: undefined } });
    const { pathname } = new URL((await message()).body['deny_url'] ?? '');
    expect((await at(pathname)).status).toBe(421);
    await save({ public: true });
    expect((await at(pathname)).status).toBe(200);
    expect(await target()).toMatchObject({ base: 'https://hub.example.test' });
    await save({ public: false });
    expect((await at(pathname)).status).toBe(421);
    hub.expire();
    await Promise.all(results);
  });
});
