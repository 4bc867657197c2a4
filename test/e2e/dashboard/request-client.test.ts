// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  for (const key of ['practice', 'second']) {
    await browser.api('POST', '/integrations', { provider: 'practice', unique_key: key });
    await browser.api('POST', '/connections', {
      provider_config_key: key,
      connection_id: 'me',
      credentials: { type: 'API_KEY', apiKey: 'practice-me' },
    });
  }
});
afterAll(() => browser?.stop());

const CALL = '/dev/playground?integration=practice&connection=me&type=proxy';
const result = (page: Page) => page.getByRole('region', { name: 'Result' });
const path = (page: Page) => page.getByRole('textbox', { name: 'Path' });
async function post(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Method' }).click();
  await page.getByRole('option', { name: 'POST' }).click();
  await path(page).fill('/v1/echo');
}

describe('the API call of the playground', () => {
  it('has a table of parameters that is the query of the path', async () => {
    const { page, complaints } = await browser.open(CALL);
    await path(page).fill('/v1/echo?flag&limit=10');
    await page.getByRole('tab', { name: 'Parameters 2' }).click();
    expect(await page.getByRole('textbox', { name: 'Parameter 2, value' }).inputValue()).toBe('10');
    await page.getByRole('textbox', { name: 'Parameter 2, value' }).fill('20');
    await page.getByRole('button', { name: 'Add parameter' }).click();
    await page.keyboard.type('q');
    await page.getByRole('textbox', { name: 'Parameter 3, value' }).fill('a & b');
    expect(await path(page).inputValue()).toBe('/v1/echo?flag&limit=20&q=a%20%26%20b');
    await page.keyboard.press('Control+Enter');

    await result(page).getByText('HTTP 200').waitFor();
    await result(page).getByText('"a & b"').waitFor();
    await result(page)
      .getByText(/^\d+ B$/)
      .waitFor();
    await result(page)
      .getByRole('tab', { name: /^Headers/ })
      .click();
    const headers = result(page).getByRole('table', { name: 'Response headers' });
    await headers.getByRole('row', { name: /content-type application\/json/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('sends a form, and parts with a file, and copies both as curl', async () => {
    const { page } = await browser.open(CALL);
    await post(page);
    await page.getByText('Form', { exact: true }).click();
    await page.getByRole('button', { name: 'Add field' }).click();
    await page.keyboard.type('title');
    await page.getByRole('textbox', { name: 'Field 1, value' }).fill('Grüße & mehr');
    await page.keyboard.press('Control+Enter');
    await result(page).getByText('"Grüße & mehr"').waitFor();

    await page.getByText('Multipart', { exact: true }).click();
    await page.getByRole('button', { name: 'Add part' }).click();
    await page.keyboard.type('file');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose a file for part 2' }).click(),
    ]);
    await chooser.setFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('from a file') });
    await page.getByText('note.txt').waitFor();
    await page.keyboard.press('Control+Enter');
    await result(page)
      .getByText(/filename=.*note\.txt.*from a file/)
      .waitFor();
    await result(page).getByRole('tab', { name: 'Code' }).click();
    await result(page).getByText(`-F 'file=@"note.txt";type=text/plain'`).waitFor();

    // The content is not kept over a reload, and the page says so before it sends nothing.
    await page.reload();
    await page.getByText('Choose it again').waitFor();
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByText('Choose the file note.txt again').first().waitFor();
  });

  it('saves what is not text as a file, and says how large a long answer is', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(CALL);
    await path(page).fill('/v1/files/a.bin?bytes=70');
    await page.keyboard.press('Control+Enter');
    await result(page).getByText('70 B of application/octet-stream').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      result(page).getByRole('button', { name: 'Save the body' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('a.bin');
    expect(Buffer.concat(await (await file.createReadStream()).toArray())).toHaveLength(70);
    await path(page).fill('/v1/files/a.bin?bytes=2000000');
    await page.keyboard.press('Control+Enter');
    await result(page).getByText('Only its beginning was read').waitFor();
    await result(page)
      .getByText(/^2(\.0)? MB of application/)
      .waitFor();
  });

  it('lists saved requests by integration, and its history after a restart', async () => {
    const { page } = await browser.open(CALL);
    await path(page).fill('/v1/me?kept=1');
    await page.keyboard.press('Control+Enter');
    await result(page).getByText('HTTP 200').waitFor();
    await page.getByRole('button', { name: 'Save input' }).click();
    await page.getByRole('textbox', { name: 'Name of the input' }).fill('Who am I');
    await page.keyboard.press('Enter');
    const saved = page.getByRole('region', { name: 'Saved requests' });
    await saved.getByRole('group', { name: 'practice' }).getByText('Who am I').waitFor();

    await browser.hub.restart();
    const other = (await browser.open('/dev/playground?integration=second&connection=me&type=proxy')).page;
    const history = other.getByRole('region', { name: 'History' });
    await history.getByText('GET /v1/me?kept=1').click();
    await result(other).getByText('HTTP 200').waitFor();
    await other.getByRole('region', { name: 'Saved requests' }).getByText('Who am I').click();
    expect(await path(other).inputValue()).toBe('/v1/me?kept=1');
    await history.getByRole('button', { name: 'Clear history' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Clear history' }).click();
    await history.waitFor({ state: 'detached' });
  });

  const saved = (page: Page) => page.getByRole('region', { name: 'Saved requests' });
  async function openImport(page: Page) {
    await saved(page).getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import requests' });
    await dialog.getByRole('textbox', { name: 'Commands or collection' }).waitFor();
    return dialog;
  }

  it('imports a cURL command as a saved request, fills it in, and it runs with the connection', async () => {
    const { page } = await browser.open(CALL);
    const dialog = await openImport(page);
    const text = dialog.getByRole('textbox', { name: 'Commands or collection' });
    await text.fill(`curl 'https://other.example/v1/echo?from=curl`);
    await dialog.getByRole('alert').getByText('is not closed').waitFor();
    expect(await dialog.getByRole('button', { name: /^Save/ }).isDisabled()).toBe(true);
    await text.fill(
      `curl 'https://other.example/v1/echo?from=curl' -H 'Authorization: Bearer not-ours' -d 'title=Hello there'`,
    );
    await dialog.getByText('The sign-in is left out').waitFor();
    await dialog.getByRole('button', { name: 'Save 1 request' }).click();
    await dialog.waitFor({ state: 'detached' });

    await saved(page).getByRole('group', { name: 'practice' }).getByText('POST /v1/echo').waitFor();
    expect(await path(page).inputValue()).toBe('/v1/echo?from=curl');
    await page.keyboard.press('Control+Enter');
    await result(page).getByText('"Hello there"').waitFor();
    expect(await result(page).textContent()).not.toContain('not-ours');
  });

  it('imports a Postman collection whole, and nothing of one that is wrong', async () => {
    const { page } = await browser.open(CALL);
    const item = (name: string, method: string) => ({ name, request: { method, url: `{{baseUrl}}/v1/${name}` } });
    const collection = (items: unknown[]) => ({
      name: 'Acme.postman_collection.json',
      mimeType: 'application/json',
      buffer: Buffer.from(
        JSON.stringify({
          info: { name: 'Acme', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
          item: items,
        }),
      ),
    });
    const dialog = await openImport(page);
    const choose = async (items: unknown[]): Promise<void> => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        dialog.getByRole('button', { name: 'Choose a file' }).click(),
      ]);
      await chooser.setFiles(collection(items));
    };
    await choose([item('good', 'GET'), item('bad', 'BREW')]);
    await dialog.getByRole('alert').getByText('“bad”: requests with the method BREW').waitFor();
    expect(await dialog.getByRole('button', { name: /^Save/ }).isDisabled()).toBe(true);

    await choose([item('users', 'GET'), { name: 'Old', item: [item('notes', 'DELETE')] }]);
    await dialog.getByRole('button', { name: 'Save 2 requests' }).click();
    await dialog.waitFor({ state: 'detached' });
    await saved(page).getByText('Old / notes').click();
    expect(await path(page).inputValue()).toBe('/v1/notes');
    expect(await saved(page).getByText('good', { exact: true }).count()).toBe(0);
  });

  it('completes names of variables by keyboard and mouse in every field', { tags: ['nightly'] }, async () => {
    await browser.api('PATCH', '/environment/settings', {
      variables: [
        { name: 'USER_ID', value: 'u-17' },
        { name: 'USER_TOKEN', value: 'a-secret' },
      ],
    });
    const { page } = await browser.open(CALL);
    const names = page.getByRole('listbox', { name: 'Variables' });
    await path(page).click();
    await page.keyboard.type('/v1/echo/{{us');
    await names.getByRole('option', { name: 'USER_TOKEN' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await names.waitFor({ state: 'detached' });
    expect(await path(page).inputValue()).toBe('/v1/echo/{{USER_ID}}');
    await page.keyboard.type('/x');
    expect(await path(page).inputValue()).toBe('/v1/echo/{{USER_ID}}/x');

    await page.keyboard.type('{{nothing');
    await names.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: /^Headers/ }).click();
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.keyboard.type('X-Token');
    await page.getByRole('textbox', { name: 'Header 1, value' }).click();
    await page.keyboard.type('{{');
    await names.getByRole('option', { name: 'USER_TOKEN' }).click();
    expect(await page.getByRole('textbox', { name: 'Header 1, value' }).inputValue()).toBe('{{USER_TOKEN}}');

    // Esc closes the list and nothing else.
    await page.keyboard.type('{{');
    await names.waitFor();
    await page.keyboard.press('Escape');
    await names.waitFor({ state: 'detached' });
    await expect
      .poll(() =>
        page.getByRole('textbox', { name: 'Header 1, value' }).evaluate((one) => one === document.activeElement),
      )
      .toBe(true);
  });
});
