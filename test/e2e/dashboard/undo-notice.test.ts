// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importConnection, importPracticeConnection } from '../../support/import-practice-connection.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { holdTimers } from './hold-timers.ts';
import { HubBrowser } from './hub-browser.ts';

const SYNCS = ['first-of-two', 'second-of-two'];

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await importPracticeConnection(browser.hub);
  for (const id of ['kestrel', 'wren'])
    await importConnection(browser.hub, { provider_config_key: 'practice', connection_id: id });
  for (const name of SYNCS)
    await saveFunction(
      browser.hub.workspace,
      `practice/syncs/${name}.ts`,
      syncSource('')
        .replaceAll('Item', `Of${name.replaceAll('-', '')}`)
        .replace('autoStart: false', 'autoStart: true'),
    );
  await waitFor(async () => (await running('me')).length === SYNCS.length, { what: 'the syncs' });
});
afterAll(() => browser?.stop());

/** Which of the syncs run on their schedule, as the public API says it. */
async function running(connectionId: string): Promise<string[]> {
  const { syncs } = await browser.api<{ syncs: Array<{ name: string; status: string }> }>(
    'GET',
    `/sync/status?provider_config_key=practice&connection_id=${connectionId}&syncs=*`,
  );
  return syncs.filter(({ name, status }) => SYNCS.includes(name) && status !== 'PAUSED').map(({ name }) => name);
}

const notice = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text });

/** A page whose notices stay: a busy machine may do nothing of a test in the ten seconds that they have. */
async function openHeld(path: string): Promise<Page> {
  const { page } = await browser.open(path);
  await holdTimers(page, 10_000);
  return page;
}

describe('the notice after a pause', () => {
  it('starts exactly the paused syncs again, by button and by key', async () => {
    const page = await openHeld('/dev/connections/practice/me/syncs');
    await page.getByRole('button', { name: 'Actions of first-of-two' }).click();
    await page.getByRole('menuitem', { name: 'Pause schedule' }).click();
    await notice(page, 'first-of-two paused').getByRole('button', { name: 'Undo' }).waitFor();
    expect(await running('me')).toEqual(['second-of-two']);

    await page.getByRole('button', { name: 'Pause all' }).click();
    await waitFor(async () => (await running('me')).length === 0, { what: 'the pause of all' });
    await notice(page, /syncs paused/).waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('Control+z');
    await notice(page, 'Started again').waitFor();
    expect(await running('me')).toEqual(['second-of-two']);

    await notice(page, 'first-of-two paused').getByRole('button', { name: 'Undo' }).click();
    await waitFor(async () => (await running('me')).length === SYNCS.length, { what: 'the first one' });
  });

  it('stays while it is hovered or has the focus, and goes after ten seconds', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/connections/practice/me/syncs');
    await page.getByRole('button', { name: 'Actions of first-of-two' }).waitFor();
    await page.clock.install();
    await page.getByRole('button', { name: 'Pause all' }).click();
    const shown = notice(page, /syncs paused/);
    await shown.waitFor();
    await shown.getByRole('button', { name: 'Undo' }).focus();
    await page.clock.runFor(60_000);
    expect(await shown.count()).toBe(1);

    await page.getByRole('button', { name: 'Pause all' }).focus();
    await shown.hover();
    await page.clock.runFor(60_000);
    expect(await shown.count()).toBe(1);

    await page.mouse.move(5, 5);
    await page.clock.runFor(9_000);
    expect(await shown.count()).toBe(1);
    await page.clock.runFor(2_000);
    await shown.waitFor({ state: 'detached' });
  });
});

describe('the notice after a deletion', () => {
  const exists = async (id: string): Promise<boolean> =>
    (await browser.api<{ connections: Array<{ connection_id: string }> }>('GET', '/connections')).connections.some(
      ({ connection_id }) => connection_id === id,
    );
  const remove = async (page: Page, id: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions of ${id}` }).click();
    await page.getByRole('menuitem', { name: 'Delete connection' }).click();
    const dialog = page.getByRole('dialog');
    // The example syncs have stored so many records that the name is asked for.
    await dialog.getByLabel(`Type ${id} to confirm`).fill(id);
    await dialog.getByRole('button', { name: 'Delete connection' }).click();
    await notice(page, `${id} is being deleted`).waitFor();
  };

  it('brings the connection back', async () => {
    const page = await openHeld('/dev/connections');
    await remove(page, 'kestrel');
    const row = page.getByRole('row', { name: /kestrel/ });
    await row.waitFor({ state: 'detached' });
    await notice(page, 'kestrel is being deleted').getByRole('button', { name: 'Undo' }).click();
    await notice(page, 'Nothing was deleted').waitFor();
    await row.waitFor();
    expect(await exists('kestrel')).toBe(true);
  });

  it('deletes at once when it is closed, also many connections', async () => {
    const page = await openHeld('/dev/connections');
    for (const name of [/kestrel/, /wren/]) await page.getByRole('row', { name }).getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 connections' }).click();
    const shown = notice(page, '2 connections are being deleted');
    await shown.waitFor();
    expect(await exists('wren')).toBe(true);
    await shown.getByRole('button').last().click();
    await waitFor(async () => !(await exists('wren')) && !(await exists('kestrel')), { what: 'the deletion' });
  });

  it('brings a saved view back', { tags: ['nightly'] }, async () => {
    const page = await openHeld('/dev/connections?search=me');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name of the view').fill('Mine');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Mine' }).click();
    await page.getByRole('menuitem', { name: 'Delete view Mine' }).click();
    await notice(page, 'View Mine deleted').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Mine' }).waitFor();
  });
});

describe('the notice after switching functions', () => {
  const enabled = (page: Page) => page.getByRole('switch', { name: 'Enabled', exact: true });

  beforeEach(async () => {
    // A sync that somebody paused stays paused when its function is switched on again.
    await browser.api('POST', '/sync/start', {
      provider_config_key: 'practice',
      connection_id: 'me',
      syncs: [...SYNCS],
    });
    await waitFor(async () => (await running('me')).length === SYNCS.length, { what: 'the syncs' });
  });

  it('switches one back from its page', async () => {
    const page = await openHeld('/dev/integrations/practice/functions/first-of-two?type=sync');
    await enabled(page).press('Space');
    await page.getByRole('button', { name: 'Disable sync' }).click();
    await notice(page, 'first-of-two disabled').getByRole('button', { name: 'Undo' }).click();

    await notice(page, 'Enabled again').waitFor();
    await expect.poll(() => enabled(page).isChecked()).toBe(true);
    await waitFor(async () => (await running('me')).includes('first-of-two'), { what: 'the sync to continue' });
  });

  it('switches back those of a list that it changed', async () => {
    const { page } = await browser.open('/dev/integrations/practice/functions/second-of-two?type=sync');
    await enabled(page).press('Space');
    await page.getByRole('button', { name: 'Disable sync' }).click();
    await notice(page, 'second-of-two disabled').waitFor();
    await page.goto(`${browser.hub.url}/app/dev/functions?search=of-two`);
    await holdTimers(page, 10_000);
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await notice(page, '2 functions disabled').getByRole('button', { name: 'Undo' }).click();

    await notice(page, 'Enabled again').waitFor();
    await waitFor(async () => (await running('me')).join() === 'first-of-two', { what: 'only the first to continue' });
  });
});
