// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

const SYNC = '/app/dev/connections/:connection/syncs?sync=fetch-companies';

/** A screen, how something is typed there, and what the question calls it. */
const INPUTS: Array<{ what: string; path: string; type: (page: Page) => Promise<void>; section: string }> = [
  {
    what: 'credentials to import',
    path: '/app/dev/connections/create?mode=import&integration_id=hubspot',
    type: (page) => page.getByLabel('Connection ID (optional)').fill('mine'),
    section: 'New connection',
  },
  {
    what: 'the user of a new connection',
    path: '/app/dev/connections/create?integration_id=hubspot',
    type: (page) => page.getByLabel('User name (optional)').fill('Ada'),
    section: 'New connection',
  },
  {
    what: 'the frequency of a sync',
    path: SYNC,
    type: async (page) => {
      await page.getByRole('button', { name: 'Change frequency' }).click();
      await page.getByLabel('Frequency for this connection').fill('every day');
    },
    section: 'Frequency of fetch-companies',
  },
  {
    what: 'the name of a variant',
    path: SYNC,
    type: async (page) => {
      await page.getByRole('button', { name: 'Add variant' }).click();
      await page.getByLabel('Name of the variant').fill('eu');
    },
    section: 'New variant of fetch-companies',
  },
  {
    what: 'the limit of recordings',
    path: '/app/settings/data',
    type: (page) => page.getByLabel('Most megabytes of recordings').fill('333'),
    section: 'Traffic recording',
  },
];

describe('unsaved input', () => {
  const inputs = INPUTS.map((input) => [input.what, input] as const);
  nightlyEach(inputs, 3)('of %s is not lost without a question', async ({ path, type, section }) => {
    const { page } = await browser.open(path);
    await type(page);

    // What the browser asks before it closes the window.
    const asksBeforeClosing = (): Promise<boolean> =>
      page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
    await expect.poll(asksBeforeClosing).toBe(true);
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Logs' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByText(`Changes to ${section} are not saved.`).waitFor();
    await dialog.getByRole('button', { name: 'Discard changes' }).click();

    await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
    expect(await asksBeforeClosing()).toBe(false);
  });
});

const IMPORT = '/app/dev/connections/create?mode=import&integration_id=hubspot';
const typeId = (page: Page): Promise<void> => page.getByLabel('Connection ID (optional)').fill('mine');
const typeFrequency = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Change frequency' }).click();
  await page.getByLabel('Frequency for this connection').fill('every day');
};

/** What removes a form without leaving its page, and what is shown then. */
const REMOVALS: Array<{
  what: string;
  path: string;
  type: (page: Page) => Promise<void>;
  remove: (page: Page) => Promise<void>;
  field: string;
  value: string;
}> = [
  {
    what: 'the way of connecting changes',
    path: IMPORT,
    type: typeId,
    remove: (page) => page.getByRole('tab', { name: 'Connect', exact: true }).click(),
    field: 'Connection ID (optional)',
    value: 'mine',
  },
  {
    what: 'the integration changes',
    path: IMPORT,
    type: typeId,
    remove: async (page) => {
      await page.getByRole('combobox', { name: 'Integration' }).click();
      await page.getByRole('option', { selected: false }).first().click();
    },
    field: 'Connection ID (optional)',
    value: 'mine',
  },
  {
    what: 'the panel closes',
    path: SYNC,
    type: typeFrequency,
    remove: (page) => page.getByRole('button', { name: 'Close', exact: true }).click(),
    field: 'Frequency for this connection',
    value: 'every day',
  },
  {
    what: 'the panel shows another row',
    path: SYNC,
    type: typeFrequency,
    remove: (page) => page.getByRole('button', { name: 'Next row' }).click(),
    field: 'Frequency for this connection',
    value: 'every day',
  },
];

describe('a form with unsaved input', () => {
  const removals = REMOVALS.map((removal) => [removal.what, removal] as const);
  nightlyEach(removals, 3)(
    'stays until the question is answered when %s',
    async ({ path, type, remove, field, value }) => {
      const { page } = await browser.open(path);
      await type(page);
      const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
      const typed = page.getByLabel(field);

      await remove(page);
      await dialog.getByRole('button', { name: 'Stay' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await typed.inputValue()).toBe(value);

      await remove(page);
      await dialog.getByRole('button', { name: 'Discard changes' }).click();
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(async () => ((await typed.count()) === 0 ? '' : typed.inputValue())).toBe('');
    },
  );

  it('stays when Escape closes the question', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(SYNC);
    await typeFrequency(page);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.waitFor();

    await page.keyboard.press('Escape');

    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Frequency for this connection').inputValue()).toBe('every day');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Close');
  });
});

describe('a part of the address that was typed into the address bar', () => {
  it('is taken without a complaint, with and without unsaved input', async () => {
    const { page } = await browser.open('/app/settings/data');
    await page.getByRole('heading', { name: 'Data folder' }).first().waitFor();
    const warnings: string[] = [];
    page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));

    await page.evaluate(() => {
      const changed = new Promise((resolve) => window.addEventListener('hashchange', resolve, { once: true }));
      window.location.hash = 'backups';
      return changed;
    });

    expect(warnings).toEqual([]);

    // The same while input is unsaved; the page still asks before it is left by Back.
    await page.getByLabel('Most megabytes of recordings').fill('333');
    await page.evaluate(() => {
      const changed = new Promise((resolve) => window.addEventListener('hashchange', resolve, { once: true }));
      window.location.hash = 'recordings';
      return changed;
    });
    expect(await page.getByLabel('Most megabytes of recordings').inputValue()).toBe('333');
    expect(warnings).toEqual([]);
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Logs' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
  });
});

describe('a frequency that was changed', () => {
  it('gives the focus back to the button that began it', async () => {
    const { page } = await browser.open(SYNC);
    await page.getByRole('button', { name: 'Change frequency' }).click();
    await page.getByLabel('Frequency for this connection').fill('every day');

    await page.keyboard.press('Enter');

    await page.getByText('Frequency saved').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Change frequency');
  });
});
