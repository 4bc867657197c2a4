// @module-tag slow
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';

const CANARY = 'canary-key-41c7';
const PROVIDERS = `shop-api:
  display_name: Shop API
  auth_mode: API_KEY
  proxy: { base_url: https://shop.test, headers: { x-key: "\${apiKey}" } }
  credentials: { apiKey: { type: string, title: Key, description: A key } }
`;
const PASSPHRASE = 'correct horse battery';

let browser: HubBrowser;
/** The source of the import: a hub of its own, as another server with the same API. */
let other: InProcessServer;
beforeAll(async () => {
  [browser, other] = await Promise.all([HubBrowser.start(), startInProcess({ hasExamples: true })]);
  await saveFunction(other.workspace, 'shop/actions/of-file.ts', actionSource('return 1;'));
  await saveFunction(other.workspace, 'providers.yaml', PROVIDERS);
  await waitFor(async () => (await fetchApi(other, 'GET', '/providers/shop-api')).ok, { what: 'its own provider' });
  await call(other, 'POST', '/integrations', { unique_key: 'shop', provider: 'shop-api', display_name: 'Shop' });
  for (const id of ['c1', 'c2'])
    await call(other, 'POST', '/connections', {
      provider_config_key: 'shop',
      connection_id: id,
      credentials: { type: 'API_KEY', apiKey: `${CANARY}-${id}` },
      metadata: { plan: id },
    });
  await waitFor(async () => JSON.stringify(await call(other, 'GET', '/scripts/config')).includes('of-file'), {
    what: 'the function of the other hub',
  });
});
afterAll(async () => {
  await other?.stop();
  await browser?.stop();
});

type Hub = Pick<InProcessServer, 'url' | 'secretKey'>;

const fetchApi = (hub: Hub, method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${hub.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${hub.secretKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function call<T = unknown>(hub: Hub, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetchApi(hub, method, path, body);
  const parsed = (await response.json()) as T;
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(parsed)}`);
  return parsed;
}

interface Read {
  credentials: { apiKey: string };
  metadata: unknown;
}

const connection = (hub: Hub, id: string, key = 'shop'): Promise<Read> =>
  call(hub, 'GET', `/connections/${id}?provider_config_key=${key}`);

const report = (page: Page) => page.getByRole('table', { name: 'Report' });

/** Drops one file on the window, as a browser does. */
async function dropFile(page: Page, name: string, type: string, content: string | Uint8Array): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, mediaType, base64]) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64 ?? ''), (one) => one.charCodeAt(0));
      data.items.add(new File([bytes], fileName ?? '', { type: mediaType ?? '' }));
      return data;
    },
    [name, type, Buffer.from(content).toString('base64')],
  );
  for (const event of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('body', event, { dataTransfer: transfer, bubbles: true, cancelable: true });
}

describe('moving in', () => {
  it('from another server: a preview, then everything with its credentials, and a report of each part', async () => {
    const { page, complaints } = await browser.open('/dev/import?source=server');
    await page.getByRole('textbox', { name: 'Address' }).fill(other.url);
    await page.getByRole('textbox', { name: 'Secret key' }).fill('wrong');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByText('Check the secret key').waitFor();
    await page.getByText('other_server_refused_key').waitFor();
    await page.getByRole('textbox', { name: 'Secret key' }).fill(` ${other.secretKey} `);
    await page.getByRole('button', { name: 'Read', exact: true }).click();

    const preview = page.getByRole('table', { name: 'What is imported' });
    await preview.getByRole('row', { name: /Provider shop-api New/ }).waitFor();
    await preview.getByRole('row', { name: /Integration shop New/ }).waitFor();
    await preview.getByRole('row', { name: /Connection shop\/c1 New/ }).waitFor();
    await preview.getByRole('row', { name: /Function file shop\/actions\/of-file\.ts New/ }).waitFor();
    expect(await page.content()).not.toContain(CANARY);

    // Only what was previewed is imported: another address or key needs another preview.
    for (const name of ['Address', 'Secret key']) {
      const field = page.getByRole('textbox', { name });
      const value = await field.inputValue();
      await field.press('End');
      await field.press('Backspace');
      await preview.waitFor({ state: 'detached' });
      expect(await page.getByRole('button', { name: /^Import \d+ parts/ }).count()).toBe(0);
      await field.fill(value);
      await page.getByRole('button', { name: 'Read', exact: true }).click();
      await preview.getByRole('row', { name: /Connection shop\/c1 New/ }).waitFor();
    }
    expect((await call<{ data: unknown[] }>(browser.hub, 'GET', '/integrations')).data).toEqual([]);

    await page.getByRole('button', { name: /^Import \d+ parts/ }).click();
    await report(page)
      .getByRole('row', { name: /Connection shop\/c2 Created/ })
      .waitFor();
    await report(page)
      .getByRole('row', { name: /Function file shop\/actions\/of-file\.ts Created/ })
      .waitFor();
    expect(await connection(browser.hub, 'c1')).toMatchObject({
      credentials: { apiKey: `${CANARY}-c1` },
      metadata: { plan: 'c1' },
    });
    await waitFor(
      async () =>
        (
          await fetch(`${browser.hub.url}/action/trigger`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${browser.hub.secretKey}`,
              'content-type': 'application/json',
              'provider-config-key': 'shop',
              'connection-id': 'c1',
            },
            body: JSON.stringify({ action_name: 'of-file' }),
          })
        ).ok,
      { what: 'the function that was moved' },
    );
    expect(complaints).toEqual([]);
  });

  it('again: what is there is passed over, or gets another name, as one says', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/import?source=server');
    await page.getByRole('textbox', { name: 'Address' }).fill(other.url);
    await page.getByRole('textbox', { name: 'Secret key' }).fill(other.secretKey);
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByRole('row', { name: /Integration shop Exists/ }).waitFor();
    await page.getByText('Rename', { exact: true }).click();
    await page.getByRole('button', { name: /^Import \d+ parts/ }).click();
    await report(page)
      .getByRole('row', { name: /Integration shop Renamed: shop-2/ })
      .waitFor();
    expect((await connection(browser.hub, 'c1', 'shop-2')).credentials.apiKey).toBe(`${CANARY}-c1`);
    expect(await readFile(join(browser.hub.workspace, 'shop-2/actions/of-file.ts'), 'utf8')).toContain('return 1;');
  });
});

