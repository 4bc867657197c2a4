// @module-tag slow
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { QuestionClock } from '../../support/question-clock.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { holdTimers } from './hold-timers.ts';
import { HubBrowser } from './hub-browser.ts';
import { goByKeys } from './screen-keys.ts';

const clock = new QuestionClock();
let browser: HubBrowser;
const clients: Client[] = [];

beforeAll(async () => {
  browser = await HubBrowser.start({ clock });
  await importPracticeConnection(browser.hub);
  await saveFunction(browser.hub.workspace, 'practice/actions/delete-contact.ts', DELETE_CONTACT);
  await waitFor(async () => (await toolsOf(await connect('Finder'))).includes('delete-contact'), {
    what: 'the tool',
  });
});
afterEach(() => clock.expire());
afterAll(async () => {
  for (const client of clients) await client.close();
  await browser?.stop();
});

const DELETE_CONTACT = `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Deletes one contact',
  version: '1.0.0',
  endpoint: { method: 'DELETE', path: '/practice/contacts' },
  input: z.object({ id: z.string(), note: z.string().optional() }),
  output: z.object({ deleted: z.string() }),
  exec: async (nango, input) => ({ deleted: input.note === 'all of it' ? 'everything' : input.id }),
});
`;

const toolsOf = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

/** The official client with a key of this name. */
async function connect(name: string, secret?: string): Promise<Client> {
  const key =
    secret ??
    (
      await browser.api<{ data: { secret: string } }>('POST', '/environment/api-keys', {
        display_name: `${name} ${clients.length}`,
        scopes: ['environment:mcp'],
      })
    ).data.secret;
  const headers = { authorization: `Bearer ${key}`, 'provider-config-key': 'practice', 'connection-id': 'me' };
  return await connectTo(`${browser.hub.url}/mcp`, headers);
}

