// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserOfFile, type DashboardBrowser } from './dashboard-browser.ts';

const browser = browserOfFile();

async function openConnections(): Promise<{
  page: Page;
  fixture: Awaited<ReturnType<DashboardBrowser['open']>>['fixture'];
}> {
  const { page, fixture } = await browser.open('/app/dev/connections');
  await page.getByText('Cobalt Cycles').waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return { page, fixture };
}

const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

describe('a selection', () => {
  it('ticks the box that is clicked, names its row and leaves the keys alive', async () => {
    const { page } = await openConnections();
    const box = page.getByRole('checkbox', { name: /Select Cobalt Cycles/ });

    await box.click();
    await page.getByText('1 selected').waitFor();
    expect(await box.getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('j');
    await page.keyboard.press('x');

    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('2 selected').waitFor({ state: 'detached' });
  });

  it('says how many match, selects all of them on request, and none that a search hides', async () => {
    const { page } = await openConnections();
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    await page.getByText('200 selected of 214').waitFor();

    await page.getByRole('button', { name: 'Select all 214' }).click();
    await page.getByText('214 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+a');
    await page.getByText('200 selected of 214').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('juniper');

    await page.getByText(/selected/).waitFor({ state: 'detached' });
  });

  it('goes on with its act in its environment when the screen is left, and shows the results there', async () => {
    const { page } = await browser.open('/app/prod/connections');
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
    await page.keyboard.press('Control+1');
    await page.waitForURL('**/dev/connections');
    // The address changes before the list: its rows of the other environment have the same names.
    await page.getByRole('navigation').getByText('dev', { exact: true }).first().waitFor();
    const sent: string[] = [];
    let release = (): void => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/connections/bulk?*', async (route) => {
      sent.push(new URL(route.request().url()).searchParams.get('env') ?? '');
      await isReleased;
      const { targets } = route.request().postDataJSON() as { targets: unknown[] };
      const refusal = sent.length === 2 ? { code: 'conflict', message: 'Not now.' } : null;
      await route.fulfill({ json: { problems: targets.map((_, index) => (index === 0 ? refusal : null)) } });
    });
    await page.getByText('Cobalt Cycles').waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Pause' }).click();
    const progress = page.getByRole('dialog', { name: 'Pausing the syncs of 200 connections' });
    await progress.waitFor();
    await page.goBack();
    await page.waitForURL('**/prod/connections');
    await progress.getByText('0 of 200').waitFor();
    release();

    const results = page.getByRole('dialog', { name: '199 of 200 connections paused' });
    await results.getByText('Not now.').waitFor();
    expect(sent).toEqual(Array.from({ length: 8 }, () => 'dev'));
    await results.getByRole('button', { name: 'Try 1 again' }).click();
    await page.getByRole('status').filter({ hasText: '1 connection paused' }).waitFor();
    await results.waitFor({ state: 'detached' });
    expect(sent).toHaveLength(9);
    expect(page.url()).toContain('/prod/');
  });

  it('asks before the window is closed while its act goes on, and no longer once it has ended', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await openConnections();
    let release = (): void => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/connections/bulk?*', async (route) => {
      await isReleased;
      await route.fulfill({ json: { problems: [{ code: 'conflict', message: 'Not now.' }] } });
    });
    await page.getByRole('checkbox', { name: /Select Cobalt Cycles/ }).click();
    await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog', { name: 'Pausing the syncs of 1 connection' }).waitFor();

    const question = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    expect((await question).type()).toBe('beforeunload');
    await (await question).dismiss();
    release();

    await page.getByRole('dialog', { name: '0 of 1 connection paused' }).getByText('Not now.').waitFor();
    const mayClose = (): Promise<boolean> =>
      page.evaluate(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
    await expect.poll(mayClose).toBe(true);
  });

  it('keeps its buttons in reach while a message says that an export is done', { tags: ['nightly'] }, async () => {
    const { page } = await openConnections();
    await page.getByRole('checkbox', { name: /Select Cobalt Cycles/ }).click();
    const bar = page.getByRole('toolbar', { name: 'Selected rows' });
    await bar.waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).first().click();
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    await download;
    const toast = page.getByRole('status').filter({ hasText: 'rows exported' });
    await toast.waitFor();

    const [above, below] = [await toast.boundingBox(), await bar.boundingBox()];
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThan(below?.y ?? 0);
    await bar.getByRole('button', { name: 'Clear' }).click();
    await bar.waitFor({ state: 'detached' });
    expect(await toast.count()).toBe(1);
  });

  it('of connections is exported in one file, without secrets unless a passphrase is given', async () => {
    const { page, fixture } = await openConnections();
    const bodies: unknown[] = [];
    await page.route('**/api/v1/transfer/archive*', (route) => {
      bodies.push(route.request().postDataJSON());
      return route.fulfill({ json: { archive: 'UEsFBg==' } });
    });
    await page.getByRole('grid', { name: 'Connections' }).focus();
    await page.keyboard.press('Shift+Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByRole('button', { name: 'Export…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export 2 connections' });
    const download = page.waitForEvent('download');

    await dialog.getByRole('button', { name: 'Export' }).click();

    expect((await download).suggestedFilename()).toBe('homeport-dev-connections.zip');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('2 selected').waitFor();
    // The message about the first export may cover the bar.
    await page.getByRole('button', { name: 'Export…' }).press('Enter');
    await dialog.getByLabel('With credentials and secrets').press('Space');
    await dialog.getByLabel('Passphrase', { exact: true }).fill('long enough');
    await dialog.getByLabel('Passphrase again').fill('long enough');
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.waitFor({ state: 'detached' });

    const connections = fixture.state.connections
      .slice(0, 2)
      .map(({ detail: { integrationKey, connectionId } }) => ({ integrationKey, connectionId }));
    expect(bodies).toEqual([
      { parts: ['connections'], connections },
      { parts: ['connections'], connections, passphrase: 'long enough' },
    ]);
  });

  it('is deleted row by row: failures are named with their reasons and can be tried again', async () => {
    const { page, fixture } = await openConnections();
    await page.getByRole('grid', { name: 'Connections' }).focus();
    await page.keyboard.press('Shift+Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('3 selected').waitFor();
    const gone = fixture.state.connections.find(({ detail }) => detail.displayName === 'Cobalt Cycles');
    fixture.state.connections = fixture.state.connections.filter((one) => one !== gone);

    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete 3 connections of dev?' });
    await question.getByText(/Cobalt Cycles .*, /).waitFor();
    await question.getByRole('button', { name: 'Delete 3 connections' }).click();

    const result = page.getByRole('dialog', { name: '2 of 3 connections deleted' });
    expect(await result.getByRole('list', { name: 'Not done' }).textContent()).toMatch(/Cobalt Cycles.*There is no/);
    if (gone) fixture.state.connections.push(gone);
    await result.getByRole('button', { name: 'Try 1 again' }).click();
    await page.getByText('1 connection deleted').waitFor();
    expect(fixture.state.connections).not.toContain(gone);
    await page.getByText(/selected/).waitFor({ state: 'detached' });
  });

  it('is copied as a table of the columns shown, or whole', { tags: ['nightly'] }, async () => {
    const { page } = await openConnections();
    await page.getByRole('grid', { name: 'Connections' }).focus();
    await page.keyboard.press('x');

    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('menuitem', { name: /As CSV/ }).click();
    await expect
      .poll(() => copied(page))
      .toMatch(/^Customer,Integration,Connection ID,Status.*\r\nCobalt Cycles,hubspot,/);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('menuitem', { name: /As JSON/ }).click();
    await expect.poll(() => copied(page)).toMatch(/^\[/);
    expect(JSON.parse(await copied(page))).toMatchObject([{ displayName: 'Cobalt Cycles', integrationKey: 'hubspot' }]);
  });

  it('stays out of the way of an export of everything', { tags: ['nightly'] }, async () => {
    const { page } = await openConnections();
    await page.goto(`${new URL(page.url()).origin}/app/dev/connections?status=sync_error`);
    await page.getByText('Cobalt Cycles').waitFor();

    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ]);

    expect(file.suggestedFilename()).toBe('connections.csv');
    const stream = await file.createReadStream();
    const lines = (await stream.toArray()).join('').trim().split('\r\n');
    expect(lines[0]).toContain('connectionId,integrationKey');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('sync_error');
  });
});

