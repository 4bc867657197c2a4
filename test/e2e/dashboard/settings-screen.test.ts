// @module-tag slow
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePairs } from '../../../renderer/lib/key-values.ts';
import { DashboardClient } from '../../contract/dashboard/dashboard-client.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { HubBrowser } from './hub-browser.ts';

interface Settings {
  log_level: string | null;
  public_url: string | null;
  webhook: Record<string, unknown>;
  variables: Array<{ name: string; value: string }>;
  retention: Record<string, number | null>;
}

let browser: HubBrowser;
let receiver: FakeProvider;
beforeAll(async () => {
  [browser, receiver] = await Promise.all([HubBrowser.start(), FakeProvider.start()]);
});
afterAll(async () => {
  await browser?.stop();
  await receiver?.stop();
});

const stored = async (): Promise<Settings> =>
  (await browser.api<{ data: Settings }>('GET', '/environment/settings')).data;
const PATH = '/dev/environment-settings';
const SESSIONS = '/settings/general';
const section = (page: Page, name: string) => page.getByRole('form', { name });

describe('the settings of an environment', () => {
  it('send webhooks where they say, show what is wrong beside the field, and replace the signing key', async () => {
    receiver.on('POST /hook', { status: 202 });
    const { page, complaints } = await browser.open(PATH);
    const form = section(page, 'Webhooks');
    await form.getByText('Set an address first.').waitFor();

    await form.getByLabel('Secondary URL').fill(`${browser.hub.url}/hook`);
    await page.keyboard.press('Enter');
    await form.getByText('This is the address of Homeport itself.').waitFor();
    await form.getByLabel('Secondary URL').fill('localhost:4000');
    await page.keyboard.press('Enter');
    await form.getByText('Must be an http or https address.').waitFor();
    await form.getByRole('button', { name: 'Discard' }).click();
    expect(await form.getByLabel('Secondary URL').inputValue()).toBe('');

    await form.getByLabel('Primary URL').fill(`${receiver.address}/hook`);
    await form.getByLabel('A sync fails').click();
    await form.getByText('Not saved yet').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Webhooks saved').waitFor();
    expect((await stored()).webhook).toMatchObject({
      primary_url: `${receiver.address}/hook`,
      on_sync_error: false,
      on_auth_creation: true,
    });

    await form.getByRole('button', { name: 'Show signing key' }).click();
    await form.getByText(browser.hub.secretKey).waitFor();
    await form.getByRole('button', { name: 'Replace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace signing key' }).click();
    await page.getByText('Signing key replaced').waitFor();
    await form.getByRole('button', { name: 'Show signing key' }).click();
    await form.getByText(/^[0-9a-f]{8}-[0-9a-f-]{27}$/).waitFor();
    expect(await form.getByText(browser.hub.secretKey).count()).toBe(0);

    await form.getByRole('button', { name: 'Send a test event' }).click();
    await form.getByText('Delivered').waitFor();
    await form.getByText(/^202, /).waitFor();
    await form.getByRole('link', { name: 'Details' }).click();
    await page.getByText('accepted it with 202').waitFor();
    await page.goBack();

    await form.getByLabel('Primary URL').fill('');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.getByText('Set an address first.').waitFor();
    expect((await stored()).webhook['primary_url']).toBeNull();
    expect(complaints).toEqual([]);
  });

  it('take variables by keyboard, paste and file, and give them back as a file', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await browser.open(PATH);
    const form = section(page, 'Function environment variables');
    const saved = () => form.getByText('Not saved yet').waitFor({ state: 'detached' });
    const add = () => form.getByRole('button', { name: 'Add variable' });
    // A busy machine paints late; text that is typed meanwhile must not be lost.
    await page.evaluate(() => {
      const soon = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (callback) => window.setTimeout(() => soon(callback), 500);
    });
    await add().focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('FIRST');
    await page.keyboard.press('Tab');
    await page.keyboard.type('one');
    await page.keyboard.press('Enter');
    await page.getByText('Variables saved').waitFor();
    expect((await stored()).variables).toEqual([{ name: 'FIRST', value: 'one' }]);

    await form.getByRole('button', { name: 'Show FIRST' }).click();
    await form.getByText('one', { exact: true }).waitFor();
    await form.getByRole('button', { name: 'Replace value of FIRST' }).click();
    await page.keyboard.type('two');
    await add().click();
    await page.keyboard.type('SECOND');
    await page.keyboard.press('Control+s');
    await form.getByRole('button', { name: 'Show SECOND' }).waitFor();
    expect((await stored()).variables).toEqual([
      { name: 'FIRST', value: 'two' },
      { name: 'SECOND', value: '' },
    ]);

    for (const name of ['FIRST', '']) {
      await add().click();
      await page.keyboard.type(name);
    }
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.getByText('Two variables have this name.').waitFor();
    await form.getByText('Enter a name.').waitFor();
    await form.getByRole('button', { name: 'Discard' }).click();

    await page.evaluate(() => navigator.clipboard.writeText('A_KEY=1\n# no\nexport B_KEY="2 3"'));
    await add().click();
    await page.keyboard.press('Control+v');
    await form.getByRole('button', { name: 'B_KEY is plain' }).waitFor();
    await page.locator('input[type=file]').setInputFiles({
      name: 'more.env',
      mimeType: 'text/plain',
      buffer: Buffer.from('SECOND=from a file\nPEM="-----BEGIN\\nline\n-----END"\n'),
    });
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await saved();
    const variables = [
      { name: 'FIRST', value: 'two' },
      { name: 'SECOND', value: 'from a file' },
      { name: 'A_KEY', value: '1' },
      { name: 'B_KEY', value: '2 3' },
      { name: 'PEM', value: '-----BEGIN\nline\n-----END' },
    ];
    expect((await stored()).variables).toEqual(variables);

    await form.getByRole('button', { name: 'A_KEY is plain' }).click();
    await form.getByRole('button', { name: 'Remove variable FIRST' }).click();
    await page.keyboard.press('Control+s');
    await saved();
    expect(await form.getByLabel('New value of A_KEY').inputValue()).toBe('1');
    expect(await form.getByRole('button', { name: 'Show PEM' }).count()).toBe(1);

    await page.getByRole('button', { name: 'Export .env' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export .env' }).click(),
    ]);
    const file = await readFile(await download.path(), 'utf8');
    expect(parsePairs(file)).toEqual(variables.slice(1).map(({ name, value }) => ({ key: name, value })));
    expect(complaints).toEqual([]);
  });

  it('keep variables that came meanwhile, and their newer values', { tags: ['nightly'] }, async () => {
    await browser.api('PATCH', '/environment/settings', { variables: [{ name: 'OLD', value: '1' }] });
    const { page, complaints } = await browser.open(PATH);
    const form = section(page, 'Function environment variables');
    await form.getByRole('button', { name: 'Add variable' }).click();
    await page.keyboard.type('MINE');
    await browser.api('PATCH', '/environment/settings', {
      variables: [
        { name: 'OLD', value: '2' },
        { name: 'MEANWHILE', value: 'x' },
      ],
    });

    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.getByRole('button', { name: 'Show MEANWHILE' }).waitFor();

    const { variables } = await stored();
    expect(Object.fromEntries(variables.map(({ name, value }) => [name, value]))).toEqual({
      OLD: '2',
      MINE: '',
      MEANWHILE: 'x',
    });
    expect(complaints).toEqual([]);
  });

  it('keep log level, retention and the public address, and ask before changes are left behind', async () => {
    const { page, complaints } = await browser.open(PATH);
    await section(page, 'Log level').getByRole('combobox', { name: 'Log level of functions' }).click();
    await page.getByRole('option', { name: 'error only' }).click();
    await section(page, 'Log level').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Log level saved').waitFor();

    const retention = section(page, 'Retention');
    await retention.getByText(/^Logs take .*, webhooks .*, records /).waitFor();
    await retention.getByLabel('Delete logs after days').fill('0');
    await page.keyboard.press('Enter');
    await retention.getByText(/whole number of days from 1 to 3650/).waitFor();
    await retention.getByLabel('Delete logs after days').fill('30');
    await retention.getByRole('switch', { name: 'Delete webhooks' }).click();
    await page.keyboard.press('Control+s');
    await page.getByText('Retention saved').waitFor();
    expect(await stored()).toMatchObject({ log_level: 'error', retention: { logs_days: 30, webhooks_days: null } });

    const form = section(page, 'Public URL');
    await form.getByText('No tunnel').waitFor();
    await form.getByLabel('Address of the tunnel').fill('https://hub.example.com/path');
    await page.keyboard.press('Enter');
    await form.getByText('Must be an address without a path').waitFor();
    await form.getByLabel('Address of the tunnel').fill('https://hub.example.com/');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Copy public address' }).waitFor();
    await form.getByText('https://hub.example.com', { exact: true }).waitFor();
    await form.getByLabel('Address of the tunnel').fill('');
    await page.keyboard.press('Enter');
    await form.getByText('No tunnel').waitFor();

    await page.setViewportSize({ width: 400, height: 800 });
    await expectToFitWindow(page);
    await page.setViewportSize({ width: 1280, height: 800 });

    await section(page, 'Webhooks').getByLabel('Primary URL').fill('http://localhost:1/');
    await page.getByRole('link', { name: 'Logs', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByText('Changes to Webhooks are not saved.').waitFor();
    await dialog.getByRole('button', { name: 'Stay' }).click();
    expect(await section(page, 'Webhooks').getByLabel('Primary URL').inputValue()).toBe('http://localhost:1/');
    await page.getByRole('link', { name: 'Logs', exact: true }).click();
    await dialog.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the signed-in browsers', () => {
  it('are listed and signed out: the others, then this one', async () => {
    const { page, complaints } = await browser.open(SESSIONS);
    const other = await DashboardClient.signIn({
      url: browser.hub.url,
      signIn: { issueLinkCode: () => browser.hub.issueLinkCode() },
    });
    await page.reload();
    const table = page.getByRole('table', { name: 'Signed-in browsers' });
    await table.getByText('this browser').waitFor();
    await table.getByText('A browser', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Sign out others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out others' }).click();
    await table.getByText('A browser', { exact: true }).waitFor({ state: 'detached' });

    expect((await other.refusal('GET /api/v1/meta')).status).toBe(401);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText('This browser is not signed in').waitFor();
    expect(complaints).toEqual([]);
  });

  it('keep their session from other ports of this computer, where the cookie arrives', async () => {
    const { page } = await browser.open(SESSIONS);
    const elsewhere = await FakeProvider.start();
    try {
      elsewhere.on('GET /', { headers: { 'content-type': 'text/html' }, body: 'another program' });
      await page.goto(elsewhere.address);
      const { cookie } = elsewhere.requestsTo('/')[0]?.headers ?? {};
      const stolen = await fetch(`${browser.hub.url}/api/v1/reveal?env=dev`, {
        method: 'POST',
        headers: {
          cookie: String(cookie),
          origin: browser.hub.url,
          'x-homeport-csrf': '1',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ kind: 'secret_key' }),
      });

      expect(cookie).toContain(`homeport_session_${new URL(browser.hub.url).port}=`);
      expect(await page.evaluate(() => localStorage.length)).toBe(0);
      expect(stolen.status).toBe(401);
    } finally {
      await elsewhere.stop();
    }
  });

  it('stay signed in to two hubs of one computer', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(SESSIONS);
    const second = await startInProcess({ hasExamples: true });
    try {
      await page.goto(second.loginUrl());
      await page.getByRole('heading', { level: 1, name: 'Welcome to Homeport' }).waitFor();

      await page.goto(`${browser.hub.url}/app${SESSIONS}`);
      await page.getByRole('table', { name: 'Signed-in browsers' }).getByText('this browser').waitFor();
      await page.goto(`${second.url}/app${SESSIONS}`);
      await page.getByRole('table', { name: 'Signed-in browsers' }).getByText('this browser').waitFor();

      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByText('This browser is not signed in').waitFor();
      await page.goto(`${browser.hub.url}/app${SESSIONS}`);
      await page.getByRole('table', { name: 'Signed-in browsers' }).getByText('this browser').waitFor();
    } finally {
      await second.stop();
    }
  });
});
