// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';

const action = (path: string): string => `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Greets one person',
  version: '1.0.0',
  endpoint: { method: 'POST', path: '${path}' },
  input: z.object({ name: z.string() }),
  output: z.object({ text: z.string() }),
  exec: async (_nango, input) => ({ text: 'Hello ' + input.name }),
});
`;

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await importPracticeConnection(browser.hub);
  await importPracticeConnection(browser.hub, { integration: 'another', connectionId: 'harrow-elsewhere' });
  await importPracticeConnection(browser.hub, { integration: 'third', connectionId: 'harrow-third' });
  await browser.api('POST', '/environments', { name: 'prod' });
  await saveFunction(browser.hub.workspace, 'practice/actions/greet.ts', action('/practice/greet'));
  await saveFunction(browser.hub.workspace, 'practice/actions/part.ts', action('/practice/part'));
  for (const name of ['greet', 'part']) {
    await waitFor(async () => JSON.stringify(await browser.api('GET', '/scripts/config')).includes(`"${name}"`), {
      what: name,
    });
  }
});
afterAll(() => browser?.stop());

const sheet = (page: Page) => page.getByRole('complementary', { name: 'Playground' });
const json = (page: Page) => page.getByRole('textbox', { name: 'JSON' });
const field = (page: Page, name: string) => page.getByRole('combobox', { name });

async function openGreet(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Playground', exact: true }).last().click();
  await sheet(page).waitFor();
}

const GREET = '/dev/integrations/practice/functions/greet?type=action';

describe('the playground beside a screen', () => {
  it('keeps draft, mode and run to its environment, and begins dry in production', async () => {
    const { page, complaints } = await browser.open(GREET);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openGreet(page);
    await field(page, 'Connection').click();
    await page.getByRole('option', { name: /^me,/ }).click();
    await sheet(page).getByRole('radio', { name: 'Live' }).check({ force: true });
    await json(page).fill('{"name": "of dev"}');

    await page.keyboard.press('Control+2');

    await page.waitForURL(/\/app\/prod/);
    await expect.poll(() => field(page, 'Connection').inputValue()).toBe('');
    expect(await field(page, 'Action').inputValue()).toBe('');
    expect(await sheet(page).getByRole('radio', { name: 'Dry run' }).isChecked()).toBe(true);
    const sent: string[] = [];
    page.on('request', (request) => request.url().includes('/playground/runs') && sent.push(request.url()));
    await sheet(page).getByRole('button', { name: 'Run', exact: true }).click();
    await sheet(page).getByText('Choose a connection to run with.').waitFor();
    expect(sent.filter((url) => !url.includes('history'))).toEqual([]);

    // Back in dev its own draft is there.
    await page.keyboard.press('Control+1');
    await page.waitForURL(/\/app\/dev/);
    await expect.poll(() => json(page).inputValue()).toBe('{"name": "of dev"}');
    expect(await sheet(page).getByRole('radio', { name: 'Live' }).isChecked()).toBe(true);
    expect(complaints).toEqual([]);
  });
});

describe('the input of the playground', () => {
  it('stays with its integration: connections of that one come first, and another one is a question', async () => {
    const { page } = await browser.open('/dev/playground?integration=practice&type=action&function=greet');
    await json(page).fill('{"name": "Ada"}');
    await field(page, 'Connection').click();
    await page.getByRole('option', { name: /harrow-elsewhere/ }).waitFor();
    expect(await page.getByRole('option').first().textContent()).toMatch(/^me,/);

    await page.keyboard.type('harrow');
    await page.getByRole('option', { name: /^me,/ }).waitFor({ state: 'detached' });
    await page.getByRole('option', { name: /harrow-elsewhere/ }).click();
    const question = page.getByRole('dialog', { name: 'Leave greet?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await json(page).inputValue()).toBe('{"name": "Ada"}');
    expect(await field(page, 'Action').inputValue()).toBe('greet');

    // What was left is there again with its function.
    await field(page, 'Connection').click();
    await page.keyboard.type('harrow');
    await page.getByRole('option', { name: /harrow-elsewhere/ }).click();
    await question.getByRole('button', { name: 'Change the integration' }).click();
    await question.waitFor({ state: 'detached' });
    await field(page, 'Connection').click();
    await page.getByRole('option', { name: /^me,/ }).click();
    await field(page, 'Action').click();
    await page.getByRole('option', { name: 'greet' }).click();
    await expect.poll(() => json(page).inputValue()).toBe('{"name": "Ada"}');
  });

  it('is kept for each function of the integration', async () => {
    const { page } = await browser.open('/dev/playground?integration=practice&type=action&function=greet');
    await json(page).fill('{"name": "Ada"}');
    for (const name of ['part', 'greet']) {
      await field(page, 'Action').click();
      await page.getByRole('option', { name }).click();
      if (name === 'part') await expect.poll(() => json(page).inputValue()).toBe('');
    }
    await expect.poll(() => json(page).inputValue()).toBe('{"name": "Ada"}');
  });

  it('stays in the page when the browser stores nothing, or less than it is long', async () => {
    const { page, complaints } = await browser.open('/dev/playground?integration=practice&type=action&function=greet');
    await json(page).waitFor();
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('The quota is exceeded.', 'QuotaExceededError');
      };
    });
    await json(page).fill('{"name": "Ada"}');
    await page.getByRole('textbox', { name: 'name', exact: true }).waitFor();
    expect(await json(page).inputValue()).toBe('{"name": "Ada"}');
    expect(complaints).toEqual([]);
  });
});
