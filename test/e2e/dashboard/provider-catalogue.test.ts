// @module-tag slow
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { holdTimers } from './hold-timers.ts';
import { HubBrowser } from './hub-browser.ts';

/** As in SearchBox.tsx. */
const SEARCH_DEBOUNCE_MS = 250;

const FAULTY = `# By hand
faulty:
  display_name: Faulty
  auth_mode: APIKEY
`;

const FLOW = { authorizationUrl: '/authorize', tokenUrl: '/token', scopes: { read: '' } };
const DESCRIPTION = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Described API', version: '1' },
  servers: [{ url: 'https://described.test' }],
  security: [{ key: [] }, { login: [] }],
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      login: { type: 'oauth2', flows: { authorizationCode: FLOW } },
    },
  },
  paths: { '/me': { get: { responses: {} } } },
});

let browser: HubBrowser;
let api: { url: string; close(): void };
beforeAll(async () => {
  browser = await HubBrowser.start();
  api = await startApi();
});
afterAll(async () => {
  api?.close();
  await browser?.stop();
});

/** Answers with the headers of the request. */
async function startApi(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.headers));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const workspaceFile = (path: string): string => join(browser.hub.workspace, path);
const providersYaml = (): Promise<string> => readFile(workspaceFile('providers.yaml'), 'utf8');

describe('the catalogue of providers', () => {
  it('finds by name and alias, by category and with the keyboard', async () => {
    const { page, complaints } = await browser.open('/dev/integrations/create');
    const grid = page.getByRole('grid', { name: 'Providers' });
    await grid
      .getByRole('button', { name: /^Airtable/ })
      .first()
      .waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('gmail');
    await grid.getByRole('button', { name: /^Gmail/ }).waitFor();
    await expect.poll(() => grid.getByRole('row').count()).toBeLessThan(3);
    await page.keyboard.press('Escape');

    const categories = page.getByRole('navigation', { name: 'Categories' });
    await categories.getByRole('button', { name: /^With templates/ }).click();
    await grid.getByRole('button', { name: /^Slack/ }).waitFor();
    await expect.poll(() => grid.getByRole('button', { name: /^Bitly/ }).count()).toBe(0);
    await categories.getByRole('button', { name: /^All providers/ }).click();

    // The whole list is shown again: the focus is lost with a card that is removed.
    await grid.getByRole('button', { name: /^1Password/ }).waitFor();
    await grid.getByRole('button').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('[data-at="1"]:focus').waitFor();
    await page.keyboard.press('f');
    await categories.getByRole('button', { name: /^Favourites 1/ }).waitFor();
    const about = page.getByRole('complementary', { name: 'About the provider' });
    const chosen = await page.evaluate(() => document.activeElement?.querySelector('.name')?.textContent ?? '');
    await about.getByRole('heading', { name: chosen }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `New ${chosen} integration` }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps the category that is chosen while the search is still on its way into the address', async () => {
    const { page } = await browser.open('/dev/integrations/create');
    const category = page
      .getByRole('navigation', { name: 'Categories' })
      .getByRole('button', { name: /^With templates/ });
    await category.waitFor();
    const endHeldTimers = await holdTimers(page, SEARCH_DEBOUNCE_MS);
    await page.keyboard.press('/');
    await page.keyboard.type('gmail');
    // The address has the category, and the page is not rendered with it yet.
    await category.evaluate(async (element: HTMLElement) => {
      element.click();
      for (let turns = 0; turns < 1000 && !location.search.includes('category'); turns++) await null;
      window.endHeldTimers();
    });
    await endHeldTimers();

    await page.waitForURL((url) => url.searchParams.get('search') === 'gmail');
    expect(new URL(page.url()).searchParams.get('category')).toBeTruthy();
  });

  it('tells what is wrong in the files of the workspace, with file and line', async () => {
    await writeFile(workspaceFile('providers.yaml'), FAULTY);
    const { page } = await browser.open('/dev/integrations/create');
    await waitFor(
      async () => {
        await page.reload();
        await page.getByRole('grid', { name: 'Providers' }).waitFor();
        return (await page.getByText('1 fault in your provider files').count()) > 0;
      },
      { what: 'the fault' },
    );
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('providers.yaml:4').waitFor();
    await dialog.getByText('did you mean API_KEY?').waitFor();
  });
});

