// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
const PATH = 'practice/actions/greet.ts';
const GOOD = actionSource('return { ok: true };');

beforeAll(async () => {
  browser = await HubBrowser.start();
  await importPracticeConnection(browser.hub);
  await saveFunction(browser.hub.workspace, PATH, GOOD);
  await waitFor(async () => JSON.stringify(await browser.api('GET', '/scripts/config')).includes('"greet"'), {
    what: 'the action',
  });
});
afterAll(() => browser?.stop());

/** The number of sounds that the page has played since this call. */
async function countSounds(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const played = { count: 0 };
    const Context = class extends AudioContext {
      constructor() {
        super();
        played.count += 1;
      }
    };
    Object.assign(window, { AudioContext: Context, played });
  });
  return () => page.evaluate(() => (window as unknown as { played: { count: number } }).played.count);
}

describe('the notification centre', () => {
  it('reports a failure live, links to it, and marks it as resolved', { tags: ['main-path'] }, async () => {
    const { page, complaints } = await browser.open('/dev/connections');
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();

    await saveFunction(browser.hub.workspace, PATH, 'export default createAction({');
    const bell = page.getByRole('button', { name: 'Notifications, 1 not read' });
    await bell.waitFor();
    await bell.click();
    const list = page.getByRole('dialog', { name: 'Notifications' });
    await list.getByRole('link', { name: `${PATH} does not compile` }).waitFor();
    await list.getByText('keeps running').waitFor();
    await list.getByRole('link', { name: 'Open code' }).click();
    await page.waitForURL(/\/dev\/integrations\/practice\/functions\/greet\?type=action#code$/);
    await page.getByRole('button', { name: 'Notifications', exact: true }).click();
    await list.getByText('Not read').waitFor({ state: 'detached' });

    await saveFunction(browser.hub.workspace, PATH, GOOD.replace('ok: true', 'ok: false'));
    await list.getByText(/^Resolved\./).waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('reports the operations of a saved view that a person chose in the log', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await browser.open('/dev/logs?states=failed&types=proxy');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('textbox', { name: 'Name of the view' }).click();
    await page.keyboard.type('Refused calls');
    await page.keyboard.press('Enter');
    const view = page.getByRole('button', { name: 'Refused calls' });
    await view.click();
    await page.getByRole('menuitem', { name: 'Notify me', exact: true }).click();
    await page.getByText('You are notified of Refused calls').waitFor();
    await fetch(`${browser.hub.url}/proxy/v1/me`, {
      headers: {
        authorization: `Bearer ${browser.hub.secretKey}`,
        'provider-config-key': 'practice',
        'connection-id': 'me',
        'nango-proxy-x-practice-fail': '404',
      },
    });

    await page.getByRole('button', { name: /^Notifications, \d+ not read/ }).click();
    const list = page.getByRole('dialog', { name: 'Notifications' });
    await list.getByRole('link', { name: 'New operations in Refused calls' }).click();
    await page.waitForURL(/\/dev\/logs\?states=failed&types=proxy$/);
    await view.click();
    await page.getByRole('menuitem', { name: 'Do not notify me' }).waitFor();
    await page.goto(`${browser.hub.url}/app/dev/notifications`);
    const remove = page.getByRole('button', { name: 'Do not notify of Refused calls' });
    await remove.click();
    await remove.waitFor({ state: 'detached' });
    await page.getByText('Choose “Notify me” in the menu of a saved view').waitFor();
    expect(complaints).toEqual([]);
  });

  it('runs a failed sync again by the button beside it, without leaving the screen', async () => {
    const source = (body: string) => syncSource(body).replaceAll('Item', 'Thing');
    await saveFunction(browser.hub.workspace, 'practice/syncs/things.ts', source(`throw new Error('No things');`));
    const order = { provider_config_key: 'practice', connection_id: 'me', syncs: ['things'] };
    await waitFor(() => browser.api('POST', '/sync/start', order), { what: 'the sync' });
    const { page, complaints } = await browser.open('/dev/notifications');
    const rules = page.getByRole('region', { name: 'Rules' });
    const isSaved = () => page.waitForResponse((one) => one.request().method() === 'PUT' && one.ok());
    const sounds = await countSounds(page);
    await Promise.all([isSaved(), rules.getByRole('switch', { name: 'A sound with system notifications' }).click()]);
    // As a sample.
    expect(await sounds()).toBe(1);
    await rules.getByLabel('Failures in a row').fill('1');
    await Promise.all([isSaved(), rules.getByLabel('Failures in a row').blur()]);
    await browser.api('POST', '/sync/trigger', { ...order, sync_mode: 'incremental' });

    const list = page.getByRole('region', { name: 'Notifications of the last 30 days' });
    const line = list.getByRole('listitem').filter({ hasText: 'things failed' });
    await line.waitFor();
    await expect.poll(sounds).toBe(2);
    await saveFunction(
      browser.hub.workspace,
      'practice/syncs/things.ts',
      source(`await nango.batchSave([{ id: '1', text: 'one' }], 'Thing');`),
    );
    // Runs fail until the saved version is live.
    await waitFor(
      async () => {
        if (await line.getByText(/^Resolved\./).isVisible()) return true;
        await line.getByRole('button', { name: 'Run again: things' }).click({ timeout: 2000 });
        await page.getByText('things started').first().waitFor();
        return false;
      },
      { what: 'the end of the failure' },
    );
    expect(new URL(page.url()).pathname).toBe('/app/dev/notifications');
    const times = await list.locator('time').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
    expect(new Set(times.map(Math.round)).size).toBe(1);
    // The sign of a line stands beside its title.
    const gap = await line.evaluate((one) => {
      const [sign, title] = ['svg', 'a'].map((part) => one.querySelector(part)?.getBoundingClientRect());
      return (title?.left ?? 0) - (sign?.right ?? 0);
    });
    expect(gap).toBeGreaterThan(8);
    expect(complaints).toEqual([]);
  });

  it('keeps its title and its way back when it cannot be read', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/connections');
    await page.route('**/api/v1/notifications?*', (route) =>
      route.fulfill({ status: 500, json: { error: { code: 'server_error', message: 'The disk does not answer.' } } }),
    );
    await page.goto(`${browser.hub.url}/app/dev/environment-settings#notifications`);
    await page
      .getByRole('navigation', { name: 'Settings' })
      .getByRole('link', { name: 'Notifications', exact: true })
      .waitFor();
    await page.getByRole('link', { name: 'Set notifications' }).press('Enter');
    await page.getByText('The disk does not answer.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByRole('region', { name: 'Rules' }).waitFor();
  });

  it('keeps two rules that are changed one right after the other', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/notifications');
    const rules = page.getByRole('region', { name: 'Rules' });
    let answer = (): void => {};
    const isHeld = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/v1/notification-rules*', async (route) => {
      if (route.request().method() === 'PUT') await isHeld;
      await route.continue();
    });
    await rules.getByLabel('Sync keeps failing').selectOption('Off');
    await rules.getByLabel('Disk nearly full').selectOption('Off');
    let stored = 0;
    page.on('response', (response) => {
      if (response.request().method() === 'PUT' && response.ok()) stored += 1;
    });
    answer();

    await expect.poll(() => stored).toBe(2);
    await page.reload();
    await expect.poll(() => rules.getByLabel('Disk nearly full').inputValue()).toBe('off');
    expect(await rules.getByLabel('Sync keeps failing').inputValue()).toBe('off');
  });

  it('keeps to the rules that a person sets', async () => {
    const { page } = await browser.open('/dev/notifications');
    const rules = page.getByRole('region', { name: 'Rules' });
    const stored = async (change: () => Promise<unknown>): Promise<void> => {
      await Promise.all([page.waitForResponse((one) => one.request().method() === 'PUT' && one.ok()), change()]);
    };
    await stored(() => rules.getByLabel('Function broke on save').selectOption('Off'));
    await stored(() => rules.getByLabel('Quiet hours: no system notifications').click());
    await stored(() => rules.getByLabel('Quiet from').fill('23:30'));
    await page.reload();

    await expect.poll(() => rules.getByLabel('Function broke on save').inputValue()).toBe('off');
    await expect.poll(() => rules.getByLabel('Quiet from').inputValue()).toBe('23:30');
    await saveFunction(browser.hub.workspace, PATH, 'export default createAction({');
    await browser.api('POST', '/environment/api-keys', {
      display_name: 'Reader',
      scopes: ['environment:connections:*'],
    });
    await waitFor(
      async () => {
        await page.goto(`${browser.hub.url}/app/dev/functions`);
        return page.getByText('Does not compile').first().isVisible();
      },
      { what: 'the broken function' },
    );
    expect(await page.getByRole('button', { name: 'Notifications, 1 not read' }).count()).toBe(0);
  });
});
