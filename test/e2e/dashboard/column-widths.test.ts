// @module-tag slow
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DashboardBrowser, startDashboardBrowser } from './dashboard-browser.ts';

let browser: DashboardBrowser;
beforeAll(async () => {
  browser = await startDashboardBrowser();
});
afterAll(() => browser.stop());

it('The type and the connection of a log get a part of the spare room', async () => {
  const { page } = await browser.open('/app/dev/logs', { width: 1600 });
  await page.locator('[role=row][aria-rowindex="2"]').first().waitFor();
  for (const name of ['Type', 'Connection']) {
    const box = await page.getByRole('columnheader', { name, exact: true }).boundingBox();
    expect(box?.width, name).toBeGreaterThan(180);
  }
});
