// @module-tag slow
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserOfFile, type OpenOptions } from './dashboard-browser.ts';

const browser = browserOfFile();

/** A page whose browser refuses every copy, as it does for a page that is not in front. */
async function open(path: string, options?: OpenOptions): Promise<Page> {
  const { page } = await browser.open(path, options);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('Not in front.', 'NotAllowedError'));
  });
  return page;
}

async function expectRefusal(page: Page, button: Locator): Promise<void> {
  await button.click();
  await page.getByRole('alert').filter({ hasText: 'The browser does not allow this page to copy.' }).waitFor();
  expect(await page.getByText(/^(List |Link )?[Cc]opied$/).count()).toBe(0);
}

describe('a copy that the browser refuses', () => {
  it('is said below the page, where the address of the API is', async () => {
    const page = await open('/app/dev/connections');
    await expectRefusal(page, page.getByRole('button', { name: /^Copy http/ }));
  });

  it('is said where the details of an error are', { tags: ['nightly'] }, async () => {
    const page = await open('/app/dev/connections', {
      prepare: (prepared) =>
        prepared.route('**/api/v1/connections?*', (route) =>
          route.fulfill({ status: 400, json: { error: { code: 'invalid_query', message: 'Not this filter.' } } }),
        ),
    });
    await expectRefusal(page, page.getByRole('button', { name: 'Copy details' }));
  });

  it('is said where the results of many rows are', async () => {
    const page = await open('/app/dev/connections', {
      prepare: (prepared) =>
        prepared.route('**/api/v1/connections/bulk?*', (route) =>
          route.fulfill({ json: { problems: [{ code: 'conflict', message: 'Not now.' }] } }),
        ),
    });
    await page.getByRole('checkbox', { name: /Select Cobalt Cycles/ }).click();
    await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Not now.').waitFor();
    await expectRefusal(page, page.getByRole('button', { name: 'Copy list' }));
  });

  it('is said where a part of a JSON text is copied', { tags: ['nightly'] }, async () => {
    const page = await open('/app/dev/connections/:connection/records/Invoice?record=INV-20418');
    await page.locator('.cm-line').nth(1).click();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await expectRefusal(page, page.getByRole('menuitem', { name: 'JSON Pointer' }));
  });

  it('is said where a webhook is copied as cURL', { tags: ['nightly'] }, async () => {
    const page = await open('/app/dev/webhooks?direction=outgoing');
    await page.getByRole('row').nth(1).click();
    await expectRefusal(page, page.getByRole('button', { name: 'Copy as cURL' }));
  });
});
