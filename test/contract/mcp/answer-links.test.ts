import { afterEach, describe, expect, it } from 'vitest';
import { type Phone, type PhoneMessage, startPhone } from '../../support/phone.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type McpFixture, startMcpFixture } from './mcp-fixture.ts';

let hub: McpFixture;
let phone: Phone;

async function start(env: Record<string, string>, path = '/hook'): Promise<void> {
  phone = await startPhone();
  const HOMEPORT_APPROVALS_URL = `${phone.url}${path}`;
  hub = await startMcpFixture({ env: { HOMEPORT_APPROVALS_URL, HOMEPORT_APPROVALS_KIND: 'webhook', ...env } });
}

afterEach(async () => {
  await hub?.stop();
  await phone?.stop();
});

async function ask(name: string, args: Record<string, unknown>) {
  const { secret } = await hub.createKey(name);
  const client = await hub.connect(secret);
  const { sent } = phone;
  const before = sent.length;
  const result = client.callTool({ name: 'write-note', arguments: args });
  await waitFor(() => sent.length > before, { what: 'the message' });
  return { result, message: (sent.at(-1) as PhoneMessage).body };
}

const open = async (url: string, method = 'GET') => {
  const response = await fetch(url, { method });
  return { status: response.status, text: await response.text() };
};
const isWaiting = async () => (await hub.dashboard.call('GET /api/v1/mcp/approvals')).data.length > 0;
const partsOf = (url: string) => (url.split('/').at(-1) as string).split('.');

describe('a question that is sent elsewhere', { tags: ['main-path'] }, () => {
  it('is answered once by the button of its link, and by nothing else', async () => {
    await start({ HOMEPORT_APPROVALS_TOKEN: 'tk_1' });
    const first = await ask('Agent\r\nX-Evil: 1', { text: 'milk', tags: [{ name: 'x'.repeat(900) }] });
    const { allow_url: allow = '', deny_url: deny = '', title, arguments: shown = '' } = first.message;
    expect(phone.sent[0]?.authorization).toBe('Bearer tk_1');
    expect(title).not.toMatch(/[\r\n]/);
    expect(shown).toHaveLength(501);
    for (const url of [allow, deny]) {
      expect((await open(url)).text).toContain('<form method="post"><button>');
      expect((await open(url, 'HEAD')).status).toBe(200);
    }
    const other = await ask('Second', { text: 'bread' });
    const [id, until, signature] = partsOf(allow) as [string, string, string];
    const [otherId, otherUntil] = partsOf(other.message['allow_url'] ?? '') as [string, string];
    const base = `${hub.server.url}/approvals`;
    for (const forged of [
      `${base}/allow/${otherId}.${otherUntil}.${signature}`,
      `${base}/allow/${otherId}.${until}.${signature}`,
      `${base}/deny/${id}.${until}.${signature}`,
      `${base}/allow/${id}.${Number(until) + 1}.${signature}`,
      `${base}/allow/${id}.${until}.${signature}.x`,
      `${base}/allow/${id}.${until}.`,
      `${base}/allow/${id}`,
    ])
      expect([forged, (await open(forged, 'POST')).status]).toEqual([forged, 404]);
    expect((await hub.dashboard.call('GET /api/v1/mcp/approvals')).data).toHaveLength(2);

    expect((await open(allow, 'POST')).text).toContain('Allowed once');
    expect((await first.result).isError).not.toBe(true);
    for (const url of [allow, deny]) expect((await open(url, 'POST')).status).toBe(404);
    expect((await open(other.message['deny_url'] ?? '', 'POST')).text).toContain('Denied');
    expect((await other.result).isError).toBe(true);
    const { data } = await hub.dashboard.call('GET /api/v1/audit');
    expect(JSON.stringify(data)).toContain('allow-once: write-note for');
    expect(JSON.stringify(data)).toContain('by link');
  });

  it('has no link any more when it expired', async () => {
    await start({});
    const { message, result } = await ask('Late', { text: 'milk' });
    hub.expire();
    expect((await result).isError).toBe(true);
    expect((await open(message['allow_url'] ?? '', 'POST')).status).toBe(404);
  });

  it('goes to the topic of ntfy, and waits when nobody takes the message', async () => {
    await start({ HOMEPORT_APPROVALS_KIND: 'ntfy' }, '/base/my-topic');
    const { message, result } = await ask('Agent', { text: 'milk' });
    expect(phone.sent[0]?.path).toBe('/base');
    expect(message).toMatchObject({ topic: 'my-topic', title: 'Agent wants to call write-note' });
    const { actions } = message as unknown as PhoneMessage['body'];
    expect(await isWaiting()).toBe(true);
    await open(actions[1]?.url ?? '', 'POST');
    expect((await result).isError).toBe(true);
  });

  it.each([
    ['0', 421],
    ['1', 200],
  ])('is answered at the public address only when switched on: %s', async (chosen, status) => {
    await start({ HOMEPORT_PUBLIC_URL: 'https://hub.example.test', HOMEPORT_APPROVALS_PUBLIC: chosen });
    const { message, result } = await ask('Agent', { text: 'milk' });
    const url = message['deny_url'] ?? '';
    expect(url.startsWith('https://hub.example.test/')).toBe(chosen === '1');
    const path = new URL(url).pathname;
    const at = (method: string, to: string) =>
      hub.api.send(`${method} ${to}`, { headers: { host: 'hub.example.test', authorization: undefined } });
    for (const closed of ['/approvals', '/approvals/allow', `${path}/x`, '/api/v1/mcp/approvals', '/connections'])
      expect([closed, (await at('GET', closed)).status]).toEqual([closed, 421]);
    expect((await at('GET', path)).status).toBe(status);
    expect((await at('POST', path)).status).toBe(status);
    expect(await isWaiting()).toBe(chosen === '0');
    if (chosen === '0') hub.expire();
    await result;
  });
});
