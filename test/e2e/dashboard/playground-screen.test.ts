// @module-tag slow
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HarDocument } from '../../../server/log/har-document.contract.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';
import { goByKeys } from './screen-keys.ts';

const GREET = `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Greets one person',
  version: '1.0.0',
  endpoint: { method: 'POST', path: '/practice/greet' },
  input: z.object({ name: z.string().min(2), times: z.number().int().optional(), tone: z.enum(['warm', 'cool']).optional(),
    on: z.iso.date().optional(), notes: z.array(z.string()).optional(), about: z.union([z.string(), z.object({ a: z.number() })]).optional() }),
  output: z.object({ text: z.string() }),
  exec: async (nango, input) => {
    await nango.log('Greeting ' + input.name, { level: 'warn' });
    return { text: ('Hello ' + input.name + ' ').repeat(input.times ?? 1).trim() };
  },
});
`;
const ITEMS = syncSource(`await nango.batchSave([{ id: '1', text: 'one' }, { id: '2', text: 'two' }], 'Item');`);
const HALF = syncSource(
  `await nango.batchSave([{ id: '1', text: 'one' }], 'Item'); throw new Error('The second page is broken');`,
).replaceAll('Item', 'Half');
const SLOW = syncSource(
  `await nango.get({ endpoint: '/v1/issues', headers: { 'x-practice-delay-ms': '60000' } });`,
).replaceAll('Item', 'Slow');

const WELCOME = `await nango.log('Welcome, ' + (await nango.getConnection()).connection_id, { level: 'warn' });`;
const REFUSE = `throw new nango.ActionError({ message: 'Not on Sundays' });`;
const handler = (event: string, body: string): string => `import { createOnEvent } from 'homeport';

export default createOnEvent({
  description: 'Follows a connection',
  version: '1.0.0',
  event: '${event}',
  exec: async (nango) => {
    ${body}
  },
});
`;

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await importPracticeConnection(browser.hub);
  await saveFunction(browser.hub.workspace, 'practice/actions/greet.ts', GREET);
  await saveFunction(browser.hub.workspace, 'practice/syncs/two-items.ts', ITEMS);
  await saveFunction(browser.hub.workspace, 'practice/syncs/half-items.ts', HALF);
  await saveFunction(browser.hub.workspace, 'practice/syncs/slow-items.ts', SLOW);
  await saveFunction(
    browser.hub.workspace,
    'practice/on-events/welcome.ts',
    handler('post-connection-creation', WELCOME),
  );
  await saveFunction(browser.hub.workspace, 'practice/on-events/refuse.ts', handler('validate-connection', REFUSE));
  for (const name of ['greet', 'two-items', 'half-items', 'slow-items', 'welcome', 'refuse']) {
    await waitFor(async () => JSON.stringify(await browser.api('GET', '/scripts/config')).includes(`"${name}"`), {
      what: name,
    });
  }
});
afterAll(() => browser?.stop());

const result = (page: Page) => page.getByRole('region', { name: 'Result' });
const json = (page: Page) => page.getByRole('textbox', { name: 'JSON' });

