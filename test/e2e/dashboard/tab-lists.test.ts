// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserOfFile, type OpenPage } from './dashboard-browser.ts';

const browser = browserOfFile();

const SYNC = '/app/dev/integrations/hubspot/functions/fetch-contacts?type=sync';

/** A tab of the first connection of the fixture, Cobalt Cycles at HubSpot. */
const openConnection = (tab: string): Promise<OpenPage> => browser.open(`/app/dev/connections/:connection${tab}`);

const grid = (page: Page, name: string) => page.getByRole('grid', { name, exact: true });

const sortBy = (page: Page, label: string, column: string): Promise<void> =>
  grid(page, label).getByRole('columnheader', { name: column }).getByRole('button').click();

/** Selects the first two rows by keyboard and copies them. */
async function copyTwo(page: Page, label: string): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await grid(page, label).locator('[role=row][aria-rowindex="3"]').waitFor();
  await grid(page, label).focus();
  await page.keyboard.press('Shift+Space');
  await page.keyboard.press('Shift+ArrowDown');
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await bar.getByText('2 selected').waitFor();
  await bar.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('menuitem', { name: /As CSV/ }).click();
  await page.getByText('2 rows copied as CSV').waitFor();
  await page.getByRole('menu').waitFor({ state: 'detached' });
  return page.evaluate(() => navigator.clipboard.readText());
}