describe('an export', () => {
  it('holds secrets under a passphrase only, and brings back the identical state', async () => {
    const { page, complaints } = await browser.open('/dev/export');
    await page.getByRole('checkbox', { name: /^Connections with metadata \d+$/ }).waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
    await page.getByText('One JSON file', { exact: true }).click();
    const bare = (await download(page)).toString('utf8');
    expect(bare).toContain('"connection_id": "c1"');
    expect(bare).not.toContain(CANARY);
    await page.getByRole('switch', { name: /With credentials and secrets/ }).click();
    await page.getByRole('textbox', { name: 'Passphrase', exact: true }).fill(PASSPHRASE);
    await page.getByRole('textbox', { name: 'Passphrase again' }).fill(PASSPHRASE);
    await page.getByText('ZIP archive', { exact: true }).click();
    const sealed = await download(page);
    const files = unzipSync(sealed);
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['export.json', 'functions/shop/actions/of-file.ts']));
    for (const content of Object.values(files)) expect(strFromU8(content)).not.toContain(CANARY);

    await call(browser.hub, 'DELETE', '/connections/c2?provider_config_key=shop');
    await call(browser.hub, 'POST', '/connections/metadata', {
      provider_config_key: 'shop',
      connection_id: 'c1',
      metadata: { plan: 'changed' },
    });
    await dropFile(page, 'all.zip', 'application/zip', sealed);
    await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor();
    await page.getByRole('textbox', { name: 'Passphrase' }).fill('another horse');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('does not open this file').first().waitFor();
    await page.getByRole('textbox', { name: 'Passphrase' }).fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('row', { name: /Connection shop\/c2 New/ }).waitFor();
    await page.getByText('Replace', { exact: true }).click();
    await page.getByRole('button', { name: /^Import \d+ parts/ }).click();
    await report(page)
      .getByRole('row', { name: /Connection shop\/c2 Created/ })
      .waitFor();
    for (const id of ['c1', 'c2'])
      expect(await connection(browser.hub, id)).toMatchObject({
        credentials: { apiKey: `${CANARY}-${id}` },
        metadata: { plan: id },
      });
    expect(complaints).toEqual([]);
  });

  it('goes to another server, too', async () => {
    await call(browser.hub, 'POST', '/connections', {
      provider_config_key: 'shop',
      connection_id: 'c3',
      credentials: { type: 'API_KEY', apiKey: `${CANARY}-c3` },
    });
    const { page } = await browser.open('/dev/export?source=server');
    await page.getByRole('textbox', { name: 'Address' }).fill(other.url);
    await page.getByRole('textbox', { name: 'Secret key' }).fill(other.secretKey);
    for (const part of ['Functions', 'Settings and variables'])
      await page.getByRole('checkbox', { name: part }).click();
    await page.getByRole('button', { name: 'Write to the server' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Write to the server' }).click();
    await report(page)
      .getByRole('row', { name: /Connection shop\/c3 Created/ })
      .waitFor();
    await report(page)
      .getByRole('row', { name: /Connection shop\/c1 Skipped/ })
      .waitFor();
    expect((await connection(other, 'c3')).credentials.apiKey).toBe(`${CANARY}-c3`);
  });

  async function download(page: Page): Promise<Buffer> {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    return readFile((await file.path()) ?? '');
  }
});

