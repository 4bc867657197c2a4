// @module-tag slow
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MessagesStore } from '../../../server/log/messages.store.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { requestLoginLink } from '../../../server/running-file.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { openContext, sharedBrowser } from '../../support/launch-chromium.ts';
import { seedOperations } from '../../support/seed-operations.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { holdFrames } from './held-frames.ts';
import { HubBrowser } from './hub-browser.ts';

const SEEDED = 1_200;
const DAY_MS = 86_400_000;

const grid = (page: Page) => page.getByRole('grid', { name: 'Operations' });
const total = async (page: Page) => Number(await grid(page).getAttribute('aria-rowcount')) - 1;
const rowTexts = (page: Page) =>
  grid(page)
    .getByRole('row')
    .filter({ has: page.locator('time') })
    .allTextContents();

async function isSettled(page: Page): Promise<boolean> {
  return (await grid(page).count()) > 0 && (await grid(page).getAttribute('aria-busy')) === 'false';
}

async function inDatabase<T>(home: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await Database.open({ file: join(home, 'homeport.db') });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const countWhere = (home: string, where: string): Promise<number> =>
  inDatabase(home, async ({ reader }) => {
    const row = await reader.get<{ count: number }>(`SELECT count(*) AS count FROM log_operations WHERE ${where}`);
    return row?.count ?? 0;
  });

describe('the log over a database (ui.md 17, 6 and 9)', () => {
  let browser: HubBrowser;
  beforeAll(async () => {
    browser = await HubBrowser.start();
    await seedOperations(browser.hub.home, SEEDED);
    await inDatabase(browser.hub.home, (database) =>
      database.transaction(async (tx) => {
        const message = { operationId: 'seed-1', createdAt: Date.now(), source: 'user', context: 'script' };
        const rows = Array.from({ length: 5_000 }, (_, index) => ({
          ...message,
          level: 'info',
          type: 'log',
          durationMs: null,
          message: `Line ${index} of many`,
          details: index === 4_999 ? { meta: { payload: 'x'.repeat(2_000_000) } } : null,
        }));
        await new MessagesStore().insert(tx, rows);
      }),
    );
  });
  afterAll(() => browser.stop());

  it('shows for each filter, alone and combined, as many rows as SQL counts', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await browser.open('/dev/logs');
    // The hub has written a few of its own.
    await expect.poll(() => total(page)).toBe(await countWhere(browser.hub.home, 'TRUE'));
    const now = Date.now();
    const filters: Array<[query: string, where: string]> = [
      ['states=failed', `state = 'failed'`],
      ['types=sync', `type = 'sync'`],
      ['types=sync%3Arun%2Caction', `type IN ('sync', 'action')`],
      ['integrations=integration-7', `integration_key = 'integration-7'`],
      ['connections=connection-77%2Cconnection-78', `connection_id IN ('connection-77', 'connection-78')`],
      ['syncs=function-5', `function_name = 'function-5'`],
      [`period=${now - DAY_MS / 4}%2C${now}`, `created_at BETWEEN ${now - DAY_MS / 4} AND ${now}`],
      // In errors, in its own text, and in a message of another one.
      ['search=503', `state = 'failed' OR message LIKE '%/503?%' OR id = 'seed-1'`],
      ['search=-state%3Afailed+duration%3E2s', `state <> 'failed' AND duration_ms > 2000`],
      ['states=failed&types=proxy&search=duration%3C1s', `state = 'failed' AND type = 'proxy' AND duration_ms < 1000`],
    ];
    const shown: Array<[string, number]> = [];
    const counted: Array<[string, number]> = [];
    for (const [query, where] of filters) {
      await page.evaluate((search) => {
        history.pushState(null, '', `?${search}`);
        dispatchEvent(new PopStateEvent('popstate', { state: null }));
      }, query);
      const count = await countWhere(browser.hub.home, where);
      expect(count, query).toBeGreaterThan(0);
      counted.push([query, count]);
      await expect.poll(() => isSettled(page)).toBe(true);
      await expect.poll(() => total(page), { message: query }).toBe(count);
      shown.push([query, await total(page)]);
    }

    expect(shown).toEqual(counted);
    const rows = await rowTexts(page);
    await page.reload();
    await expect.poll(() => total(page)).toBe(counted.at(-1)?.[1]);
    expect(await rowTexts(page)).toEqual(rows);
    for (const [, count] of counted.slice(0, -1).reverse().slice(0, 3)) {
      await page.goBack();
      await expect.poll(() => total(page)).toBe(count);
    }
    await page.goForward();
    await expect.poll(() => total(page)).toBe(counted.at(-3)?.[1]);
    expect(complaints).toEqual([]);
  });

  it('exports every row, once, while the list is used', async () => {
    const { page, complaints } = await browser.open('/dev/logs?period=%2C');
    const count = await countWhere(browser.hub.home, 'TRUE');
    await expect.poll(() => total(page)).toBe(count);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'JSON, one row per line' }).click();
    await grid(page).focus();
    await page.keyboard.press('End');
    await page.locator(`[role=row][aria-rowindex="${count + 1}"]`).waitFor();

    const text = await readFile(await (await download).path(), 'utf8');
    const ids = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect([ids.length, new Set(ids).size]).toEqual([count, count]);
    expect(complaints).toEqual([]);
  });

  it('goes through 5,000 messages of an operation and shows one with two megabytes', {
    tags: ['nightly'],
  }, async () => {
    const { page, complaints } = await browser.open('/dev/logs?operationId=seed-1&tab=messages');
    const messages = page.getByRole('grid', { name: 'Messages' });
    await expect.poll(() => messages.getAttribute('aria-rowcount')).toBe('5001');

    await messages.focus();
    await page.keyboard.press('End');
    await messages.getByText('Line 4999 of many').waitFor();
    expect(await messages.getByRole('row').count()).toBeLessThan(80);
    await page.keyboard.press('Enter');
    await page
      .getByText(/payload/)
      .first()
      .waitFor();

    await page.getByRole('textbox', { name: 'Search messages' }).click();
    await page.keyboard.type('4321');
    await expect.poll(() => messages.getAttribute('aria-rowcount')).toBe('2');
    expect(complaints).toEqual([]);
  });

  it('explains why there is no such operation, beside the list and as a page', async () => {
    for (const query of ['?operationId=seed-gone', '?operationId=seed-gone&view=page']) {
      const { page } = await browser.open(`/dev/logs${query}`);
      await page.getByText('No such operation').waitFor();
      await page.getByText('Operations are deleted after 15 days').waitFor();
      await page.getByRole('link', { name: 'environment settings' }).click();
      await page.waitForURL('**/dev/environment-settings#retention');
    }
  });
});

