// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardBrowser, startDashboardBrowser } from './dashboard-browser.ts';

let browser: DashboardBrowser;
beforeAll(async () => {
  browser = await startDashboardBrowser();
});
afterAll(() => browser.stop());

describe('the set-up of an MCP client', () => {
  it('asks for the connection where there are several, and writes the chosen one into the snippet', async () => {
    const { page, fixture } = await browser.open('/app/dev/mcp#setup');
    const picker = page.getByRole('combobox', { name: 'Connection' });
    await page.getByText('Choose the connection whose actions').waitFor();
    expect(await picker.inputValue()).toBe('');
    expect(await page.locator('pre').count()).toBe(0);

    await picker.click();
    await page.getByRole('option').nth(1).click();

    const { integrationKey, connectionId } = fixture.state.connections[1]?.detail ?? {};
    await expect.poll(() => page.locator('pre').textContent()).toContain(`"${connectionId}"`);
    expect(await page.locator('pre').textContent()).toContain(`"${integrationKey}"`);
  });

  it('shows every tab whole in a narrow window, also the first one while the last one is open', async () => {
    const { page } = await browser.open('/app/dev/mcp#setup', { width: 390 });
    const tools = page.getByRole('tab', { name: 'Tools' });
    await tools.waitFor();
    const list = await page.getByRole('tablist').boundingBox();

    expect((await tools.boundingBox())?.x).toBeGreaterThanOrEqual(list?.x ?? Number.NaN);
  });

  it('says that there are no clients', async () => {
    const { page } = await browser.open('/app/dev/mcp#tools');

    await page.getByText('No clients yet').waitFor();
  });
});