async function connectTo(url: string, headers: Record<string, string>, name = 'test'): Promise<Client> {
  const client = new Client({ name, version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  clients.push(client);
  return client;
}

/** The text of the tool's answer, or of its error. */
const remove = (
  client: Client,
  input: Record<string, unknown> = { id: '88213' },
  name = 'delete-contact',
): Promise<string> =>
  client.callTool({ name, arguments: input }).then(
    (result) => (result.content as { text: string }[])[0]?.text ?? '',
    (error: Error) => error.message,
  );

const dialogOf = (page: Page) => page.getByRole('dialog', { name: /asks to delete/ });

describe('a call that waits', () => {
  it('is asked about on any screen, with its facts, and runs once it is allowed', { tags: ['main-path'] }, async () => {
    const { page, complaints } = await browser.open('/dev/connections');
    await page.getByRole('grid').waitFor();
    const agent = await connect('Desk agent');
    const call = remove(agent, { id: '88213', note: 'x'.repeat(300) });

    const dialog = dialogOf(page);
    await dialog.waitFor();
    await dialog.getByText('delete-contact', { exact: true }).waitFor();
    await dialog.getByText(`"${'x'.repeat(300)}"`).waitFor();
    await dialog.getByText('me', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Deny');
    await dialog.getByRole('button', { name: 'Allow once' }).click();

    expect(JSON.parse(await call)).toEqual({ deleted: '88213' });
    await dialog.waitFor({ state: 'detached' });
    const again = remove(agent);
    await dialog.getByRole('button', { name: 'Deny' }).click();
    expect(await again).toContain('denied the call');
    expect(complaints).toEqual([]);
  });

  it('can be narrowed before it is allowed, and not widened', async () => {
    const { page } = await browser.open('/dev/connections');
    const call = remove(await connect('Wide agent'), { id: '88213', note: 'all of it' });
    const dialog = dialogOf(page);
    await dialog.getByRole('button', { name: 'Narrow' }).click();
    const field = dialog.getByRole('textbox', { name: 'Arguments of the call' });
    const allow = dialog.getByRole('button', { name: 'Allow once' });

    const refused = allow.and(page.locator('[aria-disabled=true]'));
    await field.fill('{"id": "99"}');
    await dialog.getByText('id is not as requested. Only leave out members or items of lists.').waitFor();
    await refused.waitFor();
    // The input of the tool needs this member.
    await field.fill('{"note": "all of it"}');
    await dialog.getByText('The tool does not accept this: id: This is required.').waitFor();
    await refused.waitFor();
    await dialog.getByRole('button', { name: 'More answers' }).click();
    await expect.poll(() => page.getByRole('menuitem').allTextContents()).toEqual(['Always deny']);
    await page.getByRole('menuitem').and(page.locator(':focus')).waitFor();
    // Esc closes the menu and not the question.
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem').waitFor({ state: 'detached' });
    await field.fill('{"id": "88213"}');
    await refused.waitFor({ state: 'detached' });
    await allow.click();

    expect(JSON.parse(await call)).toEqual({ deleted: '88213' });
  });

  it('is denied by keyboard from where the focus starts', async () => {
    const { page } = await browser.open('/dev/logs');
    const call = remove(await connect('Keyboard'));
    const deny = dialogOf(page).getByRole('button', { name: 'Deny', disabled: false });
    await deny.and(page.locator(':focus')).waitFor();

    await page.keyboard.press('Enter');

    expect(await call).toContain('denied the call');
  });

  it('stays waiting when it is put aside, also over a reload, and comes back from the badge', async () => {
    const { page } = await browser.open('/dev/connections');
    const call = remove(await connect('Patient'));
    const dialog = dialogOf(page);
    await dialog.waitFor();

    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /Agents.*1 call waits for your answer/s }).waitFor();
    await page.getByRole('button', { name: '1 call waiting' }).click();
    await dialog.waitFor();
    await page.reload();
    await dialog.getByRole('button', { name: 'Allow once' }).click();

    expect(JSON.parse(await call)).toEqual({ deleted: '88213' });
  });

  it('disappears when it is not answered in time', async () => {
    const { page } = await browser.open('/dev/connections');
    const call = remove(await connect('Forgotten'));
    await dialogOf(page).waitFor();

    clock.expire();

    await dialogOf(page).waitFor({ state: 'detached' });
    expect(await call).toContain('did not answer');
    await page.getByRole('button', { name: /waiting/ }).waitFor({ state: 'detached' });
  });

  it('takes its turn behind others, and no answer is taken for the one before it', async () => {
    const { page } = await browser.open('/dev/connections');
    const agent = await connect('Busy');
    const calls = [remove(agent, { id: '1' }), remove(agent, { id: '2' })];
    await page.getByRole('button', { name: '2 calls waiting' }).waitFor();
    const allow = dialogOf(page).getByRole('button', { name: 'Allow once' });
    await dialogOf(page).getByRole('button', { name: 'Allow once', disabled: false }).waitFor();
    // Half a second for every question that appears.
    const endPause = await holdTimers(page, 500);

    await allow.click();
    // Meant for the first one, while the second one has just appeared.
    await page.getByRole('button', { name: '1 call waiting' }).waitFor();
    await allow.dispatchEvent('click');
    await page.getByRole('button', { name: '1 call waiting' }).waitFor();
    await endPause();
    await dialogOf(page).getByRole('button', { name: 'Deny', disabled: false }).click();

    const ends = await Promise.all(calls);
    expect(ends.filter((end) => end.includes('"deleted"'))).toHaveLength(1);
    expect(ends.filter((end) => end.includes('denied the call'))).toHaveLength(1);
  });

  it('can be answered for good from the menu, which the MCP screen shows and takes back', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await browser.open('/dev/agents#decisions');
    const agent = await connect('Lasting');
    const call = remove(agent);
    await dialogOf(page).getByRole('button', { name: 'More answers', disabled: false }).click();
    await page.getByRole('menuitem', { name: 'Always allow' }).click();
    await call;
    expect(JSON.parse(await remove(agent, { id: '5' }))).toEqual({ deleted: '5' });

    const row = page.getByRole('row').filter({ hasText: 'Lasting' });
    await row.getByRole('combobox').click();
    await page.getByRole('option', { name: 'Default' }).click();
    await row.waitFor({ state: 'detached' });

    const asked = remove(agent);
    await dialogOf(page).getByRole('button', { name: 'Deny', disabled: false }).click();
    expect(await asked).toContain('denied the call');
  });

  it('for a program can be taken back where it is listed', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await browser.open('/dev/agents#decisions');
    const { data } = await browser.api<{ data: { mcp_url: string; session_token: string } }>('POST', '/sessions', {
      tenant: { connections: { pinned: [{ integration_id: 'practice', connection_id: 'me' }] } },
      pinned_tools: { practice: ['delete-contact'] },
    });
    const agent = await connectTo(data.mcp_url, { authorization: `Bearer ${data.session_token}` }, 'Program');
    const call = remove(agent, { id: '7' }, 'practice__delete-contact');
    await dialogOf(page).getByRole('button', { name: 'More answers', disabled: false }).click();
    await page.getByRole('menuitem', { name: 'Always allow' }).click();
    await call;

    const row = page.getByRole('row').filter({ hasText: 'Program, all sessions' });
    await row.getByText('Allow', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Take back' }).click();
    await row.waitFor({ state: 'detached' });
    const again = remove(agent, { id: '8' }, 'practice__delete-contact');
    await dialogOf(page).getByRole('button', { name: 'Deny', disabled: false }).click();
    expect(await again).toContain('denied the call');
    expect(complaints).toEqual([]);
  });
});

