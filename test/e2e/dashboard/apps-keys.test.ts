// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiCaller } from '../../contract/http/api-caller.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { HubBrowser } from './hub-browser.ts';
import { goByKeys } from './screen-keys.ts';

let browser: HubBrowser;

beforeAll(async () => {
  browser = await HubBrowser.start();
  await importPracticeConnection(browser.hub);
});
afterAll(() => browser?.stop());

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;
const callerOf = (secretKey: string) => new ApiCaller({ url: browser.hub.url, secretKey });
const CREDENTIALS = 'GET /connections/me?provider_config_key=practice';
const PROXY = { headers: { 'provider-config-key': 'practice', 'connection-id': 'me' } };

describe('keys and audit', () => {
  it('makes a key with one scope, sees its first call, its refused call and revokes it, by keyboard', {
    tags: ['main-path'],
  }, async () => {
    const { page, complaints } = await browser.open('/dev/connections');
    await page.getByRole('grid').waitFor();
    await goByKeys(page, 'a');
    await page.getByRole('heading', { name: 'Apps & keys' }).waitFor();
    await page.getByRole('grid', { name: 'Keys' }).getByText('default', { exact: true }).waitFor();

    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Relay');
    await page.keyboard.press('Tab');
    await dialog.getByRole('combobox', { name: 'Access' }).or(dialog.getByLabel('Access')).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Proxy only' }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Waiting for the first call').waitFor();
    const secret = UUID.exec((await dialog.textContent()) ?? '')?.[0] ?? '';
    const api = callerOf(secret);
    expect((await api.send('GET /proxy/v1/echo', PROXY)).status).toBe(200);
    await dialog.getByText('The first call has arrived.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);

    const refused = await api.send(CREDENTIALS);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      403,
      expect.stringContaining('environment:connections:read_credentials'),
    ]);
    const row = page.getByRole('row').filter({ hasText: 'Relay' });
    await row.getByText('Proxy only').waitFor();
    await row.getByRole('button', { name: 'Actions for Relay' }).click();
    await page.getByRole('menuitem', { name: 'Show in the audit' }).click();
    const audit = page.getByRole('grid', { name: 'Access audit' });
    const denied = audit.getByRole('row').filter({ hasText: 'Call refused' });
    await denied.getByText(/environment:connections:read_credentials/).waitFor();
    await audit.getByRole('row').filter({ hasText: 'Proxy call' }).getByText('practice').waitFor();

    await denied.getByRole('button', { name: 'Actions for the key of Relay' }).click();
    await page.getByRole('menuitem', { name: 'Revoke key of Relay' }).click();
    const confirm = dialog.getByRole('button', { name: 'Revoke key' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Type Relay to confirm').pressSequentially('Relay');
    await confirm.click();
    await dialog.waitFor({ state: 'detached' });
    expect((await api.send('GET /proxy/v1/echo', PROXY)).status).toBe(401);
    await page.goto(`${browser.hub.url}/app/dev/apps?tab=audit&search=Relay`);
    await audit.getByText('Key revoked').waitFor();
    expect(complaints).toEqual([]);
  });

  it('narrows a key scope by scope, which counts from the next call on', { tags: ['nightly'] }, async () => {
    const made = await browser.api<{ data: { secret: string } }>('POST', '/environment/api-keys', {
      display_name: 'Wide',
      scopes: ['environment:connections:*'],
    });
    const api = callerOf(made.data.secret);
    expect((await api.send(CREDENTIALS)).status).toBe(200);
    const { page } = await browser.open('/dev/apps');
    await page.getByRole('button', { name: 'Actions for Wide' }).click();
    await page.getByRole('menuitem', { name: 'Edit name and access' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Wide' });
    const scope = (name: string) => dialog.getByRole('checkbox', { name, exact: true });
    await expect.poll(() => scope('connections:read_credentials').isChecked()).toBe(true);
    await scope('connections:read_credentials').click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });

    expect((await api.send(CREDENTIALS)).body).not.toMatchObject({ credentials: { apiKey: expect.anything() } });
    await page.getByRole('row').filter({ hasText: 'Wide' }).getByText('6 scopes').waitFor();
    // One read of credentials before the key was narrowed, none since.
    await page.getByRole('row').filter({ hasText: 'Wide' }).getByRole('link', { name: '1', exact: true }).waitFor();
  });

  it('limits a key to a connection, which the list shows', async () => {
    await browser.api('POST', '/connections', {
      provider_config_key: 'practice',
      connection_id: 'someone-else',
      credentials: { type: 'API_KEY', apiKey: 'practice-demo-key' },
    });
    const { page, complaints } = await browser.open('/dev/apps');
    await page.getByRole('button', { name: 'New key' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Narrow');
    await dialog.getByRole('button', { name: 'Icon mail' }).press('Enter');
    await dialog.getByRole('button', { name: 'Colour violet' }).press('Enter');
    await dialog.getByLabel('Access').first().click();
    await page.getByRole('option', { name: 'Full' }).click();
    await dialog.getByText('Only chosen').click();
    await dialog.getByRole('alert').getByText('Choose at least one').waitFor();
    expect(await dialog.getByRole('button', { name: 'Create key' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Single connections').first().click();
    await page.keyboard.type('me');
    await page.getByRole('option', { name: 'practice: me', exact: true }).click();
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Create key' }).press('Enter');
    await dialog.getByText('Waiting for the first call').waitFor();
    const api = callerOf(UUID.exec((await dialog.textContent()) ?? '')?.[0] ?? '');

    expect((await api.send(CREDENTIALS)).status).toBe(200);
    expect((await api.send(CREDENTIALS.replace('/me?', '/someone-else?'))).status).toBe(403);
    await dialog.getByText('The first call has arrived.').waitFor();
    await page.keyboard.press('Escape');
    const row = page.getByRole('row').filter({ hasText: 'Narrow' });
    await row.getByText('practice: me').waitFor();
    await page.goto(`${browser.hub.url}/app/dev/apps?tab=audit&search=Narrow`);
    await page
      .getByText(/may not use the connection/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it('pairs an app that asks, under the code that both show', async () => {
    const { page } = await browser.open('/dev/apps');
    await page.getByRole('grid', { name: 'Keys' }).waitFor();
    const ask = await callerOf('').send('POST /pairings', {
      body: { name: 'Notes app', scopes: 'read' },
      headers: { authorization: undefined },
    });
    const { id, code } = (ask.body as { data: { id: string; code: string } }).data;
    const poll = async () =>
      (await callerOf('').send(`POST /pairings/${id}`, { body: { code }, headers: { authorization: undefined } }))
        .body as { data: { status: string; secret_key?: string } };
    const card = page.getByRole('region', { name: 'Notes app asks for a key' });
    await card.getByText(code).waitFor();
    await page.getByRole('button', { name: /^Notifications, \d+ not read$/ }).waitFor();
    expect((await poll()).data).toEqual({ status: 'waiting' });

    await card.getByRole('button', { name: 'Allow' }).click();
    const dialog = page.getByRole('dialog', { name: 'A key for Notes app' });
    await dialog.getByRole('button', { name: 'Allow' }).click();
    await card.waitFor({ state: 'detached' });
    await page.getByText('Notes app gets its key').waitFor();
    // The card takes its buttons away: the list goes on with the keyboard.
    await page.getByRole('grid', { name: 'Keys' }).and(page.locator(':focus')).waitFor();
    const given = (await poll()).data;

    expect(given.status).toBe('allowed');
    expect((await callerOf(given.secret_key ?? '').send('GET /connections')).status).toBe(200);
    await page.getByRole('row').filter({ hasText: 'Notes app' }).getByText('Read only').waitFor();
  });

  it('names the active filters of the audit in words', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/apps?tab=audit&actions=backup_made&results=refused');
    await page.getByText('Active: action Backup made, result Refused.').waitFor();
  });

  it('says that a request has ended while its dialog is open', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/apps');
    await callerOf('').send('POST /pairings', { body: { name: 'Late app' }, headers: { authorization: undefined } });
    const request = (of: Page) => of.getByRole('region', { name: 'Late app asks for a key' });
    await request(page).getByRole('button', { name: 'Allow' }).click();
    const dialog = page.getByRole('dialog', { name: 'A key for Late app' });
    await dialog.waitFor();

    // As when its time is over.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await request(other).getByRole('button', { name: 'Deny' }).click();

    await page.getByText('Late app no longer waits for a key. Let it ask again.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await other.close();
  });

  it('shows the menu of a key in the default window, and gives the focus to the list when the key is revoked', async () => {
    await browser.api('POST', '/environment/api-keys', { display_name: 'Short' });
    const { page } = await browser.open('/dev/apps');
    const menu = page.getByRole('button', { name: 'Actions for Short' });
    await menu.waitFor();
    const box = await menu.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(1280);
    await menu.click();
    await page.getByRole('menuitem', { name: 'Revoke key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type Short to confirm').fill('Short');
    await dialog.getByRole('button', { name: 'Revoke key' }).click();

    await dialog.waitFor({ state: 'detached' });
    await menu.waitFor({ state: 'detached' });
    await page.getByRole('grid', { name: 'Keys' }).and(page.locator(':focus')).waitFor();
  });
});
