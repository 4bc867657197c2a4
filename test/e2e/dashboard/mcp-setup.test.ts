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
});
