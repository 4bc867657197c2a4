// @module-tag slow
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;

beforeAll(async () => {
  browser = await HubBrowser.start();
});
afterAll(() => browser?.stop());

const PHONE = { width: 390, height: 844 };
const heightOf = async (part: Locator): Promise<number> => (await part.boundingBox())?.height ?? 0;

describe('in a window 390 wide', () => {
  it('the status bar takes one line while everything is as it should be', async () => {
    const { page } = await browser.open('/dev/connections', PHONE);
    const bar = page.locator('footer').filter({ has: page.getByRole('button', { name: /^Copy http/ }) });
    await bar.waitFor();
    expect(await heightOf(bar)).toBeLessThan(30);
  });

  it('the checklist of the overview says its progress in one line', async () => {
    const { page } = await browser.open('/dev', PHONE);
    const count = page.getByText(/^\d of \d done$/);
    await count.waitFor();
    expect(await heightOf(count)).toBeLessThan(24);
  });

  it('packages are listed under their whole names', async () => {
    const { page } = await browser.open('/settings/about', PHONE);
    const names = page.getByRole('list', { name: 'Packages' }).locator('code');
    await names.first().waitFor();
    const cut = await names.evaluateAll((all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
    );
    expect(cut).toEqual([]);
  });
});
