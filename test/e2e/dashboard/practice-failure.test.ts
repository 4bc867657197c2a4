// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await browser.api('POST', '/integrations', { provider: 'practice', unique_key: 'practice' });
  await browser.api('POST', '/integrations', {
    provider: 'hubspot',
    unique_key: 'crm',
    credentials: { type: 'OAUTH2', client_id: 'id', client_secret: 'secret' },
  });
});
afterAll(() => browser?.stop());

describe('the page of the practice provider', () => {
  it('simulates a failure, says so, and ends it', async () => {
    const { page, complaints } = await browser.open('/dev/integrations/practice');
    await page.getByRole('button', { name: 'Simulate a failure' }).click();
    const dialog = page.getByRole('dialog', { name: 'Simulate a failure' });
    await dialog.getByRole('radio', { name: 'The provider fails (500)' }).click();
    await dialog.getByText('1 minute', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Start' }).click();

    await page.getByText('A failure is simulated.').waitFor();
    await page.getByText('answers 500').waitFor();
    await page.getByRole('button', { name: 'End now' }).click();
    await page.getByText('A failure is simulated.').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('has no such button for another provider, and fits a narrow window with its buttons in one line', {
    tags: ['nightly'],
  }, async () => {
    const other = (await browser.open('/dev/integrations/crm')).page;
    await other.getByRole('link', { name: 'New connection' }).waitFor();
    expect(await other.getByRole('button', { name: 'Simulate a failure' }).count()).toBe(0);

    const { page } = await browser.open('/dev/integrations/practice', { width: 420 });
    const tops = ['Simulate a failure', 'More'].map(async (name) => {
      return (await page.getByRole('button', { name, exact: true }).boundingBox())?.y;
    });
    expect(new Set(await Promise.all(tops)).size).toBe(1);
    await page.getByRole('button', { name: 'Simulate a failure' }).click();
    await page.getByRole('dialog', { name: 'Simulate a failure' }).waitFor();
    await expectToFitWindow(page);
  });
});