describe('a list on a tab', () => {
  it('of what happened with a connection is sorted, copied, exported and laid out', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await openConnection('/activity');
    expect(await copyTwo(page, 'Activity')).toMatch(/^What,Type,Result,Started by,Took,When\r\n([^\n]+\r\n){2}$/);

    await page.keyboard.press('Escape');
    await sortBy(page, 'Activity', 'Took');
    await page.waitForURL('**/activity?sort=*duration');
    await page.getByRole('button', { name: 'Columns' }).click();
    const menu = page.getByRole('dialog', { name: 'Columns' });
    await menu.getByRole('radiogroup', { name: 'Row height' }).waitFor();
    await menu.getByRole('checkbox', { name: 'Started by' }).press('Space');
    await page.keyboard.press('Escape');
    await page.reload();
    await grid(page, 'Activity').getByRole('columnheader', { name: 'When' }).waitFor();
    await page.getByRole('columnheader', { name: 'Started by' }).waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toMatch(/^activity-.*\.csv$/);
    expect(complaints).toEqual([]);
  });

  it('of the syncs of a connection orders the selected ones', async () => {
    const { page, fixture } = await openConnection('/syncs');
    expect(await copyTwo(page, 'Syncs')).toMatch(/^Sync,Last run,Schedule,Records,Next\r\nfetch-contacts,/);

    const bar = page.getByRole('toolbar', { name: 'Selected rows' });
    await bar.getByRole('button', { name: 'Pause' }).click();

    await page.getByText('2 syncs paused').waitFor();
    // Rows of two lines have one height.
    await page.getByRole('button', { name: 'Columns' }).click();
    const menu = page.getByRole('dialog', { name: 'Columns' });
    await menu.getByRole('checkbox', { name: 'Schedule' }).waitFor();
    expect(await menu.getByRole('radiogroup').count()).toBe(0);
    const paused = fixture.state.syncs.filter(({ scheduleStatus }) => scheduleStatus === 'PAUSED');
    expect(paused.map(({ name }) => name)).toEqual(expect.arrayContaining(['fetch-contacts', 'fetch-companies']));
  });

  it('of the syncs of a connection says which of them were not ordered, and keeps those selected', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await openConnection('/syncs');
    await page.route('**/api/v1/sync/command*', (route) =>
      route.request().postDataJSON().sync === 'fetch-companies'
        ? route.fulfill({ status: 409, json: { error: { code: 'conflict', message: 'It is being deleted.' } } })
        : route.continue(),
    );
    await copyTwo(page, 'Syncs');

    await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Run' }).click();

    const result = page.getByRole('dialog', { name: '1 of 2 syncs started' });
    await result
      .getByRole('listitem')
      .filter({ hasText: 'fetch-companies' })
      .getByText('It is being deleted.')
      .waitFor();
    await result.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('toolbar', { name: 'Selected rows' }).getByText('1 selected').waitFor();
  });

  it('of the connections of an integration does one thing to many, with a result for each', async () => {
    const { page, fixture } = await browser.open('/app/dev/integrations/hubspot/connections');
    const gone = fixture.state.connections.filter(({ detail }) => detail.integrationKey === 'hubspot')[1];
    await copyTwo(page, 'Connections');
    const bar = page.getByRole('toolbar', { name: 'Selected rows' });
    // Deleted elsewhere meanwhile.
    fixture.state.connections = fixture.state.connections.filter((one) => one !== gone);

    await bar.getByRole('button', { name: 'Pause' }).click();

    const result = page.getByRole('dialog', { name: '1 of 2 connections paused' });
    await result.getByText('There is no connection').waitFor();
    await result.getByRole('button', { name: 'Close' }).click();
    await bar.getByText('1 selected').waitFor();
  });

  it('of the functions of an integration disables many at once', async () => {
    const { page, fixture } = await browser.open('/app/dev/integrations/hubspot/functions');
    await copyTwo(page, 'Functions');
    const bar = page.getByRole('toolbar', { name: 'Selected rows' });

    await bar.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog', { name: 'Disable 2 functions?' }).getByRole('button', { name: 'Disable' }).click();

    await page.getByText('2 functions disabled').waitFor();
    const disabled = fixture.state.functions.filter((one) => one.integrationKey === 'hubspot' && !one.isEnabled);
    expect(disabled.length).toBeGreaterThanOrEqual(2);
  });

  it('of the connections of a sync pauses the chosen ones', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(`${SYNC}#connections`);
    const ordered: unknown[] = [];
    await page.route('**/api/v1/sync/command*', (route) => {
      ordered.push(route.request().postDataJSON());
      return route.fulfill({ json: { operationId: null } });
    });
    await copyTwo(page, 'Connections of the sync');

    await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Pause' }).click();

    await page.getByText('2 syncs paused').waitFor();
    const order = { integrationKey: 'hubspot', sync: 'fetch-contacts', command: 'PAUSE' };
    expect(ordered).toEqual([
      expect.objectContaining({ ...order, variant: 'base' }),
      expect.objectContaining({ ...order, variant: 'eu' }),
    ]);
  });

  it('of the connections of an integration is searched, narrowed and copied', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/integrations/hubspot/connections');
    expect(await copyTwo(page, 'Connections')).toMatch(/^Customer,Connection ID,Status.*\r\nCobalt Cycles,/);
    await page.keyboard.press('/');
    await page.keyboard.type('no such customer');
    await page.getByText('No connection of this integration matches').waitFor();

    await page.getByRole('toolbar', { name: 'Selected rows' }).waitFor({ state: 'detached' });
  });

  it('of the log of an integration is narrowed to it, and the whole log opens with the same filter', {
    tags: ['nightly'],
  }, async () => {
    const { page, fixture, complaints } = await browser.open('/app/dev/integrations/hubspot/logs?period=%2C');
    await page.getByRole('tab', { name: 'Logs', selected: true }).waitFor();
    await page.getByRole('button', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Success' }).click();
    await page.keyboard.press('Escape');
    const succeeded = fixture.state.operations.filter(
      ({ integrationName, state }) => integrationName === 'hubspot' && state === 'success',
    );
    await page.getByText(`${succeeded.length} operations`, { exact: true }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Integration' }).count()).toBe(0);
    await page.locator('[role=row][aria-rowindex="2"]').click();
    await page.getByRole('complementary').getByRole('link', { name: 'hubspot' }).first().waitFor();

    await page.getByRole('link', { name: 'Open in Logs' }).click();

    await page.waitForURL('**/dev/logs?period=%2C&states=success&integrations=hubspot');
    await page.getByText(`${succeeded.length} operations`, { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('of the log of an integration is narrowed to a connection and a function of it', {
    tags: ['nightly'],
  }, async () => {
    const { page, fixture } = await browser.open('/app/dev/integrations/hubspot/logs?period=%2C');
    const own = fixture.state.operations.filter(({ integrationName }) => integrationName === 'hubspot');
    const functions = new Set(own.flatMap(({ syncConfigName }) => syncConfigName ?? []));
    const connections = new Set(own.flatMap(({ connectionName }) => connectionName ?? []));
    await page.getByRole('button', { name: 'Function', exact: true }).click();
    await expect.poll(() => page.getByRole('option').count()).toBe(Math.min(functions.size, 20));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Connection', exact: true }).click();
    await expect.poll(() => page.getByRole('option').count()).toBe(Math.min(connections.size, 20));
    const [first = ''] = await page.getByRole('option').first().locator('.cut').allTextContents();
    expect(connections).toContain(first);

    await page.getByRole('option').first().click();
    await page.keyboard.press('Escape');

    const kept = own.filter(({ connectionName }) => connectionName === first).length;
    await page.getByText(new RegExp(`^${kept} operations?$`)).waitFor();
  });

  it('of the webhooks of an integration turns to those sent to the app, and keeps the integration in the link', {
    tags: ['nightly'],
  }, async () => {
    const { page, fixture, complaints } = await browser.open('/app/dev/integrations/hubspot/webhooks');
    const ofHubspot = fixture.state.incoming.filter((one) => one.integrationKey === 'hubspot').length;
    await page.getByText(new RegExp(`^${ofHubspot} webhooks?$`)).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Integration' }).count()).toBe(0);

    await page.getByRole('radiogroup', { name: 'Direction' }).getByText('Outgoing').click();
    await grid(page, 'Outgoing webhooks').waitFor();
    await page.getByRole('link', { name: 'Open in Webhooks' }).click();

    await page.waitForURL('**/dev/webhooks?direction=outgoing&integrations=hubspot');
    await page.getByRole('tab', { name: 'Outgoing', selected: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('of the functions of an integration is sorted and copied', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/integrations/hubspot/functions');
    expect(await copyTwo(page, 'Functions')).toMatch(
      /^Name,Type,Status,Schedule,Last run,"Success, 7 d",p95,Enabled\r\n/,
    );

    await sortBy(page, 'Functions', 'Status');
    await page.waitForURL('**/functions?sort=status');
  });

  it('of the runs of a function keeps its tab when it is sorted and narrowed', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await browser.open(`${SYNC}#runs`);
    expect(await copyTwo(page, 'Runs')).toMatch(
      /^Start,Connection,Variant,Started by,Result,Error,Added,Updated,Deleted,CPU,Memory,Took\r\n/,
    );
    await page.keyboard.press('Escape');
    await sortBy(page, 'Runs', 'Took');
    await page.waitForURL(/sort=-?duration#runs$/);

    await page.getByRole('button', { name: 'Result' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.waitForURL(/states=failed#runs$/);
    await expect.poll(() => grid(page, 'Runs').getByRole('row').filter({ hasText: 'Success' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('of the connections of a sync is sorted and copied', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(`${SYNC}#connections`);
    expect(await copyTwo(page, 'Connections of the sync')).toMatch(
      /^Connection,Status,Frequency,Last run,Next\r\n([^\n]+\r\n){2}$/,
    );
    await page.keyboard.press('Escape');
    await sortBy(page, 'Connections of the sync', 'Status');

    await expect
      .poll(() => page.getByRole('columnheader', { name: 'Status' }).getAttribute('aria-sort'))
      .toBe('ascending');
  });
});
