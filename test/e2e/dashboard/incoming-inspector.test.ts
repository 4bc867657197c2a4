// @module-tag slow
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';
import { goByKeys } from './screen-keys.ts';

const SOURCE = `import { createSync } from 'homeport';
import * as z from 'zod';

export default createSync({
  description: 'Written by a test',
  version: '1.0.0',
  frequency: 'every day',
  autoStart: false,
  webhookSubscriptions: ['*'],
  models: { Item: z.object({ id: z.string() }) },
  exec: async () => {},
  onWebhook: async (nango, payload) => {
    await nango.log('changed ' + payload.id);
  },
});
`;

let browser: HubBrowser;
let receiver: FakeProvider;
let path: string;
beforeAll(async () => {
  [browser, receiver] = await Promise.all([HubBrowser.start(), FakeProvider.start()]);
  receiver.on('POST /hook', { status: 200 });
  await browser.api('POST', '/integrations', { provider: 'unauthenticated', unique_key: 'hooked' });
  await browser.api('POST', '/connections', {
    provider_config_key: 'hooked',
    connection_id: 'watcher',
    credentials: { type: 'NONE' },
  });
  await browser.api('PATCH', '/environment/settings', { webhook: { primary_url: `${receiver.address}/hook` } });
  const { data } = await browser.api<{ data: { webhook_url: string } }>('GET', '/integrations/hooked?include=webhook');
  path = new URL(data.webhook_url).pathname;
  await saveFunction(browser.hub.workspace, 'hooked/syncs/on-change.ts', SOURCE);
  await waitFor(
    async () =>
      (await browser.api<Array<{ syncs: unknown[] }>>('GET', '/scripts/config')).some((one) => one.syncs.length > 0),
    { what: 'the function' },
  );
});
afterAll(async () => {
  await browser?.stop();
  await receiver?.stop();
});