/** Types into a searchable field and chooses its first option. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.keyboard.type(text);
  await page
    .getByRole('option', { name: new RegExp(text) })
    .first()
    .waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

describe('the playground', () => {
  it('runs an action from its form, shows what came of it, and finds it again after a reload', async () => {
    const { page, complaints } = await browser.open('/dev');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await goByKeys(page, 'p');
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await page.getByText('Choose a connection to run with.').waitFor();
    await choose(page, 'Connection', 'me');
    await choose(page, 'Action', 'greet');

    // An input that does not fit is not sent at once: each field says what it needs, and the first one has the focus.
    const name = page.getByRole('textbox', { name: 'name' });
    await name.waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('1 value of the input does not fit the schema.').waitFor();
    await page.getByText('This is required.').waitFor();
    await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await result(page).getByText('Nothing has run yet.').waitFor();

    await name.click();
    await page.keyboard.type('A');
    await page.getByText('At least 2 characters are needed.').waitFor();
    await page.keyboard.type('da');
    await expect.poll(() => json(page).inputValue()).toBe('{\n  "name": "Ada"\n}');
    await json(page).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('{"name": "Bo", "times": 2}');
    await expect.poll(() => page.getByRole('textbox', { name: 'times' }).inputValue()).toBe('2');
    await page.keyboard.press('Control+Enter');

    await result(page).getByText('"Hello Bo Hello Bo"').waitFor();
    await result(page).getByText('Success').waitFor();
    // The key works on the whole page, not only in the form.
    await page.getByRole('heading', { level: 1, name: 'Playground' }).click();
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => page.getByRole('region', { name: 'History' }).getByRole('listitem').count()).toBe(2);
    await result(page).getByText('Success').waitFor();
    await result(page).getByRole('tab', { name: /Logs/ }).click();
    await result(page)
      .getByText(/Messages of functions below level warn are not recorded in a live run/)
      .waitFor();
    const current = page.getByRole('region', { name: 'History' }).getByRole('listitem').first();
    expect(await current.evaluate((row) => getComputedStyle(row).backgroundColor)).not.toBe('rgba(0, 0, 0, 0)');
    await result(page).getByText('Greeting Bo').waitFor();
    await page.reload();
    await result(page).getByText('"Hello Bo Hello Bo"').waitFor();
    await page.getByRole('region', { name: 'History' }).getByRole('button', { name: /greet/ }).first().waitFor();
    await result(page).getByRole('tab', { name: 'Code' }).click();
    await result(page).getByRole('button', { name: 'Copy curl' }).click();
    expect(await browser.copied(page, /^curl/)).toContain('"action_name": "greet"');
    expect(complaints).toEqual([]);
  });

  it('shows in the JSON what is typed into a field, also where it does not fit, and keeps the input of another kind', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await browser.open(
      '/dev/playground?integration=practice&connection=me&function=greet&type=action',
    );
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    await field('name').click();
    await page.keyboard.type('Ada');
    await field('times').click();
    await page.keyboard.type('2x');
    await page.getByText('This has to be a number.').waitFor();
    await expect.poll(() => json(page).inputValue()).toContain('"times": "2x"');
    await page.keyboard.press('Backspace');
    await expect.poll(() => json(page).inputValue()).toContain('"times": 2');

    // A member of several types accepts JSON, and any other text as text.
    await field('about').click();
    await page.keyboard.type('tea');
    await expect.poll(() => json(page).inputValue()).toContain('"about": "tea"');
    await field('about').fill('{"a": 1}');
    await expect.poll(() => json(page).inputValue()).toContain('"about": {');

    await page.getByRole('button', { name: 'Add to notes' }).click();
    await expect.poll(() => json(page).inputValue()).toMatch(/"notes": \[\s+""\s+\]/);
    await field('notes 1').click();
    await page.keyboard.type('a');
    await page.keyboard.press('Backspace');
    await expect.poll(() => json(page).inputValue()).toMatch(/"notes": \[\s+""\s+\]/);

    await json(page).fill('{"name": "Ada", "on": "tomorrow"}');
    await page.getByText('This has to be a date such as 2026-01-31.').waitFor();
    await page.getByLabel('on', { exact: true }).fill('');
    await page.getByLabel('on', { exact: true }).fill('2026-02-28');
    await expect.poll(() => json(page).inputValue()).toContain('"on": "2026-02-28"');

    const kinds = page.getByRole('radiogroup', { name: 'What to run' });
    await kinds.getByText('API call', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Path' }).waitFor();
    await kinds.getByText('Action', { exact: true }).click();
    await expect.poll(() => json(page).inputValue()).toContain('"on": "2026-02-28"');
  });

  it('fills in an example that the function takes', async () => {
    const { page } = await browser.open(
      '/dev/playground?integration=practice&connection=me&type=action&function=greet',
    );
    await page.getByRole('button', { name: 'Fill in an example' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: /^name/ }).inputValue()).toBe('text');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Result' }).getByText('"Hello text"').waitFor();
  });

  it('keeps inputs under names, fills one in again, and shows what differs between two results', {
    tags: ['nightly'],
  }, async () => {
    const { page, complaints } = await browser.open(
      '/dev/playground?integration=practice&connection=me&type=action&function=greet',
    );
    const run = async (input: string, response: string): Promise<void> => {
      await json(page).click();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(input);
      await page.keyboard.press('Control+Enter');
      await result(page).getByText(response).waitFor();
    };
    await run('{"name": "Cleo"}', '"Hello Cleo"');
    await page.getByRole('button', { name: 'Save input' }).click();
    await page.getByRole('textbox', { name: 'Name of the input' }).click();
    await page.keyboard.type('One person');
    await page.keyboard.press('Enter');
    const saved = page.getByRole('button', { name: 'One person' });
    await saved.waitFor();
    await run('{"name": "Dora", "times": 2}', '"Hello Dora Hello Dora"');

    await page
      .getByRole('region', { name: 'History' })
      .getByRole('button', { name: 'Compare with the result above' })
      .first()
      .click();
    await result(page).getByRole('tab', { name: 'Difference', selected: true }).waitFor();
    await result(page).locator('.cm-deletedChunk').getByText('Hello Cleo').waitFor();
    await result(page).locator('.cm-changedLine').getByText('Hello Dora Hello Dora').waitFor();
    await result(page).getByRole('textbox', { name: 'Results' }).focus();
    await page.keyboard.press('n');
    const lineAtCursor = () =>
      page.evaluate(() => {
        const root = document.activeElement?.shadowRoot as (ShadowRoot & { getSelection(): Selection | null }) | null;
        const node = root?.getSelection()?.anchorNode;
        return (node instanceof Element ? node : node?.parentElement)?.closest('.cm-line')?.textContent;
      });
    await expect.poll(lineAtCursor).toContain('Hello Dora');
    expect(new URL(page.url()).pathname).toBe('/app/dev/playground');
    await result(page).getByRole('button', { name: 'Close comparison' }).click();
    await result(page).getByRole('tab', { name: 'Output', selected: true }).waitFor();

    await page.reload();
    await page.getByRole('button', { name: 'Saved', exact: true }).click();
    await page.getByRole('menuitem', { name: 'One person' }).click();
    await expect.poll(() => json(page).inputValue()).toBe('{\n  "name": "Cleo"\n}');
    await saved.click();
    await page.getByRole('menuitem', { name: 'Delete One person' }).click();
    await saved.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save input' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('tries a sync without storing, then runs it, from the sheet that stays beside other screens', async () => {
    const { page } = await browser.open('/dev/connections/practice/me');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const opener = page.getByRole('button', { name: 'Open the playground' });
    await opener.focus();
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('complementary', { name: 'Playground' });
    await sheet.getByText('Sync', { exact: true }).first().click();
    await choose(page, 'Sync', 'two-items');
    await sheet.getByText('Dry run', { exact: true }).click();
    await sheet.getByRole('button', { name: 'Run', exact: true }).click();
    await result(page)
      .getByRole('tab', { name: /Would store 2/ })
      .click();
    await result(page).getByText('A live run would save 2 records, update 0 and delete 0.').waitFor();

    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Logs' }).click();
    await page.getByRole('row').filter({ hasText: 'two-items' }).first().waitFor();
    await sheet.getByText('Live', { exact: true }).click();
    await sheet.getByRole('button', { name: 'Run again' }).click();
    // A live run has no such tab: its output takes the place.
    await result(page).getByRole('tab', { name: 'Output', selected: true }).waitFor();
    await result(page).getByText('The run has ended.').waitFor();
    const records = await fetch(`${browser.hub.url}/records?model=Item`, {
      headers: {
        authorization: `Bearer ${browser.hub.secretKey}`,
        'provider-config-key': 'practice',
        'connection-id': 'me',
      },
    });
    expect(((await records.json()) as { records: unknown[] }).records).toHaveLength(2);

    await sheet.getByRole('button', { name: 'Run again' }).focus();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Open the playground');
  });

  it('shows what a failed dry run would have stored until then', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(
      '/dev/playground?integration=practice&connection=me&type=sync&function=half-items',
    );
    await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Dry run', { exact: true }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();

    await result(page).getByText('The second page is broken').first().waitFor();
    await result(page)
      .getByRole('tab', { name: /Would store 1/ })
      .click();
    await result(page)
      .getByText('Until it failed, a live run would have saved 1 record, updated 0 and deleted 0.')
      .waitFor();
  });

  it('cancels a run, also one that an earlier page began', async () => {
    const { page } = await browser.open(
      '/dev/playground?integration=practice&connection=me&type=sync&function=slow-items',
    );
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await result(page).getByText('Running', { exact: true }).waitFor();
    await result(page)
      .getByText(/^Running for 0:\d\d\./)
      .waitFor();
    await page.reload();

    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    await page.keyboard.press('Control+.');

    await result(page).getByText('Cancelled', { exact: true }).waitFor();
  });

  it('replays a saved fixture without a network, and says when there is none', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await browser.open(
      '/dev/playground?integration=practice&connection=me&type=action&function=greet',
    );
    const replay = page.getByRole('radiogroup', { name: 'Mode' }).getByText('Replay', { exact: true });
    await replay.click();
    await page.getByText('without a network. Nothing is stored.').waitFor();
    await page.getByRole('button', { name: /^Run/ }).click();
    await result(page).getByText('The function has no recorded run.').waitFor();

    const fixture = { input: { name: 'Ada' }, output: { text: 'Hello Ada' }, api: {} };
    await mkdir(`${browser.hub.workspace}/practice/tests`, { recursive: true });
    await writeFile(`${browser.hub.workspace}/practice/tests/greet.test.json`, JSON.stringify(fixture));
    await page.getByRole('button', { name: 'Run again' }).click();
    await result(page).getByText('The result equals the recording practice/tests/greet.test.json.').waitFor();
    await result(page).getByText('"Hello Ada"').first().waitFor();

    await writeFile(
      `${browser.hub.workspace}/practice/tests/greet.test.json`,
      JSON.stringify({ ...fixture, output: { text: 'Bye' } }),
    );
    await page.getByRole('button', { name: 'Run again' }).click();
    await result(page)
      .getByText('The result differs from the recording practice/tests/greet.test.json in 1 place.')
      .waitFor();
    await page.getByRole('region', { name: 'History' }).getByText('greet, replay').first().waitFor();
    await rm(`${browser.hub.workspace}/practice/tests`, { recursive: true });
    expect(complaints).toEqual([]);
  });

  it('runs the handler of a connection event alone, and says how it failed', async () => {
    const open = '/dev/playground?integration=practice&connection=me&type=event';
    const { page, complaints } = await browser.open(`${open}&function=welcome`);
    await page.getByText('No connection is created or deleted.').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();

    await result(page).getByText('Success', { exact: true }).waitFor();
    await result(page).getByRole('tab', { name: /Logs/ }).click();
    await result(page).getByText('Welcome, me').waitFor();
    await result(page).getByRole('tab', { name: 'Code' }).click();
    await result(page).getByText('Event handlers can be run from Homeport only.').waitFor();

    await page.goto(`${browser.hub.url}/app${open}&function=refuse`);
    await page.getByRole('button', { name: /^Run/ }).click();
    await result(page).getByRole('tab', { name: 'Output' }).click();
    await result(page).getByText('Not on Sundays').first().waitFor();
    await result(page).getByText('Failed', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('reads records as an app does, page by page, with the same query as code', async () => {
    const order = { provider_config_key: 'practice', connection_id: 'me', syncs: ['two-items'] };
    await browser.api('POST', '/sync/trigger', order);
    const headers = {
      authorization: `Bearer ${browser.hub.secretKey}`,
      'provider-config-key': 'practice',
      'connection-id': 'me',
    };
    const read = async () => (await fetch(`${browser.hub.url}/records?model=Item`, { headers })).text();
    await waitFor(async () => (await read()).includes('"two"'), { what: 'the records' });
    const { page, complaints } = await browser.open('/dev/connections/practice/me/records/Item');
    await page.getByRole('button', { name: 'Open the playground' }).click();
    const sheet = page.getByRole('complementary', { name: 'Playground' });
    await sheet.getByRole('textbox', { name: 'Limit' }).fill('1');
    await sheet.getByRole('button', { name: 'Run', exact: true }).click();

    await sheet.getByText('1 record.').waitFor();
    await sheet.getByText('"one"').first().waitFor();
    await sheet.getByRole('button', { name: 'Next page' }).click();
    await sheet.getByText('"two"').first().waitFor();
    await sheet.getByText('These are the last ones.').waitFor();
    await sheet.getByRole('tab', { name: 'Code' }).click();
    await sheet.getByText(/\/records\?model=Item&limit=1&cursor=/).waitFor();
    expect(complaints).toEqual([]);
  });

  it('sends a request of any method with its body, and says why it cannot', async () => {
    const { page } = await browser.open('/dev/playground?integration=practice&connection=me&type=proxy');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('alert').getByText('Write the path').waitFor();
    await page.getByRole('tab', { name: 'Options' }).click();
    await page.getByRole('textbox', { name: 'Base address' }).fill('practice');
    await page.getByRole('textbox', { name: 'Path' }).fill('/');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('alert').getByText('The base address has to begin').waitFor();
    await page.getByRole('textbox', { name: 'Base address' }).fill('');
    await page.getByRole('textbox', { name: 'Path' }).fill('');
    await page.getByRole('combobox', { name: 'Method' }).click();
    await page.getByRole('option', { name: 'POST' }).click();
    await page.getByRole('textbox', { name: 'Path' }).click();
    await page.keyboard.type('/v1/echo?a=1');
    await page.getByRole('textbox', { name: 'Body' }).click();
    await page.keyboard.type('{"hello": "there"}');
    await page.keyboard.press('Control+Enter');

    await result(page).getByText('HTTP 200').waitFor();
    await result(page).getByText('"there"').first().waitFor();
    await result(page)
      .getByRole('tab', { name: /Requests 1/ })
      .click();
    await result(page)
      .getByText(/POST .*\/v1\/echo/)
      .waitFor();

    // The same request as an HTTP Archive.
    await result(page).getByRole('link', { name: 'Open log' }).click();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Save requests as HAR' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^operation-.*\.har$/);
    const har = JSON.parse((await (await file.createReadStream()).toArray()).join('')) as HarDocument;
    expect(har.log.entries.map(({ request }) => request.method)).toEqual(['POST']);
  });

  it('says of a request that the provider refused that it failed, as the log does', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/playground?integration=practice&connection=me&type=proxy');
    await page.getByRole('textbox', { name: 'Path' }).click();
    await page.keyboard.type('/v1/me?practice_fail=404');
    await page.keyboard.press('Control+Enter');
    await result(page).getByText('HTTP 404').waitFor();
    await result(page).getByText('Failed').waitFor();
    const row = page.getByRole('region', { name: 'History' }).getByRole('listitem', { name: /practice_fail/ });
    await row.getByText('Failed').waitFor();
    await result(page).getByRole('link', { name: 'Open log' }).click();
    await page.getByRole('dialog').or(page.getByRole('complementary')).getByText('Failed').first().waitFor();

    // Keeps the columns of the history aligned for rows that cannot be compared.
    await page.goBack();
    await page.getByRole('textbox', { name: 'Path' }).fill('/v1/me');
    await page.keyboard.press('Control+Enter');
    await result(page).getByText('HTTP 200').waitFor();
    const times = page.getByRole('region', { name: 'History' }).locator('time');
    await expect.poll(() => times.count()).toBeGreaterThan(1);
    const ends = await times.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().right)));
    expect(new Set(ends).size).toBe(1);
    const ids = page.getByRole('region', { name: 'History' }).getByRole('button').getByText('me', { exact: true });
    const starts = await ids.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().left)));
    expect(new Set(starts).size).toBe(1);
  });

  it('says of a response that is not text how long it is, and of what type', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/playground?integration=practice&connection=me&type=proxy');
    await page.getByRole('textbox', { name: 'Path' }).fill('/v1/files/a.bin?bytes=70');
    await page.keyboard.press('Control+Enter');
    await result(page).getByText('70 B of application/octet-stream. The response is not text.').waitFor();
  });

  it('names the run of a result when something else is chosen', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(
      '/dev/playground?integration=practice&connection=me&type=sync&function=two-items',
    );
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await result(page).getByText('Success').waitFor();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    await page.getByText('Action', { exact: true }).first().click();

    await result(page).getByRole('heading', { name: 'Result of two-items' }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  });

  it('fits 420 pixels, as a page and as a sheet', async () => {
    for (const path of [
      '/dev/playground?integration=practice&connection=me&type=action&function=greet',
      '/dev/connections/practice/me',
    ]) {
      const { page } = await browser.open(path, { width: 420 });
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (path.includes('connections')) await page.getByRole('button', { name: 'Open the playground' }).click();
      await page.getByRole('combobox', { name: 'Connection' }).waitFor();
      await expectToFitWindow(page, path);
    }
  });
});
