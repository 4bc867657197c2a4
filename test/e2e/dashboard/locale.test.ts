// @module-tag slow
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardFixture, startDashboardFixture } from '../../support/dashboard-fixture-server.ts';
import { openContext, sharedBrowser } from '../../support/launch-chromium.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Clocks in Berlin went from 2:00 to 3:00 on 29 March 2026, which is 1:00 UTC. */
const CHANGE = Date.UTC(2026, 2, 29, 1);

let context: BrowserContext;
let fixture: DashboardFixture;
beforeAll(async () => {
  context = await openContext(await sharedBrowser());
  fixture = await startDashboardFixture({});
});
afterAll(async () => {
  await context?.close();
  await fixture?.stop();
});

/** The log of a period as a table, in a language and a zone; `zones` are those of the page's requests. */
async function openTable(
  { locale, timeZone }: { locale: string; timeZone: string },
  { at, bucketMs, to }: { at: number[]; bucketMs: number; to: number },
): Promise<{ page: Page; rows: () => Promise<string[]>; zones: string[] }> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setLocaleOverride', { locale });
  await session.send('Emulation.setTimezoneOverride', { timezoneId: timeZone });
  const zones: string[] = [];
  await page.route('**/api/v1/logs/histogram*', (route) => {
    zones.push(new URL(route.request().url()).searchParams.get('timeZone') ?? '');
    const buckets = at.map((start) => ({ at: new Date(start).toISOString(), states: { success: 1234 } }));
    return route.fulfill({ json: { bucketMs, buckets, end: new Date(to).toISOString() } });
  });
  await page.goto(`${fixture.url}/app/dev/logs?period=${at[0]},${to}&live=false`);
  await page.getByRole('button', { name: 'Show as a table: Operations over time' }).click();
  const table = page.getByRole('region', { name: 'Operations over time as a table' });
  await table.getByRole('row').nth(at.length).waitFor();
  return { page, zones, rows: async () => (await table.getByRole('row').allInnerTexts()).slice(1) };
}

const cells = (rows: string[]): string[][] =>
  rows.map((row) =>
    row
      .split('\t')
      .slice(0, 2)
      .map((cell) => cell.trim()),
  );
const BERLIN = { locale: 'de-DE', timeZone: 'Europe/Berlin' };
const TOKYO = { locale: 'ja-JP', timeZone: 'Asia/Tokyo' };

