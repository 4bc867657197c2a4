// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

const field = (page: Page) => page.getByRole('combobox', { name: 'Search or run a command' });
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });
const groups = (page: Page) => page.getByRole('listbox', { name: 'Results' }).getByRole('group');
const chosen = (page: Page) => page.getByRole('option', { selected: true });

/** One press without a wait: a palette that is still opening or closing gets the text that follows. */
async function openPalette(page: Page, text = ''): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(text);
}

describe('the palette', () => {
  it('finds entries by some of their letters, marks them, and ranks frequent choices first', async () => {
    const { page, complaints } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await openPalette(page, 'wbh');
    await expect.poll(() => chosen(page).textContent()).toContain('Webhooks');
    expect(await chosen(page).locator('mark').allTextContents()).toEqual(['W', 'bh']);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dev/webhooks');

    await openPalette(page, 'new in');
    await expect.poll(() => chosen(page).textContent()).toContain('New integration');
    await page.keyboard.press('Escape');

    // Functions, too, although the server only knows parts of their names.
    await openPalette(page, 'fetch cntcs');
    await expect.poll(() => chosen(page).textContent()).toContain('fetch-contacts');
    await page.keyboard.press('Escape');

    await openPalette(page, 'se');
    await expect.poll(() => chosen(page).textContent()).toContain('Settings');
    expect(complaints).toEqual([]);
  });

  it('opens the dialog for a new key and makes a backup', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await openPalette(page, 'create key');
    await expect.poll(() => chosen(page).textContent()).toContain('New key');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).search).not.toContain('new=');

    await openPalette(page, 'backup');
    await expect.poll(() => chosen(page).textContent()).toContain('Make a backup');
    const sent = page.waitForRequest((request) => request.method() === 'POST' && /data\/backups$/.test(request.url()));
    await page.keyboard.press('Enter');
    await sent;
    await page.getByText('Backup made').waitFor();
    expect(complaints).toEqual([]);
  });

  it('pauses and starts all syncs, found by the words that people type, and says how it ended', async () => {
    const { page, complaints } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    const sent = (part: string) =>
      page.waitForRequest((request) => request.method() === 'POST' && request.url().includes(part));
    for (const word of ['halt', 'stop all', 'pause all']) {
      await openPalette(page, word);
      await expect.poll(() => chosen(page).textContent(), { message: word }).toContain('Pause all syncs');
      await page.keyboard.press('Escape');
      await field(page).waitFor({ state: 'detached' });
    }
    await openPalette(page, 'halt');
    const pause = sent('/schedules/pause');
    await page.keyboard.press('Enter');
    expect((await pause).postDataJSON()).toEqual({ reason: 'person', until: null });
    await page.getByText('All schedules are paused until you start them again').waitFor();

    await openPalette(page, 'resume all');
    await expect.poll(() => chosen(page).textContent()).toContain('Start all syncs');
    const start = sent('/schedules/resume');
    await page.keyboard.press('Enter');
    await start;
    await page
      .getByRole('status')
      .getByText(/Schedules (run again|were not paused)/)
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it('asks which sync and on which connection, and goes back step by step', async () => {
    const { page, complaints } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await openPalette(page, 'stop sync');
    await expect.poll(() => chosen(page).textContent()).toContain('Pause a sync…');
    await page.keyboard.press('Enter');
    const which = page.getByRole('combobox', { name: 'Pause a sync…: Which sync?' });
    await which.waitFor();
    await option(page, /fetch-contacts/).waitFor();
    expect(await option(page, /create-contact/).count()).toBe(0);
    await page.keyboard.type('contacts');
    await expect.poll(() => chosen(page).textContent()).toContain('fetch-contacts');
    await page.keyboard.press('Enter');
    const where = page.getByRole('combobox', { name: 'Pause fetch-contacts: On which connection?' });
    await where.waitFor();
    await option(page, /Every connection/).waitFor();

    await page.keyboard.press('Escape');
    await which.waitFor();
    expect(await which.inputValue()).toBe('contacts');
    await page.keyboard.press('Enter');
    await option(page, /Every connection/).waitFor();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => chosen(page).textContent()).not.toContain('Every connection');
    const order = page.waitForRequest((request) => request.url().includes('/sync/command'));
    await page.keyboard.press('Enter');
    const { connectionId, ...rest } = (await order).postDataJSON();
    expect(rest).toMatchObject({ integrationKey: 'hubspot', sync: 'fetch-contacts', command: 'PAUSE' });
    expect(connectionId).toMatch(/./);
    await page.getByText(`fetch-contacts paused on ${connectionId}`).waitFor();

    await openPalette(page, 'run sync');
    await page.keyboard.press('Enter');
    await page.keyboard.type('fetch-contacts');
    await expect.poll(() => chosen(page).textContent()).toContain('fetch-contacts');
    await page.keyboard.press('Enter');
    await expect.poll(() => chosen(page).textContent()).toContain('Every connection');
    const all = page.waitForRequest((request) => request.url().includes('/sync/command'));
    await page.keyboard.press('Enter');
    expect((await all).postDataJSON()).toEqual({ integrationKey: 'hubspot', sync: 'fetch-contacts', command: 'RUN' });
    await page.getByText('fetch-contacts started on every connection').waitFor();
    expect(complaints).toEqual([]);
  });

  it('opens an action in the playground and a connection for an integration', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await openPalette(page, 'run action');
    await expect.poll(() => chosen(page).textContent()).toContain('Trigger an action…');
    await page.keyboard.press('Enter');
    await option(page, /create-contact/).waitFor();
    await page.keyboard.type('create-contact');
    await expect.poll(() => chosen(page).textContent()).toContain('create-contact');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Playground' }).waitFor();
    await page.keyboard.press('Escape');

    await openPalette(page, 'add account');
    await expect.poll(() => chosen(page).textContent()).toContain('New connection for…');
    await page.keyboard.press('Enter');
    await page.keyboard.type('linear');
    await expect.poll(() => chosen(page).textContent()).toContain('Linear');
    await page.keyboard.press('Enter');
    await page.waitForURL(/connections\/create\?integration_id=linear/);
  });

  it('pauses and resumes what is on the screen', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/connections/:connection');
    await page.getByRole('heading', { level: 1, name: 'Cobalt Cycles' }).waitFor();
    await openPalette(page, 'halt');
    await expect.poll(() => chosen(page).textContent()).toContain('Pause its syncs');
    await page.keyboard.press('Enter');
    await page.getByText('Syncs paused').waitFor();

    await page.goto(page.url().replace(/connections.*/, 'integrations/hubspot/functions/fetch-contacts?type=sync'));
    await page.getByRole('heading', { level: 1, name: 'fetch-contacts' }).waitFor();
    await openPalette(page, 'stop');
    await expect.poll(() => chosen(page).textContent()).toContain('Pause it on every connection');
    await page.keyboard.press('Enter');
    await page.getByText('fetch-contacts paused on every connection').waitFor();
  });

  it('searches connections, logs, paths and help after their signs', async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await openPalette(page, '@harrow');
    await option(page, /Harrow Books/)
      .first()
      .waitFor();
    expect(await groups(page).count()).toBe(1);

    await field(page).fill('#fetch');
    await page.getByRole('group', { name: 'Operations' }).waitFor();
    expect(await groups(page).count()).toBe(1);

    await field(page).fill('>');
    await option(page, /New connection/)
      .first()
      .waitFor();
    expect(await page.getByRole('group', { name: 'Screens' }).count()).toBe(0);

    await field(page).fill('?');
    await option(page, /Getting started/).waitFor();
    await option(page, /Keyboard shortcuts/).waitFor();

    await field(page).fill('/logs');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dev/logs');
  });

  it('keeps matching entries while the server searches', async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    let respond = (): void => {};
    const held = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await page.route(/api\/v1\/connections\?.*search=harrow/, async (route) => {
      await held;
      await route.continue();
    });
    await openPalette(page, '@');
    await option(page, /Cobalt Cycles/).waitFor();
    const asked = page.waitForRequest(/search=harrow/);
    await page.keyboard.type('harrow');
    await asked;

    expect(await option(page, /Harrow Books/).count()).toBe(1);
    expect(await option(page, /Cobalt Cycles/).count()).toBe(0);
    const answered = page.waitForResponse(/search=harrow/);
    respond();
    await (await answered).finished();
    await option(page, /Harrow Books/)
      .first()
      .waitFor();
  });

  it('offers what can be done with an entry on Tab, and first what can be done with the object on the screen', async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await openPalette(page, 'harrow');
    await option(page, /Harrow Books/)
      .first()
      .waitFor();
    await expect.poll(() => chosen(page).textContent()).toContain('Harrow Books');
    const actions = page.getByRole('combobox', { name: 'Actions of Harrow Books' });
    await page.keyboard.press('Tab');
    await actions.waitFor();
    await option(page, 'Run all syncs').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => chosen(page).textContent()).toContain('Harrow Books');
    await page.keyboard.press('Tab');
    await actions.waitFor();
    await page.keyboard.type('logs');
    await expect.poll(() => chosen(page).textContent()).toContain('Open its logs');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dev/logs?integrations=xero&connections=*');

    await openPalette(page, 'cobalt');
    await option(page, /Cobalt Cycles/)
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Cobalt Cycles' }).waitFor();
    await openPalette(page);
    await expect.poll(() => groups(page).first().getAttribute('aria-label')).toBe('On this screen');
    await page.keyboard.type('copy conn');
    await expect.poll(() => chosen(page).textContent()).toContain('Copy the connection ID');

    await field(page).fill('/functions');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dev/functions');
    await openPalette(page);
    await page.getByRole('group', { name: 'Recent' }).getByText('Cobalt Cycles').waitFor();
  });

  it('says how a command ended, and offers what the object allows', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/integrations/hubspot/functions/fetch-contacts?type=sync');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openPalette(page, '>able it');
    await expect.poll(() => page.getByRole('option', { name: /able it$/ }).allTextContents()).toEqual(['Disable it']);
    await page.keyboard.press('Enter');
    await page.getByText('fetch-contacts is disabled').waitFor();
    await openPalette(page, '>able it');
    await expect.poll(() => page.getByRole('option', { name: /able it$/ }).allTextContents()).toEqual(['Enable it']);
    await page.keyboard.press('Enter');
    await page.getByText('fetch-contacts is enabled').waitFor();
  });

  it('offers where an operation on the screen belongs', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/logs?operationId=op-4');
    await page.getByRole('complementary').getByText('fetch-invoices').first().waitFor();
    await openPalette(page, '>open its');
    await option(page, 'Open its connection').waitFor();
    await option(page, 'Open its function').click();
    await page.waitForURL('**/functions/fetch-invoices?type=sync');
  });

  it('opens in a new window, and jumps to ids and addresses that are pasted', async () => {
    const { page, fixture } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await openPalette(page, 'webh');
    await expect.poll(() => chosen(page).textContent()).toContain('Webhooks');
    const opens = page.context().waitForEvent('page');
    await page.keyboard.press('Control+Enter');
    const other = await opens;
    await other.waitForURL('**/app/dev/webhooks');
    await other.close();

    await openPalette(page);
    await field(page).fill('op-4');
    await page.getByRole('group', { name: 'Operations' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dev/logs?operationId=op-4');

    // A record of any connection.
    await openPalette(page);
    await field(page).fill('INV-20418');
    await page.getByRole('group', { name: 'Records' }).getByRole('option').nth(1).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/records/Invoice?record=INV-20418');
    await page.getByRole('complementary', { name: /INV-20418/ }).waitFor();

    await openPalette(page);
    await field(page).fill(`${fixture.url}/app/prod/functions`);
    await expect.poll(() => chosen(page).textContent()).toContain('Go to /prod/functions');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/prod/functions');
    // Until then the screen of the other environment is shown, and the palette belongs to it.
    await page.getByRole('heading', { level: 1, name: 'Functions' }).waitFor();

    await openPalette(page);
    await field(page).fill('/dev/logs');
    await page.getByRole('option', { name: '/dev/logs', exact: true }).waitFor();
    await field(page).fill('/functions/one');
    await page.getByRole('option', { name: '/prod/functions/one', exact: true }).waitFor();
    await page.keyboard.press('Escape');

    await openPalette(page);
    await field(page).fill('https://hub.test/staging/activity');
    await expect.poll(() => chosen(page).textContent()).toContain('Go to /prod/logs');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/prod/**logs**');
  });

  it('waits for the server with Enter and Tab that came before its answer', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/functions');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openPalette(page, 'harrow');
    await page.keyboard.press('Tab');
    await page.getByRole('combobox', { name: 'Actions of Harrow Books' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');

    await openPalette(page, 'harrow');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/connections/xero/**');
  });

  it('starts again when it is opened while the one before is still on its way out', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    for (const text of ['harrow', 'webh', 'new in']) {
      await openPalette(page, text);
      await expect.poll(() => field(page).inputValue()).toBe(text);
      await page.keyboard.press('Escape');
    }
    await openPalette(page, 'harrow');
    await page.keyboard.press('Tab');
    await page.getByRole('combobox', { name: 'Actions of Harrow Books' }).waitFor();
    await page.keyboard.press('Control+k');
    await openPalette(page, 'webh');
    await expect.poll(() => field(page).inputValue()).toBe('webh');
    await expect.poll(() => chosen(page).textContent()).toContain('Webhooks');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dev/webhooks');
  });

  it('goes back from the actions of an entry to the list as it was, however long they were shown', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.clock.install();
    await page.getByText('Cobalt Cycles').waitFor();
    await openPalette(page, 'harrow');
    await page.clock.runFor(1000);
    await expect.poll(() => chosen(page).textContent()).toContain('Harrow Books');
    await page.keyboard.press('Tab');
    await option(page, 'Run all syncs').waitFor();
    await page.clock.runFor(60_000);
    await page.keyboard.press('Escape');
    expect(await groups(page).first().getAttribute('aria-label')).toBe('Connections');
    await page.keyboard.press('Tab');
    await page.getByRole('combobox', { name: 'Actions of Harrow Books' }).waitFor();
  });

  it('keeps field, focus and text when the environment changes below it', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await openPalette(page, 'web');
    await expect.poll(() => field(page).inputValue()).toBe('web');
    const before = await field(page).elementHandle();
    await page.keyboard.press('Control+2');
    await page.waitForURL('**/app/prod/connections');
    await page.keyboard.type('h');
    await page.getByRole('navigation').getByText('prod', { exact: true }).first().waitFor();
    await page.keyboard.type('ooks');
    expect(await field(page).inputValue()).toBe('webhooks');
    expect(await field(page).evaluate((now, then) => now === then, before)).toBe(true);
  });

  it('keeps its keys at its foot in sight, however long the list is', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await openPalette(page, '');
    for (const height of [800, 500]) {
      await page.setViewportSize({ width: 1280, height });
      const dialog = page.getByRole('dialog');
      const beyond = async (): Promise<number> => {
        const [box, foot] = await Promise.all([dialog.boundingBox(), dialog.getByText('New window').boundingBox()]);
        return Math.max(0, (foot?.y ?? Infinity) + (foot?.height ?? 0) - ((box?.y ?? 0) + (box?.height ?? 0)));
      };
      await expect.poll(beyond, { message: `${height} px` }).toBe(0);
    }
  });

  it('fits 420 pixels', async () => {
    const { page } = await browser.open('/app/dev/connections', { width: 420 });
    await page.getByText('Cobalt Cycles').waitFor();
    await openPalette(page, 'cobalt');
    await option(page, /Cobalt Cycles/)
      .first()
      .waitFor();
    await expectToFitWindow(page);

    const footer = page.getByRole('dialog').getByText('New window').locator('..');
    expect(await footer.evaluate((bar) => bar.scrollWidth - bar.clientWidth)).toBeLessThanOrEqual(0);
  });
});