const send = (body: unknown): Promise<Response> =>
  fetch(`${browser.hub.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-of-provider': 'yes' },
    body: JSON.stringify(body),
  });

describe('the incoming webhooks', () => {
  it('appear as they come, with the run they caused and a way to its log', async () => {
    const { page, complaints } = await browser.open('/dev/connections');
    await page.getByRole('heading', { name: 'Connections', level: 1 }).waitFor();
    await goByKeys(page, 'w');
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('link', { name: 'Set a public URL' }).waitFor();

    await send({ id: 'first', type: 'item.changed', connectionId: 'watcher' });
    const row = page.getByRole('row').filter({ hasText: 'item.changed' });
    await row.getByText('watcher').waitFor();
    await row.getByText('Success').waitFor();
    await row.click();

    const panel = page.getByRole('complementary', { name: /^Webhook/ });
    await panel.getByText('1 connection, 1 handler run, 1 webhook sent to your app.').waitFor();
    await panel.getByText('x-of-provider').waitFor();
    await panel.getByText('Raw', { exact: true }).click();
    await panel.getByText('{"id":"first","type":"item.changed","connectionId":"watcher"}').waitFor();
    await panel.getByRole('link', { name: 'Log' }).click();
    await page
      .getByRole('complementary', { name: /^Operation/ })
      .getByText('on-change')
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it('are taken once more as they came', async () => {
    await send({ id: 'again', type: 'item.again', connectionId: 'watcher' });
    const { page } = await browser.open('/dev/webhooks?search=item.again');
    await page.getByRole('row').filter({ hasText: 'item.again' }).click();
    const panel = page.getByRole('complementary', { name: /^Webhook/ });
    await panel.getByRole('button', { name: 'Replay', exact: true }).click();

    await panel.getByText('Replay of').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Replay');
    await waitFor(async () => (await page.getByRole('row').filter({ hasText: 'item.again' }).count()) === 2);
  });

  it('are taken once more together, with a result for each that is not', async () => {
    await send({ id: 'one', type: 'item.bulk', connectionId: 'watcher' });
    await send({ id: 'two', type: 'item.bulk', connectionId: 'watcher' });
    const { page, complaints } = await browser.open('/dev/webhooks?search=item.bulk');
    const rows = page.getByRole('row').filter({ hasText: 'item.bulk' });
    await waitFor(async () => (await rows.count()) === 2);
    let refusals = 1;
    await page.route('**/api/v1/webhooks/incoming/*/replay*', (route) => {
      refusals -= 1;
      if (refusals < 0) return route.fallback();
      return route.fulfill({
        status: 409,
        json: { error: { code: 'conflict', message: 'The body of this webhook is not stored.' } },
      });
    });
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();
    await page.getByText('2 selected').waitFor();
    const bar = page.getByRole('toolbar', { name: 'Selected rows' });
    await bar.getByRole('button', { name: 'Replay' }).press('Enter');

    const dialog = page.getByRole('dialog', { name: '1 of 2 webhooks replayed' });
    await dialog.getByText('The body of this webhook is not stored.').waitFor();
    await page.getByText('1 selected').waitFor();
    await dialog.getByRole('button', { name: 'Try 1 again' }).click();
    await page.getByText('1 webhook replayed').waitFor();
    await page.getByText(/selected/).waitFor({ state: 'detached' });
    await waitFor(async () => (await rows.count()) === 4);
    expect(complaints).toEqual([]);
  });

  it('are edited and taken once more', { tags: ['nightly'] }, async () => {
    await send({ id: 'edit me', type: 'item.edited', connectionId: 'nobody' });
    const { page, complaints } = await browser.open('/dev/webhooks?search=item.edited');
    const row = page.getByRole('row').filter({ hasText: 'item.edited' });
    await row.getByText('No match').waitFor();
    await row.click();
    await page.getByRole('button', { name: 'Edit and replay' }).click();

    const dialog = page.getByRole('dialog', { name: 'Edit and replay' });
    const editor = dialog.getByRole('textbox', { name: 'Body' });
    expect(await editor.textContent()).toContain('edit me');
    await dialog.getByText('Headers', { exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Headers as JSON' }).fill('{ no JSON');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await dialog.getByText('Headers must be a JSON object of texts.').waitFor();
    await dialog.getByRole('textbox', { name: 'Headers as JSON' }).fill('{"x-edited":"1"}');
    await dialog.getByText('Body', { exact: true }).click();
    await editor.fill('{"id":"edited","type":"item.edited","connectionId":"watcher"}');
    await dialog.getByRole('button', { name: 'Replay' }).click();

    const panel = page.getByRole('complementary', { name: /^Webhook/ });
    await panel.getByText(/^1 connection,/).waitFor();
    await panel.getByText('x-edited').waitFor();
    await panel.getByText('"edited"').waitFor();
    expect(complaints).toEqual([]);
  });

  it('say whether they are signed and how passing them on went, and run their handler in the playground', async () => {
    await send({ id: 'looked', type: 'item.looked', connectionId: 'watcher' });
    const { page, complaints } = await browser.open('/dev/webhooks?search=item.looked');
    const row = page.getByRole('row').filter({ hasText: 'item.looked' });
    await row.getByText('Not supported').waitFor();
    await row.getByText('Delivered').waitFor();
    await row.click();
    const panel = page.getByRole('complementary', { name: /^Webhook/ });
    await panel.getByText(/^Not supported: webhooks of this provider/).waitFor();
    const download = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'Save as file' }).click();
    const saved = JSON.parse(await readFile(await (await download).path(), 'utf8'));
    expect(JSON.parse(saved.body.text)).toMatchObject({ id: 'looked' });

    await panel.getByRole('button', { name: 'Run handler' }).click();

    const playground = page.getByRole('complementary', { name: 'Playground' });
    await expect
      .poll(() => playground.getByRole('combobox', { name: 'Webhook' }).inputValue())
      .toContain('item.looked');
    await playground.getByRole('button', { name: 'Run', exact: true }).click();
    await playground.getByRole('region', { name: 'Result' }).getByText('"on-change"').waitFor();
    expect(complaints).toEqual([]);
  });

  it('are taken once more in the playground, for one connection', { tags: ['nightly'] }, async () => {
    await send({ id: 'tried', type: 'item.tried', connectionId: 'watcher' });
    const { page, complaints } = await browser.open(
      '/dev/playground?integration=hooked&connection=watcher&type=webhook',
    );
    await page.getByRole('combobox', { name: 'Webhook' }).press('Enter');
    await page.getByRole('option', { name: /item\.tried/ }).click();
    await page.keyboard.press('Control+Enter');
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('"on-change"').waitFor();
    await result.getByText('Success', { exact: true }).waitFor();
    await page.goto(`${browser.hub.url}/app/dev/webhooks?search=item.tried`);
    await waitFor(async () => (await page.getByRole('row').filter({ hasText: 'item.tried' }).count()) === 2);
    expect(complaints).toEqual([]);
  });

  it('fit a narrow window, and leave their filters behind when the direction changes', async () => {
    const { page } = await browser.open('/dev/webhooks?search=item', { width: 400 });
    await page.getByRole('grid', { name: 'Incoming webhooks' }).waitFor();
    await expectToFitWindow(page);

    await page.getByRole('tab', { name: 'Outgoing' }).click();
    await page.getByRole('grid', { name: 'Outgoing webhooks' }).waitFor();
    expect(new URL(page.url()).search).toBe('?direction=outgoing');
  });
});
