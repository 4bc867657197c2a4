// @module-tag slow
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserOfFile } from './dashboard-browser.ts';

const ROWS = 2_000_000;

const browser = browserOfFile();

interface ConnectionPage {
  data: Array<Record<string, unknown>>;
  total: number;
}

/** The list of connections, with its first row two million times. */
async function answerManyRows(route: Route): Promise<void> {
  const url = new URL(route.request().url());
  const offset = Number(url.searchParams.get('offset') ?? 0);
  const limit = Number(url.searchParams.get('limit') ?? 200);
  url.searchParams.set('offset', '0');
  const response = await route.fetch({ url: url.href });
  const page = (await response.json()) as ConnectionPage;
  const data = Array.from({ length: Math.min(limit, ROWS - offset) }, (_, index) => ({
    ...page.data[0],
    id: offset + index,
    connectionId: `row-${offset + index}`,
    displayName: `Row ${offset + index}`,
  }));
  await route.fulfill({ response, json: { ...page, data, total: ROWS } });
}

async function openList(): Promise<{ page: Page; visible: () => Promise<number[]> }> {
  const { page } = await browser.open('/app/dev/connections', {
    prepare: (blank) => blank.route(/\/api\/v1\/connections\?/, answerManyRows),
  });
  await page.locator('[role=row][aria-rowindex="2"]').first().waitFor();
  const grid = page.getByRole('grid', { name: 'Connections' });
  /** Indexes of the rows that a person sees, by place on the screen. */
  const visible = (): Promise<number[]> =>
    grid.evaluate((element) => {
      const box = element.getBoundingClientRect();
      return [...element.querySelectorAll('[role=rowgroup] [role=row]')]
        .map((row) => ({ top: row.getBoundingClientRect().top, index: Number(row.getAttribute('aria-rowindex')) - 2 }))
        .filter(({ top }) => top >= box.top + 32 && top < box.bottom - 30)
        .sort((a, b) => a.top - b.top)
        .map(({ index }) => index);
    });
  return { page, visible };
}

const inOrder = (rows: number[]): boolean => rows.every((row, at) => at === 0 || row === (rows[at - 1] ?? 0) + 1);
const activeRow = async (page: Page): Promise<string | null> => {
  const id = await page.getByRole('grid', { name: 'Connections' }).getAttribute('aria-activedescendant');
  return page.locator(`[id="${id}"]`).getAttribute('aria-rowindex');
};

describe('a list of two million rows', () => {
  it('is walked to its end and back by keyboard', { tags: ['nightly'] }, async () => {
    const { page, visible } = await openList();
    await page.getByRole('grid', { name: 'Connections' }).focus();
    await page.keyboard.press('End');
    await expect.poll(async () => (await visible()).at(-1)).toBe(ROWS - 1);
    expect(await activeRow(page)).toBe(String(ROWS + 1));
    await page.getByRole('row', { name: `Row ${ROWS - 1}`, exact: false }).waitFor();

    await page.keyboard.press('PageUp');
    await page.keyboard.press('PageUp');
    await expect.poll(async () => (await visible()).at(-1)).toBeLessThan(ROWS - 10);
    expect(inOrder(await visible())).toBe(true);
    const above = Number(await activeRow(page));
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => activeRow(page)).toBe(String(above + 1));

    await page.keyboard.press('Home');
    await expect.poll(async () => (await visible())[0]).toBe(0);
    await page.keyboard.press('PageDown');
    await expect.poll(() => activeRow(page)).not.toBe('2');
    expect(inOrder(await visible())).toBe(true);
  });

  it('is reached anywhere by a drag of the scroll bar, and its ends by the wheel', async () => {
    const { page, visible } = await openList();
    const grid = page.getByRole('grid', { name: 'Connections' });
    const drag = (share: number): Promise<void> =>
      grid.evaluate((element, part) => {
        element.scrollTop = part * (element.scrollHeight - element.clientHeight);
      }, share);

    await drag(0.5);
    await expect.poll(async () => Math.abs(((await visible())[0] ?? 0) - ROWS / 2)).toBeLessThan(2000);
    expect(inOrder(await visible())).toBe(true);

    // A turn of the wheel shows the next rows and skips none.
    const middle = (await visible())[0] ?? 0;
    await grid.hover();
    await page.mouse.wheel(0, 360);
    await expect.poll(async () => (await visible())[0]).toBe(middle + 10);
    await page.mouse.wheel(0, 360);
    await expect.poll(async () => (await visible())[0]).toBe(middle + 20);

    await drag(1);
    await expect.poll(async () => (await visible()).at(-1)).toBe(ROWS - 1);
    await page.mouse.wheel(0, -3600);
    await expect.poll(async () => (await visible()).at(-1)).toBe(ROWS - 101);
    await drag(0);
    await expect.poll(async () => (await visible())[0]).toBe(0);
  });
});
