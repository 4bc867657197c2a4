// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { browserOfFile, type OpenPage } from './dashboard-browser.ts';
import { untilFilled } from './dashboard-screens.ts';

const browser = browserOfFile();

const openRecords = (query = ''): Promise<OpenPage> =>
  browser.open(`/app/dev/connections/:connection/records/Invoice${query}`);

const panel = (page: Page, name: string) => page.getByRole('complementary', { name });

describe('a side panel', () => {
  it('becomes a page with an address of its own by Shift+Enter, moves between rows there, and returns with Esc', {
    tags: ['nightly'],
  }, async () => {
    const { page, complaints } = await openRecords();
    const records = page.getByRole('grid', { name: 'Records of Invoice' });
    await records.getByText('INV-20418').waitFor();
    await records.focus();
    await page.keyboard.press('Shift+Enter');

    await page.getByRole('heading', { level: 1, name: /INV-20418/ }).waitFor();
    await records.waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: /INV-20418/ }).waitFor();
    await page.getByRole('button', { name: 'Next row' }).click();
    await page.getByRole('heading', { level: 1, name: /INV-20417/ }).waitFor();
    // An open tooltip handles Escape too; a second press must not be needed.
    await page.getByRole('tooltip').getByText('Next row').waitFor();
    await page.keyboard.press('Escape');

    await records.getByText('INV-20418').waitFor();
    await panel(page, 'Record INV-20417').waitFor();
    await page.getByRole('link', { name: 'Open as a page' }).click();
    await page.getByRole('heading', { level: 1, name: /INV-20417/ }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await records.getByText('INV-20418').waitFor();
    await panel(page, 'Record INV-20417').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    expect(complaints).toEqual([]);
  });

  it('returns beside its list with Esc, also when the list comes after it', { tags: ['nightly'] }, async () => {
    let load: (() => void) | undefined;
    const { page } = await browser.open('/app/dev/connections/:connection/records/Invoice?record=INV-20418&view=page', {
      prepare: (prepared) =>
        prepared.route('**/history?**', (route) => {
          load = () => void route.continue();
        }),
    });
    await page.getByRole('heading', { level: 1, name: /INV-20418/ }).waitFor();
    await expect.poll(() => load).toBeDefined();
    load?.();
    const records = page.getByRole('grid', { name: 'Records of Invoice', includeHidden: true });
    await records.waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');

    await panel(page, 'Record INV-20418').waitFor();
    await records.getByText('INV-20418').waitFor();
  });

  it('fills a narrow window down to its foot, beside the rows of a tab too', { tags: ['nightly'] }, async () => {
    for (const query of ['?sync=fetch-deals', '?sync=fetch-deals&view=page']) {
      const { page } = await browser.open(`/app/dev/connections/:connection/syncs${query}`, { width: 420 });
      await untilFilled(page);
      const edges = await Promise.all(
        [page.getByRole('main'), panel(page, 'Sync fetch-deals')].map(async (one) => {
          const box = await one.boundingBox();
          return box && box.y + box.height;
        }),
      );

      expect(edges[1]).toBe(edges[0]);
    }
  });

  it('lies over the one that led to it, by an address of its own, and goes back there', {
    tags: ['nightly'],
  }, async () => {
    const { page, complaints } = await openRecords('?record=INV-20418&tab=history');
    const run = panel(page, 'Record INV-20418').getByRole('link', { name: 'Run' }).first();
    await run.focus();
    await page.keyboard.press('Enter');
    const operation = panel(page, 'Operation op-0');
    await operation.getByRole('tab', { name: /Messages/ }).click();
    await page.waitForURL(/record=INV-20418.*overTab=messages/);
    await page.reload();
    await expect
      .poll(() => operation.getByRole('tab', { name: /Messages/ }).getAttribute('aria-selected'))
      .toBe('true');
    // The row below does not change.
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');

    await operation.waitFor({ state: 'detached' });
    const record = panel(page, 'Record INV-20418');
    await expect.poll(() => record.getByRole('tab', { name: 'History' }).getAttribute('aria-selected')).toBe('true');
    await run.focus();
    await page.keyboard.press('Enter');
    await operation.waitFor();
    await operation.getByRole('button', { name: 'Close' }).click();
    await operation.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Run');
    await run.press('Enter');
    await operation.getByRole('link', { name: 'Open as a page' }).click();
    await page.waitForURL('**/logs?operationId=op-0&view=page');
    await page.getByRole('grid', { name: 'Operations' }).waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  it('of a sync has an address of its own: by link, by keys and back, and for a sync that is not there', async () => {
    const { page, complaints } = await browser.open('/app/dev/connections/:connection/syncs');
    const syncs = page.url();
    const heading = (name: string) => page.getByRole('heading', { level: 1, name });
    const grid = page.getByRole('grid', { name: 'Syncs' });
    await grid.getByRole('link', { name: /fetch-contacts/ }).waitFor();
    await grid.focus();
    await page.keyboard.press('Shift+Enter');

    await heading('fetch-contacts').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    await grid.waitFor({ state: 'hidden' });
    await expect.poll(() => page.title()).toMatch(/^fetch-contacts/);
    await page.reload();
    await heading('fetch-contacts').waitFor();
    await page.keyboard.press('j');
    await heading('fetch-companies').waitFor();
    await page.keyboard.press('Escape');
    await panel(page, 'Sync fetch-companies').getByRole('link', { name: 'Open as a page' }).click();
    await heading('fetch-companies').waitFor();
    await page.goBack();
    await grid.waitFor();
    await panel(page, 'Sync fetch-companies').waitFor();

    await page.goto(`${syncs}?sync=nothing&view=page`);
    await heading('Not found').waitFor();
    await page.getByText('This connection has no sync “nothing”').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'All syncs' }).focus();
    await page.keyboard.press('Enter');
    await grid.waitFor();
    expect(page.url()).toBe(syncs);
    await page.goto(`${syncs}?sync=nothing`);
    await panel(page, 'Sync nothing').getByText('This connection has no sync “nothing”').waitFor();
    await page.keyboard.press('Escape');
    await panel(page, 'Sync nothing').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('as a page fits 420 pixels', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/logs?operationId=op-0&view=page', { width: 420 });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectToFitWindow(page);
  });
});
