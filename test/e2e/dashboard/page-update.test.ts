// @module-tag slow
import { describe, expect, it } from 'vitest';
import { browserOfFile } from './dashboard-browser.ts';
import { goByKeys } from './screen-keys.ts';

const browser = browserOfFile();

describe('a page that stays open while the hub is updated', () => {
  it('asks for a reload once another version answers, and not before', async () => {
    const { page, fixture, complaints } = await browser.open('/app/dev/connections');
    await page.getByRole('row').nth(1).waitFor();
    await expect.poll(() => fixture.streamCount()).toBe(1);
    const prompt = page.getByText(/^Homeport was updated/);
    fixture.dropStreams();
    await page.keyboard.press('/');
    const search = page.locator('main input:focus');
    await search.waitFor();
    await page.keyboard.type('un');
    const typed = () => page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.value);
    expect(await prompt.count()).toBe(0);

    await page.route('**/api/v1/meta', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response: response, json: { ...(await response.json()), version: '99.0.0' } });
    });
    // Dropped before it is open again, it would not be dropped.
    await expect.poll(() => fixture.streamCount()).toBe(1);
    fixture.dropStreams();
    await page.getByText('Homeport was updated to 99.0.0.').waitFor();
    // No typed text is lost before the person agrees.
    expect(await typed()).toBe('un');
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reload' }).press('Enter')]);
    await page.getByRole('row').nth(1).waitFor();
    expect(await prompt.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('says so for a screen that the server no longer has, and keeps the others', async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByRole('row').nth(1).waitFor();
    await page.route(/assets\/(?:PlaygroundPage|playground)/i, (route) => route.fulfill({ status: 404, body: '' }));
    await goByKeys(page, 'p');
    await page.getByRole('alert').getByText('this part of the page is no longer there').waitFor();
    await page.getByRole('button', { name: 'Reload' }).first().waitFor();
    await goByKeys(page, 'c');
    await page.getByRole('row').nth(1).waitFor();
  });
});
