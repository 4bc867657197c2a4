// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from '../dashboard/hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await browser.api('POST', '/integrations', { provider: 'practice', unique_key: 'tracker' });
  await browser.api('POST', '/connections', {
    provider_config_key: 'tracker',
    connection_id: 'ada',
    credentials: { type: 'API_KEY', apiKey: 'practice-demo-key' },
  });
});
afterAll(() => browser?.stop());

describe('the documentation in the window', () => {
  it('opens from Help, leads to pages and their parts, and has a Markdown form', async () => {
    const { page, complaints } = await browser.open('/dev');
    await page.getByRole('button', { name: 'Help' }).click();
    await page.getByRole('menuitem', { name: 'Documentation' }).click();
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Errors/ })
      .last()
      .click();
    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();

    await page.goto(`${browser.hub.url}/docs/errors#not_found`);
    await page.waitForURL('**/app/docs/errors#not_found');
    const heading = page.getByRole('heading', { name: /^not_found/ });
    await waitFor(() => heading.evaluate((one) => Math.abs(one.getBoundingClientRect().top - 130) < 200), {
      what: 'the anchor in view',
    });
    expect(await page.getByRole('link', { name: 'Markdown' }).getAttribute('href')).toBe('/docs/errors.md');
    expect(complaints).toEqual([]);
  });

  it('shows the address and the ids of the reader, and the key when it is asked for', async () => {
    const { page } = await browser.open('/docs/first-ten-minutes');
    const key = page.getByRole('region', { name: 'Terminal code' }).first();
    await expect.poll(() => key.textContent()).toContain(`HOMEPORT=${browser.hub.url}`);
    expect(await key.textContent()).toContain('HOMEPORT_SECRET_KEY=••••••••\n');

    await page.getByRole('button', { name: 'Show the key' }).first().click();

    await expect.poll(() => key.textContent()).toContain(`HOMEPORT_SECRET_KEY=${browser.hub.secretKey}`);
    await expect.poll(() => page.getByText('Connection-Id: ada').count()).toBeGreaterThan(0);
    expect(await (await fetch(`${browser.hub.url}/docs/first-ten-minutes.md`)).text()).toContain(
      'paste-the-secret-key-here',
    );
  });

  it('sends a request to the hub and shows the answer', async () => {
    const { page, complaints } = await browser.open('/docs/api-connections');
    const block = page.getByRole('figure').filter({ hasText: 'GET /connections?limit=10' });

    await block.getByRole('button', { name: 'Run' }).click();

    await block.getByText('Status 200').waitFor();
    const body = await block.getByRole('region', { name: 'Body of the answer' }).textContent();
    expect(JSON.parse(body ?? '')).toMatchObject({ connections: [{ connection_id: 'ada' }] });
    expect(complaints).toEqual([]);
  });

  it('asks before a request that deletes something', async () => {
    const { page } = await browser.open('/docs/api-connections');
    const block = page.getByRole('figure').filter({ hasText: /^HTTPRun\s*DELETE \/connections\// });

    await block.getByRole('button', { name: 'Run' }).click();
    const dialog = page.getByRole('dialog');

    await dialog.getByText(/^Send DELETE \/connections\//).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await block.getByText(/^Status/).count()).toBe(0);
  });

  it('is found in the palette, and opened from the keys of a screen', async () => {
    const { page } = await browser.open('/dev/agents');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('?lost keychain');
    await page.getByRole('option', { name: /^I lost the keychain/ }).click();
    await page.waitForURL('**/app/docs/backups-and-keys#i-lost-the-keychain');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByRole('link', { name: 'About this screen' }).click();

    await page.waitForURL('**/app/docs/agents');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('is read without a session too', async () => {
    const { page: signedIn } = await browser.open('/docs');
    const context = await signedIn.context().browser()?.newContext();
    const page = (await context?.newPage()) as Page;

    await page.goto(`${browser.hub.url}/docs/errors`);

    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
    await page.getByRole('link', { name: 'Limits' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Screens' }).count()).toBe(0);
    await context?.close();
  });

  it('finds pages without a network, by keyboard', async () => {
    const { page } = await browser.open('/docs');
    await page.getByRole('textbox', { name: 'Search pages' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('lost master key');
    const first = page.getByRole('list', { name: 'Results' }).getByRole('link').first();
    await first.waitFor();

    await first.click();

    await page.waitForURL('**/app/docs/backups-and-keys**');
  });
});
