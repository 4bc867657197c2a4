// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

const LISTS = [
  '/app/dev/connections',
  '/app/dev/integrations',
  '/app/dev/functions',
  '/app/dev/logs',
  '/app/dev/webhooks',
  '/app/dev/apps',
];

async function openList(path: string, width: number): Promise<Page> {
  const { page } = await browser.open(path, { width });
  await page.locator('[role=rowgroup] [role=row] [data-column] *').first().waitFor();
  return page;
}

/** By header: the width, and the pixels that the most shortened text of the column is short of. */
const columnsOf = (page: Page): Promise<Record<string, { width: number; missing: number }>> =>
  page
    .getByRole('grid')
    .first()
    .evaluate((grid) => {
      const rows = [...grid.querySelectorAll('[role=rowgroup] [role=row]')];
      const heads = [...grid.querySelectorAll('[role=columnheader][data-column]')];
      const missingIn = (cell: Element | undefined): number =>
        [...(cell?.querySelectorAll('*') ?? [])].reduce(
          (sum, part) => sum + (part.clientWidth > 0 ? Math.max(part.scrollWidth - part.clientWidth, 0) : 0),
          0,
        );
      return Object.fromEntries(
        heads.map((head, index) => {
          const cells = rows.map((row) => row.querySelectorAll(':scope > [data-column]')[index]);
          return [head.textContent, { width: head.clientWidth, missing: Math.max(...cells.map(missingIn)) }];
        }),
      );
    });

const overflowOf = (page: Page): Promise<number> =>
  page
    .getByRole('grid')
    .first()
    .evaluate((grid) => grid.scrollWidth - grid.clientWidth);

describe('the columns of a list', () => {
  const lists = named(LISTS);
  nightlyEach(lists, 3)('of %s fit into windows of 1280, 1440 and 1920 px', async (path) => {
    const page = await openList(path, 1280);
    for (const width of [1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflowOf(page), `${width}`).toBe(0);
    }
    const cut = Object.entries(await columnsOf(page)).filter(([, { missing, width }]) => missing > 1 && width < 360);
    expect(cut, 'texts that are cut although the window is wide').toEqual([]);
  });

  it('with identifiers get room from a column that has more than it needs', { tags: ['nightly'] }, async () => {
    const page = await openList('/app/dev/connections', 1440);
    const { 'Connection ID': id } = await columnsOf(page);
    expect(id?.width).toBeGreaterThan(180);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect((await columnsOf(page))['Connection ID']?.width).toBeGreaterThan(110);
  });

  it('show the whole type and the whole time of an operation', { tags: ['nightly'] }, async () => {
    const columns = await columnsOf(await openList('/app/dev/logs', 1440));
    expect([columns['Type']?.missing, columns['Time']?.missing]).toEqual([0, 0]);
  });

  it('keep the width that a person chose', async () => {
    const page = await openList('/app/dev/connections', 1440);
    await page.getByRole('grid', { name: 'Connections' }).focus();
    const before = (await columnsOf(page))['Connection ID']?.width ?? 0;
    for (const key of ['ArrowUp', 'ArrowRight', 'ArrowRight', 'Shift+ArrowLeft']) await page.keyboard.press(key);
    await expect.poll(async () => (await columnsOf(page))['Connection ID']?.width).toBe(before - 16);
  });
});

describe('an integration in a list', () => {
  for (const path of ['/app/dev/functions', '/app/dev/logs', '/app/dev/webhooks'])
    it(`of ${path} is called as on its own screen`, async () => {
      const { page, fixture } = await browser.open(path);
      const names = new Set(fixture.state.integrations.map(({ displayName }) => displayName));
      const keys = new Set(fixture.state.integrations.map(({ key }) => key));
      const column = async (): Promise<string[]> =>
        page
          .getByRole('grid')
          .first()
          .evaluate((grid) => {
            const heads = [...grid.querySelectorAll('[role=columnheader][data-column]')];
            const at = heads.findIndex((head) => head.textContent === 'Integration');
            return [...grid.querySelectorAll('[role=rowgroup] [role=row]')].map(
              (row) => row.querySelectorAll(':scope > [data-column]')[at]?.querySelector('.cut')?.textContent ?? '',
            );
          });
      await page.locator('[role=rowgroup] [role=row] [data-column] *').first().waitFor();
      await expect.poll(async () => (await column()).some((name) => names.has(name))).toBe(true);
      expect((await column()).filter((name) => keys.has(name) && !names.has(name))).toEqual([]);
    });
});