describe('a list of connections', () => {
  /** An integration of the hub whose credentials are not tested at an import. */
  async function addStall(): Promise<void> {
    const { data } = await call<{ data: Array<{ unique_key: string }> }>(browser.hub, 'GET', '/integrations');
    if (data.some(({ unique_key }) => unique_key === 'stall')) return;
    await saveFunction(browser.hub.workspace, 'providers.yaml', PROVIDERS.replaceAll('shop', 'stall'));
    await waitFor(async () => (await fetchApi(browser.hub, 'GET', '/providers/stall-api')).ok, {
      what: 'its provider',
    });
    await call(browser.hub, 'POST', '/integrations', { unique_key: 'stall', provider: 'stall-api' });
  }

  it('is mapped, checked row by row and imported, bad rows apart', async () => {
    const { page, complaints } = await browser.open('/dev/connections');
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
    const csv = [
      'integration,connection id,secret,email,user id',
      'shop,row-1,key-1,ada@example.com,u1',
      'shop,row-2,,,',
      'nowhere,row-3,key-3,,',
      'shop,row-1,key-4,,',
      'shop,c1,key-5,,',
    ].join('\n');
    await dropFile(page, 'people.csv', 'text/csv', csv);
    await page.getByRole('status').getByText('A list of connections: people.csv').waitFor();
    await page.getByRole('combobox', { name: 'API key' }).click();
    await page.getByRole('option', { name: 'secret' }).click();
    await page.getByRole('button', { name: 'Check 5 rows' }).click();

    const rows = page.getByRole('table', { name: 'Rows' });
    await rows.getByRole('row', { name: /2 Cannot be imported: has no API key/ }).waitFor();
    await rows.getByRole('row', { name: /3 Cannot be imported: there is no integration "nowhere"/ }).waitFor();
    await rows.getByRole('row', { name: /4 shop\/row-1 Cannot be imported: an earlier row/ }).waitFor();
    await rows.getByRole('row', { name: /5 shop\/c1 Replaces the existing one/ }).waitFor();
    await page.getByRole('button', { name: 'Import 2 connections' }).click();
    await page.getByText('2 imported, 0 failed, 3 left out.').waitFor();
    expect((await connection(browser.hub, 'row-1')).credentials.apiKey).toBe('key-1');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save result' }).click(),
    ]);
    expect(await readFile((await file.path()) ?? '', 'utf8')).toContain('1,shop/row-1,imported,');
    expect(complaints).toEqual([]);
  });

  it('shows a value of each chosen column but no secret, names the others, and stores the names of people', async () => {
    await addStall();
    const { page } = await browser.open('/dev/import');
    await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor();
    const csv = ['integration,connection id,api key,display_name,shoe size', 'stall,named-1,key-7,Kestrel Health,44'];
    await dropFile(page, 'named.csv', 'text/csv', csv.join('\n'));
    await page.getByText('First value: Kestrel Health').waitFor();
    await page.getByText('Its values are not shown').waitFor();
    expect(await page.getByText('key-7').count()).toBe(0);
    await page.getByText('This column is not imported: shoe size.').waitFor();
    await page.getByRole('button', { name: 'Check 1 row' }).click();
    await page.getByRole('button', { name: 'Import 1 connection' }).click();
    await page.getByText('1 imported, 0 failed, 0 left out.').waitFor();

    await page.goto(`${browser.hub.url}/app/dev/connections/stall/named-1`);
    await page.getByRole('heading', { level: 1, name: /Kestrel Health/ }).waitFor();
  });

  it('says what came of an import whose page was left', async () => {
    await addStall();
    const { page } = await browser.open('/dev/connections');
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
    const csv = ['integration,connection id,api key', 'stall,left-1,key-1', 'stall,left-2,key-2'];
    await dropFile(page, 'left.csv', 'text/csv', csv.join('\n'));
    await page.getByRole('button', { name: 'Check 2 rows' }).click();
    let release = (): void => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/connections?*', async (route) => {
      if (route.request().method() === 'POST') await isReleased;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Import 2 connections' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
    release();

    await page
      .getByRole('alert')
      .filter({ hasText: '1 of 2 rows imported, 1 not sent, because the page was left.' })
      .waitFor();
  });

  it('of variables leads to the section of the settings that takes it', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/import');
    await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor();
    await dropFile(page, '.env', 'text/plain', 'A=1');
    await page.getByRole('link', { name: 'settings of the environment' }).click();

    const target = page.locator('#function-env-vars');
    await target.waitFor();
    await expect.poll(async () => ((await target.boundingBox())?.y ?? Infinity) < 200).toBe(true);
  });

  it('of provider entries without a valid one says what is wrong and offers nothing to import', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await browser.open('/dev');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await dropFile(page, 'shops.yaml', 'application/yaml', 'broken:\n  display_name: X\n  auth_mode: APIKEY\n');
    await page.getByText('did you mean API_KEY?; left out').waitFor();
    await page.getByText('The file has no valid provider entry').waitFor();
    expect(await page.getByRole('table', { name: 'Entries' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Import and approve/ }).count()).toBe(0);
  });

  it('of provider entries is previewed and imported', { tags: ['main-path'] }, async () => {
    const { page } = await browser.open('/dev');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await dropFile(
      page,
      'shops.yaml',
      'application/yaml',
      'my-shop:\n  display_name: My shop\n  auth_mode: NONE\nbroken:\n  display_name: X\n  auth_mode: APIKEY\n',
    );
    await page.getByRole('row', { name: /My shop my-shop None New/ }).waitFor();
    await page.getByText('did you mean API_KEY?; left out').waitFor();
    await page.getByRole('button', { name: 'Import and approve 1' }).click();
    await page.getByText('1 entry in providers.d/shops.yaml, approved.').waitFor();
    expect((await call<{ data: { source: string } }>(browser.hub, 'GET', '/providers/my-shop')).data.source).toBe(
      'workspace',
    );
  });

  it('is narrowed by several filters, and deleted in a production environment one by one, each whole or not at all', {
    tags: ['nightly'],
  }, async () => {
    const ids = ['del-1', 'del-2', 'del-3', 'del-4', 'del-5', 'del-6'];
    for (const id of ids)
      await call(browser.hub, 'POST', '/connections', {
        provider_config_key: 'shop',
        connection_id: id,
        credentials: { type: 'API_KEY', apiKey: `${CANARY}-${id}` },
      });
    const { page, complaints } = await browser.open('/dev/environment-settings');
    await page.getByRole('switch', { name: 'Production' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Make it/ })
      .click();
    await page.getByRole('switch', { name: 'Production', checked: true }).waitFor();
    await page
      .getByRole('navigation', { name: 'Screens' })
      .getByRole('link', { name: /^Connections/ })
      .click();
    const grid = page.getByRole('grid', { name: 'Connections' });
    await grid.waitFor();
    const rowCount = () => grid.getAttribute('aria-rowcount');

    await page.keyboard.press('/');
    await page.keyboard.type('del-');
    await expect.poll(rowCount).toBe('7');
    await page.getByRole('search').getByRole('button', { name: 'Integration', exact: true }).click();
    await page.getByRole('option', { name: /shop/i }).first().click();
    await page.keyboard.press('Escape');
    await page.waitForURL(/search=del-.*integrations=shop|integrations=shop.*search=del-/);
    await page.reload();
    await expect.poll(rowCount).toBe('7');

    await grid.focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.getByText('6 selected').waitFor();
    await call(browser.hub, 'DELETE', '/connections/del-3?provider_config_key=shop');
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete 6 connections of dev?' });
    const response = question.getByRole('button', { name: 'Delete 6 connections' });
    expect(await response.isDisabled()).toBe(true);
    await question.getByRole('textbox').click();
    await page.keyboard.type('6');
    await response.click();

    const result = page.getByRole('dialog', { name: '5 of 6 connections deleted' });
    await result.waitFor();
    expect(await result.getByRole('listitem').allInnerTexts()).toEqual([expect.stringContaining('del-3')]);
    await result.getByRole('button', { name: 'Close' }).click();
    // The deletion waits while it can be undone.
    for (const id of ids)
      await expect
        .poll(async () => (await fetchApi(browser.hub, 'GET', `/connections/${id}?provider_config_key=shop`)).status)
        .toBe(404);
    const left = await call<{ connections: Array<{ connection_id: string }> }>(browser.hub, 'GET', '/connections');
    expect(left.connections.map((one) => one.connection_id)).toEqual(expect.arrayContaining(['c1', 'row-1']));
    expect(complaints).toEqual([]);
  });
});
