import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardBrowser, type OpenPage, startDashboardBrowser } from './dashboard-browser.ts';

let browser: DashboardBrowser;
beforeAll(async () => {
  browser = await startDashboardBrowser();
});
afterAll(() => browser.stop());

async function openRecords(query = '', options: { hasHistory?: boolean } = {}): Promise<OpenPage> {
  const opened = await browser.open('/app/dev/connections', options);
  const [first] = opened.fixture.state.connections;
  const { integrationKey = '', connectionId = '' } = first?.detail ?? {};
  await opened.page.goto(
    `${opened.fixture.url}/app/dev/connections/${integrationKey}/${encodeURIComponent(connectionId)}/records/Invoice${query}`,
  );
  return opened;
}

describe('the history of a record', () => {
  it('compares the newest two versions, then any two', async () => {
    const { page, complaints } = await openRecords('?record=INV-20418');
    await page.getByRole('tab', { name: 'History' }).click();
    const changes = page.getByRole('region', { name: 'Changes' });
    await changes.getByText('Version 3').waitFor();
    await changes.getByText('3 changes').waitFor();
    expect(await changes.getByText('/status').count()).toBe(1);
    expect(await changes.getByText('"PAID"').count()).toBe(1);

    await page.getByLabel('Version 1').check();

    await changes.getByText('Version 1').waitFor();
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2);
    await changes.getByText('/lines/1').waitFor();
    await changes.getByText('"DRAFT"').waitFor();
    expect(page.url()).toContain('tab=history');
    expect(complaints).toEqual([]);
  });

  it('leads to the run that made a version', async () => {
    const { page } = await openRecords('?record=INV-20418&tab=history');

    await page.getByRole('region', { name: 'Versions' }).getByRole('link', { name: 'Run' }).first().click();

    await page.waitForURL('**/logs?operationId=op-0');
  });

  it('says so when there is one version only', async () => {
    const { page } = await openRecords('?record=INV-20417&tab=history');

    await page.getByText('Nothing has replaced this version yet.').waitFor();
  });

  it('is offered where none is kept, and removed after a question', async () => {
    const { page, fixture } = await openRecords('?record=INV-20418&tab=history', { hasHistory: false });
    await page.getByText('up to 50 versions a record, for 30 days').waitFor();

    await page.getByRole('button', { name: 'Keep history' }).click();
    await page.getByText('3 changes').waitFor();
    expect(fixture.state.history.isOn).toBe(true);
    await page.getByRole('button', { name: 'Stop keeping history' }).click();
    await page.getByRole('button', { name: 'Remove history' }).click();

    await page.getByText('No history of Invoice').waitFor();
    expect(fixture.state.history.isOn).toBe(false);
  });
});

describe('the records as of a moment', () => {
  it('are shown for the chosen moment, with the way back', async () => {
    const { page } = await openRecords();
    const grid = page.getByRole('grid', { name: 'Records of Invoice' });
    await grid.getByText('INV-20418').waitFor();

    await page.getByRole('button', { name: 'As of' }).click();
    await page.getByRole('button', { name: 'An hour ago' }).click();

    await grid.getByText('INV-20418').waitFor({ state: 'detached' });
    await page.getByText('3 more records whose version of then is not kept').waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toMatch(/^\d{4}-/);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await grid.getByText('INV-20418').waitFor();
  });

  it('take a date and a time within the history', async () => {
    const { page } = await openRecords();
    await page.getByRole('button', { name: 'As of' }).click();
    const field = page.getByLabel('Show the records as of');

    await field.fill('2001-01-01T00:00:00');
    await page.getByText('No history was kept then.').waitFor();
    expect(await page.getByRole('button', { name: 'Show', exact: true }).isDisabled()).toBe(true);
    const anHourAgo = new Date(Date.now() - 3_600_000 - new Date().getTimezoneOffset() * 60_000);
    await field.fill(anHourAgo.toISOString().slice(0, 19));
    await page.getByRole('button', { name: 'Show', exact: true }).click();

    await page.getByRole('button', { name: 'Back to now' }).waitFor();
  });
});
