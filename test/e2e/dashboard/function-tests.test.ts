// @module-tag slow
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';

const WHO = actionSource(
  `const { data } = await nango.get({ endpoint: '/v1/me' });\n    return { greeting: 'Hello ' + input.name, kind: typeof data };`,
);
const FILE = 'practice/tests/who.test.json';
const PLAYGROUND = '/dev/playground?integration=practice&connection=me&type=action&function=who';
const TESTS = '/dev/integrations/practice/functions/who?type=action#tests';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await importPracticeConnection(browser.hub);
  await saveFunction(browser.hub.workspace, 'practice/actions/who.ts', WHO);
  await waitFor(async () => JSON.stringify(await browser.api('GET', '/scripts/config')).includes('"who"'), {
    what: 'the action',
  });
});
afterAll(() => browser?.stop());

const result = (page: Page) => page.getByRole('region', { name: 'Result' });
const saved = async () => JSON.parse(await readFile(join(browser.hub.workspace, FILE), 'utf8'));

async function runWith(page: Page, input: string): Promise<void> {
  const json = page.getByRole('textbox', { name: 'JSON' });
  await json.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(input);
  await page.keyboard.press('Control+Enter');
}

describe('a function whose file is saved', () => {
  it('says when it was reloaded and how long that took, again after the next save', async () => {
    const { page, complaints } = await browser.open('/dev/integrations/practice/functions/who?type=action#code');
    const notice = page.getByRole('region', { name: 'Problems' }).locator('time');
    const like = /^Reloaded \d{1,2}:\d{2}:\d{2}.* in [\d.]+ m?s$/;
    await expect.poll(() => notice.textContent()).toMatch(like);
    const before = await notice.getAttribute('datetime');

    await saveFunction(browser.hub.workspace, 'practice/actions/who.ts', `${WHO}\n// saved again\n`);

    await page.getByText('// saved again').waitFor();
    await expect.poll(() => notice.getAttribute('datetime')).not.toBe(before);
    expect(await notice.textContent()).toMatch(like);
    expect(complaints).toEqual([]);
  });
});

describe('a run in the playground', () => {
  it('is saved as a fixture after a look at it, and asks before it replaces one', async () => {
    const { page, complaints } = await browser.open(PLAYGROUND);
    await runWith(page, '{"name": "Ada"}');
    await result(page).getByText('"Hello Ada"').waitFor();
    await page.getByRole('button', { name: 'Save as fixture' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Save as fixture' });
    await dialog.getByText(FILE).waitFor();
    await dialog.getByText('1 response of the provider').waitFor();
    await dialog.getByText('"greeting"').waitFor();
    await dialog.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByText(`Saved ${FILE}`).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect((await saved()).input).toEqual({ name: 'Ada' });

    await runWith(page, '{"name": "Bo"}');
    await result(page).getByText('"Hello Bo"').waitFor();
    await page.getByRole('button', { name: 'Save as fixture' }).press('Enter');
    await dialog.getByText('This file exists.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect((await saved()).input).toEqual({ name: 'Ada' });
    await page.getByRole('button', { name: 'Save as fixture' }).press('Enter');
    await dialog.getByRole('button', { name: 'Replace file' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect((await saved()).input).toEqual({ name: 'Bo' });
    expect(complaints).toEqual([]);
  });

  it('is saved from its log, too', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/logs');
    await page.getByRole('row').filter({ hasText: 'who' }).first().click();
    await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: 'Save as fixture' }).click();
    const sheet = page.getByRole('complementary', { name: 'Playground' });
    await sheet.getByText('"Hello Bo"').waitFor();
    // Running again repeats that run.
    await expect.poll(() => sheet.getByRole('textbox', { name: 'JSON' }).inputValue()).toContain('"Bo"');
    await sheet.getByRole('button', { name: 'Save as fixture' }).click();
    await page.getByRole('dialog', { name: 'Save as fixture' }).getByText(FILE).waitFor();
  });
});

describe('the tests of a function', () => {
  it('are run from the window, show what differs, and are brought up to date', async () => {
    const { page, complaints } = await browser.open(TESTS);
    const row = page.getByRole('list', { name: 'Recorded runs' }).getByRole('listitem');
    await row.getByText('Not run').waitFor();
    await page.getByText('homeport generate:tests -i practice -a who').waitFor();
    await page.getByRole('button', { name: 'Run all' }).press('Enter');
    await row.getByText('Passed').waitFor();

    await saveFunction(browser.hub.workspace, 'practice/actions/who.ts', WHO.replace('Hello', 'Good day'));
    await waitFor(
      async () => {
        await page.getByRole('button', { name: `Run ${FILE}` }).click();
        return row
          .getByText('Differs')
          .waitFor({ timeout: 2000 })
          .then(
            () => true,
            () => false,
          );
      },
      { what: 'the new version in the test' },
    );
    const difference = page.getByRole('region', { name: 'Difference of output' });
    await difference.getByText('"Good day Bo"').waitFor();
    await difference.getByText('"Hello Bo"').waitFor();
    await page.getByRole('button', { name: 'Update from this run' }).press('Enter');
    await row.getByText('Passed').waitFor();
    expect((await saved()).output.greeting).toBe('Good day Bo');
    expect(complaints).toEqual([]);
  });

  it('fit 420 pixels', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(TESTS, { width: 420 });
    await page.getByRole('list', { name: 'Recorded runs' }).waitFor();
    await expectToFitWindow(page);
  });
});