describe('the quick panel', () => {
  it('shows the question in its small window, and says when there is none', async () => {
    const { page, complaints } = await browser.open('/quick-panel', { width: 380, height: 520 });
    await page.getByRole('heading', { level: 1, name: 'Nothing needs your attention' }).waitFor();
    const call = remove(await connect('Panel agent'));

    await page.getByRole('heading', { level: 1, name: '1 thing needs your attention' }).waitFor();
    const allow = page.getByRole('button', { name: 'Allow once', disabled: false });
    await allow.waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Deny');
    await expectToFitWindow(page);
    await allow.click();

    expect(JSON.parse(await call)).toEqual({ deleted: '88213' });
    await page.getByRole('heading', { level: 1, name: 'Nothing needs your attention' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the screen of agents', () => {
  it('lists the calls with their results, and tries a tool in the playground', async () => {
    const { page, complaints } = await browser.open('/dev/agents#calls');
    const refused = page.getByRole('row').filter({ hasText: 'Keyboard' });
    await refused.getByText('Cancelled').waitFor();
    await refused.getByText('denied the call').waitFor();
    await page.getByRole('tab', { name: 'Tools' }).click();
    await page.getByRole('button', { name: 'Try delete-contact' }).click();
    await expect.poll(() => page.getByRole('combobox', { name: 'Action' }).inputValue()).toContain('delete-contact');
    expect(complaints).toEqual([]);
  });

  it('makes a key, shows it once, and writes it into a snippet that a client can use', async () => {
    const { page, complaints } = await browser.open('/dev/connections');
    await page.getByRole('grid').waitFor();
    await goByKeys(page, 'm');
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    await page.getByRole('button', { name: 'New agent key' }).click();
    await page.getByLabel('Name').fill('Typed agent');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('It is shown only once').waitFor();
    await page.getByRole('button', { name: 'Set up a client' }).click();

    const code = (await page.locator('pre').textContent()) ?? '';
    const [server] = Object.values((JSON.parse(code) as { mcpServers: Record<string, Server> }).mcpServers);
    expect(server?.url).toBe(`${browser.hub.url}/mcp`);
    const secret = server?.headers['Authorization']?.replace('Bearer ', '') ?? '';
    expect(await toolsOf(await connect('', secret))).toContain('delete-contact');
    await page.reload();
    expect(await page.locator('pre').textContent()).not.toContain(secret);

    await page.getByRole('tab', { name: /Keys/ }).click();
    const row = page.getByRole('row').filter({ hasText: 'Typed agent' });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
    await row.waitFor({ state: 'detached' });
    await expect(connect('', secret)).rejects.toThrow();
    expect(complaints).toEqual([]);
  });

  it('decides in advance what one client may do', async () => {
    const agent = await connect('Advance');
    const { page } = await browser.open('/dev/agents#tools');
    await page.getByRole('combobox', { name: 'Client' }).click();
    await page.getByRole('option', { name: /^Advance/ }).click();
    const row = page.getByRole('row').filter({ hasText: 'delete-contact' });
    await row.getByText('Deletes', { exact: true }).waitFor();

    await row.getByRole('combobox').click();
    await page.getByRole('option', { name: 'Deny' }).click();

    await expect.poll(() => row.getByRole('combobox').inputValue()).toBe('Deny');
    expect(await remove(agent)).toContain('denied this tool');
    await page.getByRole('tab', { name: /Keys/ }).click();
    await page.getByRole('row').filter({ hasText: 'Advance' }).getByRole('link', { name: 'Open in logs' }).click();
    const calls = page.getByRole('row').filter({ hasText: 'delete-contact' });
    await calls.waitFor();
    // Only the messages of a call name its client, so the page has to ask the server again.
    expect(await remove(agent)).toContain('denied this tool');
    await expect.poll(() => calls.count()).toBe(2);
  });

  it('fits 400 pixels on every tab', { tags: ['nightly'] }, async () => {
    for (const tab of ['programs', 'sessions', 'tools', 'decisions', 'calls', 'clients', 'setup']) {
      const { page } = await browser.open(`/dev/agents#${tab}`, { width: 400 });
      await page.getByRole('tab', { selected: true }).waitFor();
      await expectToFitWindow(page, tab);
    }
  });

  it('shows tool and policy side by side in a narrow window', async () => {
    const { page } = await browser.open('/dev/agents#tools', { width: 390 });
    const policy = page.getByRole('combobox', { name: 'What delete-contact may do' });
    await policy.waitFor();
    const box = await policy.boundingBox();

    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  });
});

interface Server {
  url: string;
  headers: Record<string, string>;
}
