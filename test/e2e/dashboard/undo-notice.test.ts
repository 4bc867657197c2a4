// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importConnection, importPracticeConnection } from '../../support/import-practice-connection.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
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

describe('the notice after a pause', () => {
  it('starts exactly the paused syncs again, by button and by key', { tags: ['main-path'] }, async () => {
    const { page } = await browser.open('/dev/connections/practice/me/syncs');
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

  it('stays while it is hovered or has the focus, and goes after ten seconds', async () => {
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
