// @module-tag slow
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { waitFor } from '../../support/wait-for.ts';
import { holdTimers } from './hold-timers.ts';
import { HubBrowser } from './hub-browser.ts';
import { goByKeys } from './screen-keys.ts';

let browser: HubBrowser;
let receiver: FakeProvider;
beforeAll(async () => {
  [browser, receiver] = await Promise.all([HubBrowser.start(), FakeProvider.start()]);
});
beforeEach(() => setUrl(`${receiver.address}/hook`));
afterEach(() => {
  receiver.requests.length = 0;
});
afterAll(async () => {
  await browser?.stop();
  await receiver?.stop();
});

const setUrl = (primary_url: string): Promise<unknown> =>
  browser.api('PATCH', '/environment/settings', { webhook: { primary_url } });

/** A webhook of type `auth` for a connection with this name. */
async function connect(name: string): Promise<void> {
  await browser.api('POST', '/integrations', { provider: 'practice', unique_key: name });
  await browser.api('POST', '/connections', {
    provider_config_key: name,
    connection_id: name,
    credentials: { type: 'API_KEY', apiKey: 'practice-demo-key' },
  });
}

describe('the outgoing webhooks', () => {
  it('say what they are for and where to set an address, before there is one', { tags: ['nightly'] }, async () => {
    await setUrl('');
    const { page, complaints } = await browser.open('/dev/connections');
    await page.getByRole('heading', { name: 'Connections', level: 1 }).waitFor();
    await goByKeys(page, 'w');
    await page.getByRole('tab', { name: 'Outgoing' }).click();

    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('link', { name: 'Set a webhook URL' }).click();
    await page.getByRole('textbox', { name: 'Primary URL' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('are sent again together when they are selected', async () => {
    receiver.on('POST /hook', { status: 200 });
    await connect('bulk-one');
    await connect('bulk-two');
    await waitFor(() => receiver.requests.length === 2);
    const { page, complaints } = await browser.open('/dev/webhooks?direction=outgoing&search=bulk-');
    const rows = page.getByRole('row').filter({ hasText: 'bulk-' });
    await waitFor(async () => (await rows.count()) === 2);
    await page.getByRole('checkbox', { name: 'Select all rows' }).click();

    await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Replay' }).click();

    await page.getByText('2 webhooks replayed').waitFor();
    await waitFor(() => receiver.requests.length === 4);
    await waitFor(async () => (await rows.count()) === 4);
    expect(complaints).toEqual([]);
  });

  it('appear as they go out, with what was answered', async () => {
    receiver.on('POST /hook', { status: 201, body: { taken: 'by the app' } });
    const { page, complaints } = await browser.open('/dev/webhooks?direction=outgoing');
    await page.getByRole('tab', { name: 'Outgoing' }).waitFor();
    await connect('seen-live');

    const row = page.getByRole('row').filter({ hasText: 'seen-live' });
    await row.getByText('Delivered').waitFor();
    expect(await row.textContent()).toContain('1 of 3');
    await row.click();

    const panel = page.getByRole('complementary', { name: /^Webhook/ });
    await panel.getByText(`${new URL(receiver.address).host} accepted it with 201.`).waitFor();
    await panel.getByText('"by the app"').waitFor();
    await panel.getByText('"seen-live"').first().waitFor();
    expect(page.url()).toContain('webhook=');
    expect(complaints).toEqual([]);
  });

  it('are copied as a command that carries the signature of the body', async () => {
    receiver.on('POST /hook', { status: 200 });
    await connect('copied');
    const { page } = await browser.open('/dev/webhooks?direction=outgoing&search=copied');
    await page.getByRole('row').filter({ hasText: 'copied' }).click();
    await holdTimers(page, 1500);
    await page.getByRole('button', { name: 'Copy as cURL' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();

    const command = await browser.copied(page, /^curl/);
    const sent = await waitFor(() => receiver.requests[0], { what: 'the webhook' });
    expect(command).toContain(`curl -X POST '${receiver.address}/hook'`);
    expect(command).toContain(`-H 'x-nango-hmac-sha256: ${sent.headers['x-nango-hmac-sha256']}'`);
    expect(command).toContain(`--data-raw '${sent.body}'`);
  });

  it('that failed are sent again together, and the rows follow', { tags: ['nightly'] }, async () => {
    receiver.on('POST /hook', { status: 410 });
    await connect('failed-one');
    const { page, complaints } = await browser.open('/dev/webhooks?direction=outgoing&search=failed-one');
    await page.getByRole('row').filter({ hasText: 'Failed' }).waitFor();
    receiver.on('POST /hook', { status: 200 });

    await page.getByRole('button', { name: 'Replay failed' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay failed' }).click();

    await page.getByText('1 webhook on the way').waitFor();
    await page.getByRole('row').filter({ hasText: 'Delivered' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('offer to be sent again together once one failed', { tags: ['nightly'] }, async () => {
    receiver.on('POST /hook', { status: 200 });
    await connect('all-well');
    const { page } = await browser.open('/dev/webhooks?direction=outgoing&search=all-well');
    await page.getByRole('row').filter({ hasText: 'Delivered' }).waitFor();
    expect(await page.getByRole('button', { name: 'Replay failed' }).count()).toBe(0);

    receiver.on('POST /hook', { status: 410 });
    await connect('all-well-no-more');
    await page.getByRole('button', { name: 'Replay failed' }).waitFor();
  });

  it('go to another URL, which is checked beside its field', async () => {
    receiver.on('POST /hook', { status: 410 }).on('POST /mine', { status: 204 });
    await connect('elsewhere');
    const { page } = await browser.open('/dev/webhooks?direction=outgoing&search=elsewhere');
    await page.getByRole('row').filter({ hasText: 'Failed' }).click();
    const panel = page.getByRole('complementary', { name: /^Webhook/ });
    await panel.getByText(/answered 410, which is not retried/).waitFor();

    await panel.getByRole('button', { name: 'Replay to another URL' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay to another URL' });
    await dialog.getByLabel('URL').fill(`${browser.hub.url}/hook`);
    await page.keyboard.press('Enter');
    await dialog.getByText('This is the address of Homeport itself.').waitFor();
    await dialog.getByLabel('URL').fill(`${receiver.address}/mine`);
    await page.keyboard.press('Enter');

    await panel.getByText('accepted it with 204').waitFor();
    await panel.getByText('Replay', { exact: true }).first().waitFor();
    await panel.getByRole('link', { name: /^[0-9a-f-]{36}$/ }).click();
    await panel.getByText(/answered 410/).waitFor();
  });

  it('fit a narrow window', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/webhooks?direction=outgoing', { width: 400 });
    await page.getByRole('tab', { name: 'Outgoing' }).waitFor();

    await expectToFitWindow(page);
  });
});

describe('a sample event', () => {
  it('is sent from the list and opens', async () => {
    receiver.on('POST /hook', { status: 200 });
    const { page } = await browser.open('/dev/webhooks?direction=outgoing');
    await page.getByRole('button', { name: 'Send a sample event' }).click();
    await page.getByRole('menuitem', { name: /Background actions/ }).click();

    const panel = page.getByRole('complementary', { name: /^Webhook/ });
    await panel.getByText('Sample').first().waitFor();
    await panel.getByText('accepted it with 200').waitFor();
    expect(JSON.parse(String(receiver.requests[0]?.body))).toMatchObject({ type: 'async_action' });
  });
});
