// @module-tag slow
import { describe, expect, it } from 'vitest';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

describe('the set-up of an MCP client', () => {
  it('names the connection that was used last in the snippet at once, and says so until one is chosen', async () => {
    const { page, fixture } = await browser.open('/app/dev/agents#setup');
    const picker = page.getByRole('combobox', { name: 'Connection' });
    const named = (at: number) => {
      const { integrationKey = '', connectionId = '' } = fixture.state.connections[at]?.detail ?? {};
      return [`"${connectionId}"`, `"${integrationKey}"`];
    };
    const snippet = page.locator('pre');
    await snippet.waitFor();
    for (const name of named(0)) expect(await snippet.textContent()).toContain(name);
    expect(await picker.inputValue()).not.toBe('');
    await page.getByText('The one that was used last').waitFor();

    await picker.click();
    await page.getByRole('option').nth(1).click();

    for (const name of named(1)) await expect.poll(() => snippet.textContent()).toContain(name);
    await page.getByText('The one that was used last').waitFor({ state: 'detached' });
  });

  it('shows every tab whole in a narrow window, also the first one while the last one is open', async () => {
    const { page } = await browser.open('/app/dev/agents#setup', { width: 390 });
    const tools = page.getByRole('tab', { name: 'Tools' });
    await tools.waitFor();
    const list = await page.getByRole('tablist').boundingBox();

    expect((await tools.boundingBox())?.x).toBeGreaterThanOrEqual(list?.x ?? Number.NaN);
  });

  it('says that there are no clients', async () => {
    const { page } = await browser.open('/app/dev/agents#tools');

    await page.getByText('No clients yet').waitFor();
  });
});