describe('the menu of a connection in the list', () => {
  it('pauses and resumes its syncs, opens the playground, and deletes it without leaving the list', async () => {
    const { page, fixture } = await openConnections();
    const row = page.getByRole('row').filter({ hasText: 'Kestrel Health' });
    const choose = async (item: string): Promise<void> => {
      await page.getByRole('button', { name: 'Actions of Kestrel Health' }).press('Enter');
      await page.getByRole('menuitem', { name: item }).press('Enter');
    };

    const button = page.getByRole('button', { name: 'Actions of Kestrel Health' });
    const hasFocus = () => button.evaluate((element) => element === document.activeElement);
    await button.click();
    await page.getByRole('menuitem', { name: 'Pause syncs' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(hasFocus).toBe(true);

    await choose('Pause syncs');
    await row.getByText('Paused').waitFor();
    await choose('Resume syncs');
    await row.getByText('Healthy').waitFor();

    await choose('Open in playground');
    await page.getByRole('complementary', { name: 'Playground' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'Playground' }).waitFor({ state: 'detached' });
    await expect.poll(hasFocus).toBe(true);

    const before = fixture.state.connections.length;
    await choose('Delete connection');
    const dialog = page.getByRole('dialog', { name: /Kestrel Health/ });
    await dialog.getByRole('textbox').fill('Kestrel Health');
    await dialog.getByRole('button', { name: 'Delete connection' }).press('Enter');
    await row.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/app/dev/connections');
    expect(fixture.state.connections).toHaveLength(before - 1);
  });

  it('offers to resume paused syncs of a connection whose syncs fail', { tags: ['nightly'] }, async () => {
    const { page } = await openConnections();
    const row = page.getByRole('row').filter({ hasText: 'Cobalt Cycles' });
    const open = () => row.getByRole('button', { name: 'Actions of Cobalt Cycles' }).click();
    await row.getByText('Sync failing').waitFor();

    await open();
    await page.getByRole('menuitem', { name: 'Pause syncs' }).click();
    await page.getByText('Syncs paused').waitFor();
    await open();
    await page.getByRole('menuitem', { name: 'Resume syncs' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Pause syncs' }).count()).toBe(0);
  });
});
