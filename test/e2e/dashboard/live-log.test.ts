// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { OperationListItem } from '../../../server/log/dashboard-logs.contract.ts';
import { nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile, type OpenPage } from './dashboard-browser.ts';
import { holdFrames } from './held-frames.ts';

const browser = browserOfFile();

const grid = (page: Page) => page.getByRole('grid', { name: 'Operations' });
const total = async (page: Page) => Number(await grid(page).getAttribute('aria-rowcount')) - 1;
const named = (page: Page, id: string) => page.getByRole('row').filter({ hasText: `live-${id}.` });

async function openLog(query = ''): Promise<OpenPage> {
  const opened = await browser.open(`/app/dev/logs${query}`);
  await opened.page.locator('[role=row][aria-rowindex="2"]').first().waitFor();
  return opened;
}

/** Operations that start now, one after the other, as the hub stores and sends them. */
function happen({ fixture }: OpenPage, ids: string[], state: OperationListItem['state'] = 'running'): void {
  const [first] = fixture.state.operations;
  if (!first) throw new Error('The fixture has no operations.');
  for (const id of ids) {
    const createdAt = new Date().toISOString();
    const row = { ...first, id: `live-${id}`, syncConfigName: `live-${id}.`, state, createdAt, startedAt: createdAt };
    fixture.state.operations.unshift(row);
    const { payload: _, ...listed } = row as typeof row & { payload?: unknown };
    fixture.emit('operation', listed as OperationListItem);
  }
}

const HEALTH = {
  vault: 'unlocked' as const,
  vaultSource: 'keychain' as const,
  autoLockMinutes: null,
  queued: 0,
  tunnelUrl: null,
  dataProblem: null,
  unstoredTokens: 0,
  pausedSchedules: null,
};

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('the live log', () => {
  it('loses nothing that happens while the answer to another filter is on its way', { tags: ['nightly'] }, async () => {
    const opened = await openLog();
    const { page } = opened;
    const body = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route('**/api/v1/logs/operations?*states=failed*', async (route) => {
      const response = await route.fetch();
      asked.resolve();
      await body.promise;
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await asked.promise;

    happen(opened, ['meanwhile'], 'failed');
    happen(opened, ['other'], 'success');
    await named(page, 'meanwhile').waitFor();
    body.resolve();

    await expect.poll(() => grid(page).getAttribute('aria-busy')).toBe('false');
    expect(await named(page, 'meanwhile').count()).toBe(1);
    expect(await named(page, 'other').count()).toBe(0);
  });

  it('draws as many rows after 3,000 operations as before, each once, and asks for the list again meanwhile', {
    tags: ['nightly'],
  }, async () => {
    const opened = await openLog();
    const { page } = opened;
    const before = { rows: await page.getByRole('row').count(), total: await total(page) };
    let asked = 0;
    page.on('request', (request) => (asked += Number(request.url().includes('/api/v1/logs/operations?'))));

    for (let batch = 0; batch < 6; batch += 1) {
      happen(opened, numbered(`${batch}-`, 500));
      await named(page, `${batch}-499`).waitFor();
    }

    await expect.poll(() => total(page)).toBe(before.total + 3000);
    expect(await page.getByRole('row').count()).toBeLessThanOrEqual(before.rows + 2);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3000);
    expect(asked).toBeGreaterThanOrEqual(2);
    await grid(page).focus();
    const seen: string[] = [];
    for (let row = 0; row < 30; row += 1) {
      await page.keyboard.press('j');
      const id = await grid(page).getAttribute('aria-activedescendant');
      seen.push((await page.locator(`[id="${id}"]`).textContent()) ?? '');
    }
    expect(seen.map((text) => /live-[\d-]+/.exec(text)?.[0])).toEqual(
      numbered('', 30).map((index) => `live-5-${498 - Number(index)}`),
    );
  });

  it('keeps 2,000 rows for a reader further down, and says that there are more', async () => {
    const opened = await openLog();
    const { page } = opened;
    await grid(page).focus();
    for (let press = 0; press < 4; press += 1) await page.keyboard.press('PageDown');

    happen(opened, numbered('', 2500));
    await page.getByRole('button', { name: '2,000+ new' }).click();

    await named(page, '2499').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /new$/ }).count()).toBe(0);
  });

  it('has, in a tab that was hidden, everything that happened meanwhile, once', async () => {
    const opened = await openLog();
    const { page } = opened;
    const before = await total(page);
    await holdFrames(page);
    happen(opened, numbered('', 2500));
    // It is sent after them, so that they have arrived when it is shown.
    opened.fixture.emit('health', { ...HEALTH, running: 77 });
    await page.getByText('77 running').waitFor();

    await page.evaluate(() => (window as unknown as { show: () => void }).show());

    await named(page, '2499').waitFor();
    await expect.poll(() => total(page)).toBe(before + 2500);
    expect(await named(page, '2499').count()).toBe(1);
  });

  const logs = [
    ['of several pages', ''],
    ['of one page', '?states=failed'],
  ] as const;
  nightlyEach(logs, 2)('%s keeps the last row in the view when a row arrives just as End is pressed', async (query) => {
    const opened = await openLog(query);
    const { page } = opened;
    const before = await total(page);
    await grid(page).focus();
    await holdFrames(page);
    happen(opened, ['late'], 'failed');
    opened.fixture.emit('health', { ...HEALTH, running: 77 });
    await page.getByText('77 running').waitFor();

    await grid(page).evaluate((list) => {
      list.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));
      (window as unknown as { showNow: () => void }).showNow();
    });

    await expect.poll(() => total(page)).toBe(before + 1);
    const below = () =>
      grid(page).evaluate((list) => {
        const row = document.getElementById(list.getAttribute('aria-activedescendant') ?? '')?.closest('[role=row]');
        if (!row || row.getAttribute('aria-rowindex') !== list.getAttribute('aria-rowcount')) return undefined;
        return Math.round(row.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom);
      });
    await expect.poll(below, { timeout: 5000 }).toBeLessThanOrEqual(0);
  });
});
