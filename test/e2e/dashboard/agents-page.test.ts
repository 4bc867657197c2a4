// @module-tag slow
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectAgent, decideNext } from '../../contract/agents/agent-client.ts';
import type { Created } from '../../contract/agents/agent-fixture.ts';
import { DashboardClient } from '../../contract/dashboard/dashboard-client.ts';
import { ApiCaller } from '../../contract/http/api-caller.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';

const BACK = 'http://127.0.0.1:8976/callback';
let person: TempHome;
let browser: HubBrowser;
beforeAll(async () => {
  person = await createTempHome();
  browser = await HubBrowser.start({ env: { HOME: person.path } });
  await importPracticeConnection(browser.hub);
});
afterAll(async () => {
  await browser?.stop();
  await person.remove();
});

/** The address that a program opens, after it registered. */
async function authorizeAddress(): Promise<string> {
  const registered = await fetch(`${browser.hub.url}/agents/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Desk agent', redirect_uris: [BACK] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const asked = { response_type: 'code', client_id, redirect_uri: BACK, code_challenge_method: 'S256', state: 'st' };
  return `/agents/authorize?${new URLSearchParams({ ...asked, code_challenge: 'c'.repeat(43) })}`;
}

describe('the page on which a person answers a program', () => {
  it('gives what the person chose, and goes back to the program', async () => {
    const { page, complaints } = await browser.open('/dev/agents');
    await page.route(`${BACK}**`, (route) => route.fulfill({ body: 'back at the program' }));
    await page.goto(`${browser.hub.url}${await authorizeAddress()}`);
    await page.getByRole('heading', { level: 1, name: 'Desk agent asks for access' }).waitFor();
    await page.getByText('127.0.0.1:8976').waitFor();
    await page.getByRole('combobox', { name: 'Access ends' }).click();
    await page.getByRole('option', { name: 'in an hour' }).click();
    await page.getByRole('button', { name: 'Allow 1 account' }).click();
    await page.getByText('back at the program').waitFor();
    const back = new URL(page.url());
    expect([back.searchParams.get('state'), back.searchParams.has('code')]).toEqual(['st', true]);
    expect(complaints).toEqual([]);
  });

  it('takes a refusal back, and says when nobody waits any more', async () => {
    const { page } = await browser.open('/dev/agents');
    await page.route(`${BACK}**`, (route) => route.fulfill({ body: 'back at the program' }));
    await page.goto(`${browser.hub.url}${await authorizeAddress()}`);
    const asked = page.url();
    await page.getByRole('button', { name: 'Do not allow' }).click();
    await page.getByText('back at the program').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await page.goto(asked);
    await page.getByText('The program does not wait any more').waitFor();
  });

  it('fits a narrow window', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/agents', { width: 400 });
    await page.goto(`${browser.hub.url}${await authorizeAddress()}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectToFitWindow(page, 'sign-in');
  });
});

describe('the page of agents', () => {
  it('shows the change, writes it into the file of a program, and removes it', async () => {
    const { page, complaints } = await browser.open('/dev/agents');
    const row = page.getByRole('row').filter({ hasText: 'Cursor' });
    await row.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set up Cursor' });
    await dialog.getByText('+     "homeport": {').waitFor();
    await dialog.getByRole('button', { name: 'Write to file' }).click();
    await page.getByRole('dialog', { name: 'Cursor is set up' }).getByRole('button', { name: 'Done' }).click();
    await row.getByText('Set up', { exact: true }).waitFor();
    const file = join(person.path, '.cursor/mcp.json');
    expect(await readFile(file, 'utf8')).toContain(`${browser.hub.url}/agents/mcp`);
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.getByRole('button', { name: 'Set up' }).waitFor();
    expect(await readFile(file, 'utf8')).not.toContain('homeport');
    expect(complaints).toEqual([]);
  });

  it('makes a session by hand, shows its entry once, and ends it', async () => {
    const { page, complaints } = await browser.open('/dev/agents#sessions');
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByRole('button', { name: 'Make session' }).click();
    await page.getByText('The token is shown only once').waitFor();
    const code = (await page.locator('pre').textContent()) ?? '';
    const { headers, url } = JSON.parse(code).mcpServers.homeport;
    const list = await fetch(url, {
      method: 'POST',
      headers: { ...headers, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect([list.status, await list.text()]).toEqual([200, expect.stringContaining('nango_tool_search')]);
    await page.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Made by hand' });
    await row.getByRole('button', { name: 'End' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
    await row.getByText('Ended').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the details of a session', () => {
  it('show what it did and its limits, and whether text by strangers makes it ask', async () => {
    const api = new ApiCaller(browser.hub);
    const made = await api.send('POST /sessions', {
      body: { tenant: { connections: { pinned: [{ integration_id: 'practice', connection_id: 'me' }] } } },
    });
    const { mcp_url, session_token } = (made.body as { data: { mcp_url: string; session_token: string } }).data;
    const search = { name: 'nango_tool_search', arguments: { queries: ['issues'] } };
    const called = await fetch(mcp_url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${session_token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: search }),
    });
    expect(called.status).toBe(200);
    await called.arrayBuffer();

    const { page, complaints } = await browser.open('/dev/agents#sessions');
    await page
      .getByRole('row')
      .filter({ hasText: 'An app with a key' })
      .getByRole('button', { name: 'Details' })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'Timeline' }).getByText('Search: issues').waitFor();
    await dialog.getByRole('region', { name: 'Limits' }).getByText('0 of 1,000').waitFor();
    const asks = dialog.getByRole('switch', { name: 'Ask before each write after such text' });
    await asks.click();
    await expect.poll(() => asks.isChecked()).toBe(false);
    const { body } = await api.send('GET /sessions');
    expect(body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ untrusted_content: 'ignore' })]),
    });
    expect(complaints).toEqual([]);
  });

  it('show what it wrote, and undo it', async () => {
    const functions = () => browser.api<unknown>('GET', '/scripts/config');
    await waitFor(async () => JSON.stringify(await functions()).includes('"create-issue"'), { what: 'the action' });
    const pinned = [{ integration_id: 'practice', connection_id: 'me' }];
    const made = await browser.api<{ data: Created }>('POST', '/sessions', { tenant: { connections: { pinned } } });
    const agent = await connectAgent(made.data, 'Writing agent');
    const run = agent.call('nango_execute', { tool: 'practice__create-issue', input: { title: 'Lamp' } });
    const person = await DashboardClient.signIn({ url: browser.hub.url, signIn: browser.hub });
    await decideNext(person, 'allow-once');
    expect((await run).isError).toBeFalsy();

    const { page, complaints } = await browser.open('/dev/agents#sessions');
    await page.getByRole('row').filter({ hasText: 'Writing agent' }).getByRole('button', { name: 'Details' }).click();
    const timeline = page.getByRole('dialog').getByRole('region', { name: 'Timeline' });
    await timeline.getByText('POST /v1/issues 201').click();
    await timeline.getByText('{"title":"Lamp"}').waitFor();
    await timeline.getByRole('button', { name: 'Undo' }).click();
    await timeline.getByText(/^Undone/).waitFor();
    await timeline.getByText('Undo of create-issue').waitFor();
    await expect.poll(() => timeline.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