describe('the dashboard in another language and zone', () => {
  it('names each day once across a change of the clocks, and asks with the zone', async () => {
    // In the hub's buckets: the second day has 23 hours.
    const first = CHANGE - 2 * HOUR - DAY;
    const at = [0, DAY, 2 * DAY - HOUR, 3 * DAY - HOUR].map((after) => first + after);
    const { rows, zones, page } = await openTable(BERLIN, { at, bucketMs: DAY, to: first + 4 * DAY });

    expect(cells(await rows())).toEqual([
      ['28. März', '1.234'],
      ['29. März', '1.234'],
      ['30. März', '1.234'],
      ['31. März', '1.234'],
    ]);
    expect(new Set(zones)).toEqual(new Set(['Europe/Berlin']));
    await page.close();
  });

  it('skips the hour that clocks skip, and repeats no hour', { tags: ['nightly'] }, async () => {
    const at = [CHANGE - HOUR, CHANGE, CHANGE + HOUR];
    const { rows, page } = await openTable(BERLIN, { at, bucketMs: HOUR, to: CHANGE + 2 * HOUR });

    expect(cells(await rows()).map(([time]) => time)).toEqual([
      '29. März, 01:00',
      '29. März, 03:00',
      '29. März, 04:00',
    ]);
    await page.close();
  });

  it('writes Japanese dates and numbers, in the zone of the computer', { tags: ['nightly'] }, async () => {
    const first = Date.UTC(2026, 2, 28, 15);
    const { rows, zones, page } = await openTable(TOKYO, {
      at: [first, first + DAY],
      bucketMs: DAY,
      to: first + 2 * DAY,
    });

    expect(cells(await rows())).toEqual([
      ['3月29日', '1,234'],
      ['3月30日', '1,234'],
    ]);
    expect(new Set(zones)).toEqual(new Set(['Asia/Tokyo']));
    await page.close();
  });

  it('zooms from a bar of 23 hours to exactly that day', { tags: ['nightly'] }, async () => {
    const first = CHANGE - 2 * HOUR - DAY;
    const at = [0, DAY, 2 * DAY - HOUR].map((after) => first + after);
    const { page } = await openTable(BERLIN, { at, bucketMs: DAY, to: first + 3 * DAY - HOUR });
    await page.getByRole('button', { name: 'Show as a chart: Operations over time' }).click();
    const bars = page.getByRole('slider', { name: /^Operations over time/ });

    await bars.focus();
    for (const key of ['Home', 'ArrowRight', 'Enter']) await bars.press(key);

    await expect.poll(() => new URL(page.url()).searchParams.get('period')).toBe(`${at[1]},${(at[2] ?? 0) - 1}`);
    await page.close();
  });

  it('formats dates and numbers in the locale that a person chose in Appearance, not in the browser’s', async () => {
    const at = [CHANGE - 3 * DAY, CHANGE - 2 * DAY];
    const { page } = await openTable(BERLIN, { at, bucketMs: DAY, to: CHANGE - DAY });
    const logs = page.url();
    await page.goto(`${fixture.url}/app/settings/appearance`);
    const choice = page.getByRole('combobox', { name: 'Dates and numbers' });
    await expect.poll(() => choice.inputValue()).toBe('As in this browser (German (Germany))');
    await page.getByText('1.234.567').waitFor();

    await choice.fill('American');
    await page.getByRole('option', { name: 'American English' }).click();

    await page.getByText('1,234,567').waitFor();
    await page.getByText('12 hours, am and pm').click();
    await page
      .getByText(/Now: .*:\d\d [AP]M/)
      .first()
      .waitFor();
    await page.goto(logs);
    const period = page.getByRole('button', { name: /^Period/ });
    await expect.poll(() => period.textContent()).toMatch(/\d:00 [ap]m/);
    await page.getByRole('button', { name: 'Show as a table: Operations over time' }).click();
    const table = page.getByRole('region', { name: 'Operations over time as a table' });
    await table.getByRole('row').nth(2).waitFor();
    expect(cells((await table.getByRole('row').allInnerTexts()).slice(1))[0]).toEqual(['Mar 26', '1,234']);
    await page.evaluate(() => localStorage.clear());
    await page.close();
  });

  it('asks for, writes and reads times of the zone that a person chose in Appearance', {
    tags: ['nightly'],
  }, async () => {
    const at = [CHANGE, CHANGE + HOUR];
    const { page, zones } = await openTable(BERLIN, { at, bucketMs: HOUR, to: CHANGE + 2 * HOUR });
    await page.evaluate(() =>
      localStorage.setItem('homeport.preferences', JSON.stringify({ timeZone: 'Asia/Kolkata' })),
    );
    zones.length = 0;
    await page.reload();
    const period = page.getByRole('button', { name: /^Period/ });

    await expect.poll(() => period.textContent()).toMatch(/29.*06:30 – 08:30/);
    await expect.poll(() => new Set(zones)).toEqual(new Set(['Asia/Kolkata']));
    await period.click();
    await page.getByText('Kolkata (UTC+5:30)').click();
    zones.length = 0;
    await page.getByText('UTC', { exact: true }).click();
    await expect.poll(() => new Set(zones)).toEqual(new Set(['UTC']));
    await page.getByRole('textbox', { name: 'Period' }).fill('2026-03-29');
    await page.getByText('Kolkata (UTC+5:30)').click();
    await page.getByRole('textbox', { name: 'Period' }).press('Enter');

    const midnight = Date.UTC(2026, 2, 28, 18, 30);
    await expect.poll(() => new URL(page.url()).searchParams.get('period')).toBe(`${midnight},${midnight + DAY - 1}`);
    await page.evaluate(() => localStorage.clear());
    await page.close();
  });
});