describe('a provider of one’s own', () => {
  it('is written from an API description, with what it leaves open as comments', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await browser.open('/dev/integrations/create?search=Described');
    await page.getByRole('button', { name: /^Define your own/ }).click();
    await page.getByRole('button', { name: 'From a description' }).click();
    const dialog = page.getByRole('dialog', { name: 'From a description' });
    await dialog.getByRole('textbox', { name: 'Address' }).fill(`${api.url}/nothing`);
    await dialog.getByRole('button', { name: 'Read' }).click();
    await dialog.getByText('Neither an API description nor an MCP server').waitFor();

    await dialog.locator('input[type=file]').setInputFiles({
      name: 'openapi.json',
      mimeType: 'application/json',
      buffer: Buffer.from(DESCRIPTION),
    });
    await dialog.getByText('proxy.paginate').waitFor();
    await dialog.getByRole('combobox', { name: 'Way to authorize' }).click();
    await page.getByRole('option', { name: /OAuth 2/ }).click();
    await dialog.getByText('default_scopes').waitFor();
    await dialog.getByRole('button', { name: 'Use this entry' }).click();

    const yaml = page.getByRole('textbox', { name: 'Entry in YAML' });
    await expect.poll(() => yaml.textContent()).toContain('# - default_scopes:');
    await expect.poll(() => page.getByRole('textbox', { name: 'Display name' }).inputValue()).toBe('Described');
    await page.getByRole('button', { name: 'Save and approve' }).click();
    await page.getByText('Described saved and approved').waitFor();
    expect(await providersYaml()).toContain('authorization_url: https://described.test/authorize');
    expect(complaints).toEqual([]);
  });

  it('is written by form and text, tried, and saved', async () => {
    const { page, complaints } = await browser.open('/dev/integrations/create?search=Acme%20Tasks');
    await page.getByRole('button', { name: /^Define your own/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Define a provider' }).waitFor();
    await expect.poll(() => page.getByRole('textbox', { name: 'Key', exact: true }).inputValue()).toBe('acme-tasks');
    const yaml = page.getByRole('textbox', { name: 'Entry in YAML' });
    const save = page.getByRole('button', { name: 'Save and approve' });

    // An address without its scheme is refused at its field and beside the text.
    const address = page.getByRole('textbox', { name: 'Base address' });
    await address.fill('api.acme.test');
    await page.getByRole('region', { name: 'Form' }).getByText('must start with https://').waitFor();
    await page
      .getByRole('region', { name: 'YAML' })
      .getByText(/proxy.base_url must start with https:/)
      .waitFor();
    expect(await save.isDisabled()).toBe(true);

    // From the form to the text, whose comment stays.
    await address.fill(api.url);
    await expect.poll(() => yaml.textContent()).toContain(`base_url: ${api.url}`);
    expect(await yaml.textContent()).toContain('# Where requests go');

    // From the text to the form, with the catalogue's message about the error.
    await yaml.click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    // A new line begins below the one before it. Undo takes it back, redo returns it, and the form follows.
    await page.keyboard.type('\ncategories: [crm]\ncolour: red');
    await page.getByText('colour is not known; it is kept and has no effect').waitFor();
    const name = page.getByRole('textbox', { name: 'Display name' });
    await name.fill('Acme Two');
    await expect.poll(() => yaml.textContent()).toContain('display_name: Acme Two');
    await yaml.click();
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(() => name.inputValue()).toBe('Acme Tasks');
    // How many steps typing is depends on its speed.
    const textAfter = async (key: string): Promise<string | null> => {
      await page.keyboard.press(key);
      return yaml.textContent();
    };
    await expect.poll(() => textAfter('ControlOrMeta+z')).toMatch(/categories: \[crm\] {2}auth_mode/);
    await expect.poll(() => page.getByText(/is not known/).count()).toBe(0);
    await expect.poll(() => textAfter('ControlOrMeta+y')).toMatch(/categories: \[crm\] {2}colour: red {2}auth_mode/);
    await expect.poll(() => textAfter('ControlOrMeta+z')).toMatch(/categories: \[crm\] {2}auth_mode/);
    await expect.poll(() => save.isDisabled()).toBe(false);

    const trial = page.getByRole('region', { name: 'Form' });
    await trial.getByRole('textbox', { name: 'API key', exact: true }).fill('key-of-mine');
    await trial.getByRole('textbox', { name: 'Path of the request' }).fill('/who');
    await trial.getByRole('button', { name: 'Send', exact: true }).click();
    await trial.getByRole('status').getByText('"authorization": "Bearer key-of-mine"').waitFor();

    await save.click();
    await page.getByRole('heading', { level: 1, name: 'New Acme Tasks integration' }).waitFor();
    expect(await providersYaml()).toContain('# By hand');
    expect(await providersYaml()).toContain('# Where requests go');
    expect(complaints).toEqual([]);
  });

  it('says when the text holds no entry, and when it could not be checked', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/integrations/define?name=Acme');
    const findings = page.getByRole('region', { name: 'YAML' });
    await findings.getByText('The entry is valid.').waitFor();

    await page.route('**/api/v1/provider-entries/check*', (route) =>
      route.fulfill({ status: 409, json: { error: { code: 'conflict', message: 'The folder is being moved.' } } }),
    );
    await page.getByRole('textbox', { name: 'Display name' }).fill('Acme Inc.');
    await findings.getByRole('alert').getByText('The folder is being moved.').waitFor();
    expect(await findings.getByText('Checking…').count()).toBe(0);
    await page.unroute('**/api/v1/provider-entries/check*');
    await findings.getByRole('button', { name: 'Try again' }).click();
    await findings.getByText('The entry is valid.').waitFor();

    // One error in the YAML is one message, and not also all that follows from it.
    await page.getByRole('textbox', { name: 'Entry in YAML' }).click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('End');
    await page.keyboard.type('\n  bad: [1, 2');
    await page.getByText('The YAML cannot be read as one entry.').waitFor();
    await findings.getByText('line').first().waitFor();
    await expect.poll(() => findings.getByText(/^line \d+/).count()).toBe(1);

    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('# Nothing yet');
    await findings.getByText('The text contains no entry.').waitFor();
  });

  it('is approved as it is saved; an edit by hand waits until it is saved here', async () => {
    await browser.api('POST', '/integrations', { unique_key: 'acme-tasks', provider: 'acme-tasks' });
    await browser.api('POST', '/connections', {
      provider_config_key: 'acme-tasks',
      connection_id: 'c1',
      credentials: { type: 'API_KEY', apiKey: 'key-of-mine' },
    });

    // Imported by hand: the connection keeps working as it was created.
    await writeFile(
      workspaceFile('providers.yaml'),
      (await providersYaml()).replace(api.url, 'https://elsewhere.test'),
    );
    const { page, complaints } = await browser.open('/dev/integrations/acme-tasks');
    await waitFor(
      async () => {
        await page.reload();
        await page.getByRole('heading', { level: 1, name: /^acme-tasks|^Acme Tasks/ }).waitFor();
        return (await page.getByText('Your workspace changed the entry of acme-tasks').count()) > 0;
      },
      { what: 'the change that waits' },
    );
    expect(await baseUrl()).toBe(api.url);

    await page.goto(`${browser.hub.url}/app/dev/integrations/define/acme-tasks`);
    const yaml = page.getByRole('textbox', { name: 'Entry in YAML' });
    const save = page.getByRole('button', { name: 'Save and approve' });
    await expect.poll(() => yaml.textContent()).toContain('https://elsewhere.test');
    await expect.poll(() => save.isDisabled()).toBe(false);
    await save.click();
    await page.getByText('Acme Tasks saved and approved').waitFor();
    expect(await baseUrl()).toBe('https://elsewhere.test');

    // It stays on the definition. What was saved is no unsaved change; a further change is.
    const name = page.getByRole('textbox', { name: 'Display name' });
    const typed = await name.inputValue();
    await name.fill('Acme Three');
    await expect.poll(() => save.isDisabled()).toBe(false);
    await save.click();
    await page.getByText('Acme Three saved and approved').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Definition of acme-tasks' }).waitFor();
    await name.fill(typed);
    const back = page.getByRole('link', { name: 'Integrations' }).last();
    await back.click();
    await page.getByRole('button', { name: 'Stay' }).click();
    await name.fill('Acme Three');
    await back.click();
    await page.getByRole('heading', { level: 1, name: 'Integrations' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

const baseUrl = async (): Promise<string> =>
  (await browser.api<{ data: { proxy: { base_url: string } } }>('GET', '/providers/acme-tasks')).data.proxy.base_url;