describe('the tail of the log (ui.md 17, 8)', () => {
  let server: StartedServer;
  beforeAll(async () => {
    server = await startServer({ hasExamples: true });
    await importPracticeConnection(server);
  });
  afterAll(() => server.stop());

  const call = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const response = await fetch(`${server.url}/proxy/issues?limit=1`, {
        headers: {
          authorization: `Bearer ${server.secretKey}`,
          'provider-config-key': 'practice',
          'connection-id': 'me',
        },
      });
      await response.arrayBuffer();
    }
  };

  it('has every operation once through a tab that closes, a tab that is hidden and a restart, with a filter set', async () => {
    const context = await openContext(await sharedBrowser());
    try {
      const first = await context.newPage();
      await first.goto((await requestLoginLink(server.home)) ?? '');
      await first.waitForFunction(() => localStorage.getItem('homeport.session') !== null);
      const second = await context.newPage();
      await call(3);
      for (const page of [first, second]) {
        await page.goto(`${server.url}/app/dev/logs?types=proxy`);
        await expect.poll(() => isSettled(page)).toBe(true);
        await expect.poll(() => total(page)).toBe(3);
      }
      await holdFrames(second);
      await call(10);
      await expect.poll(() => total(first)).toBe(13);

      // The other one continues after the last event.
      const calling = call(20);
      await first.close();
      await calling;
      await second.evaluate(() => (window as unknown as { show: () => void }).show());
      await expect.poll(() => total(second)).toBe(33);

      await server.restart();
      await call(5);
      await expect.poll(() => total(second)).toBe(38);
      expect(await countWhere(server.home, `type = 'proxy'`)).toBe(38);
      await call(1);
      await expect.poll(() => total(second)).toBe(39);
      expect(await grid(second).getByRole('row').count()).toBeLessThanOrEqual(40);
    } finally {
      await context.close();
    }
  });
});
