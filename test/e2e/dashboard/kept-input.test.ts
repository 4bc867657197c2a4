// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { nightlyEach } from '../../support/nightly-each.ts';
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

/** Of the open list of connections, when it is narrowed: a row that moves below the pointer is not chosen. */
async function chooseElsewhere(page: Page): Promise<void> {
  await page.keyboard.type('harrow');
  await page.getByRole('option', { name: /^me,/ }).waitFor({ state: 'detached' });
  await page.getByRole('option', { name: /harrow-elsewhere/ }).click();
}

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

    await chooseElsewhere(page);
    const question = page.getByRole('dialog', { name: 'Leave greet?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await json(page).inputValue()).toBe('{"name": "Ada"}');
    expect(await field(page, 'Action').inputValue()).toBe('greet');

    // What was left is there again with its function.
    await field(page, 'Connection').click();
    await chooseElsewhere(page);
    await question.getByRole('button', { name: 'Change the integration' }).click();
    await question.waitFor({ state: 'detached' });
    await field(page, 'Connection').click();
    await page.getByRole('option', { name: /^me,/ }).click();
    await field(page, 'Action').click();
    await page.getByRole('option', { name: 'greet' }).click();
    await expect.poll(() => json(page).inputValue()).toBe('{"name": "Ada"}');
  });

  it('is kept for each function of the integration', { tags: ['nightly'] }, async () => {
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

const METADATA = 'Metadata as JSON';
const CONNECTION = '/dev/connections/practice/me';

async function typeMetadata(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit metadata' }).click();
  await page.getByLabel(METADATA).fill('{"half": ');
}

const lock = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+Shift+L');
  await page.getByRole('status').filter({ hasText: 'The vault is locked.' }).waitFor();
};
const unlock = async (page: Page): Promise<void> => {
  const banner = page.getByRole('status').filter({ hasText: 'The vault is locked.' });
  await banner.getByRole('button', { name: 'Unlock' }).click();
  await banner.waitFor({ state: 'detached' });
};

describe('a lock of the vault', () => {
  it('keeps half-typed metadata, and its field in focus', async () => {
    const { page } = await browser.open(CONNECTION);
    await typeMetadata(page);

    await lock(page);
    await page.getByText('The credentials are kept sealed.').waitFor();
    await page.getByLabel(METADATA).press('End');
    await page.keyboard.type('1}');
    await unlock(page);

    await page.getByRole('button', { name: 'Show API key' }).waitFor();
    expect(await page.getByLabel(METADATA).inputValue()).toBe('{"half": 1}');
  });

  const fields: ReadonlyArray<readonly [string, readonly [path: string, label: string, text: string]]> = [
    ['a setting of the environment', ['/dev/environment-settings#telemetry', 'Endpoint', 'http://localhost:4318']],
    ['a setting of an integration', ['/dev/integrations/another/settings', 'Display name', 'Half a na']],
    ['a connection to import', ['/dev/connections/create?mode=import&integration_id=another', 'Metadata', '{"a":']],
  ];
  nightlyEach(fields, 3)('keeps %s behind the message, and shows it again', async ([path, label, text]) => {
    const { page } = await browser.open(path);
    const typed = page.getByLabel(label).first();
    await typed.fill(text);

    await lock(page);
    await unlock(page);

    await expect.poll(() => typed.isVisible()).toBe(true);
    expect(await typed.inputValue()).toBe(text);
  });

  it('takes stored values of variables off the page when nothing is typed', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/environment-settings');
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByLabel('Variable 1, name').fill('PLAIN');
    await page.getByLabel('Variable 1, value').fill('plain-value-1');
    await page.getByRole('button', { name: 'PLAIN is plain' }).click();
    await page.locator('#function-env-vars').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Variables saved').waitFor();
    const values = () =>
      page.evaluate(() => [...document.querySelectorAll('input')].map((input) => input.value).join());
    await expect.poll(values).toContain('plain-value-1');

    await lock(page);

    await expect.poll(values).not.toContain('plain-value-1');
    await unlock(page);
  });
});

describe('a session that ends', () => {
  it('keeps what was typed behind the sign-in, and shows it after it', async () => {
    const { page } = await browser.open(CONNECTION);
    await typeMetadata(page);

    await page.context().clearCookies();
    await page.getByLabel(METADATA).press('Control+Shift+L');
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    await page.getByText('What you typed and did not save is kept').waitFor();
    expect(await page.getByLabel(METADATA).isVisible()).toBe(false);

    const other = await page.context().newPage();
    await other.goto(browser.hub.loginUrl());
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel(METADATA).inputValue()).toBe('{"half": ');
    // The page works on, with its events.
    await page.getByRole('button', { name: 'Show API key' }).click();
    await page.getByText('practice-demo-key').waitFor();
    await other.close();
  });
});

/** An editor or dialog, how it is opened, and a field of it. */
const DIALOGS: Array<{
  what: string;
  path: string;
  open: (page: Page) => Promise<void>;
  field: string;
  text?: string;
}> = [
  {
    what: 'metadata',
    path: CONNECTION,
    open: (page) => page.getByRole('button', { name: 'Edit metadata' }).click(),
    field: METADATA,
  },
  {
    what: 'tags',
    path: CONNECTION,
    open: async (page) => {
      await page.getByRole('button', { name: 'Edit tags' }).click();
      await page.getByRole('button', { name: /^Add tag/ }).click();
    },
    field: 'Tag 1, name',
  },
  {
    what: 'a new key',
    path: '/dev/apps',
    open: (page) => page.getByRole('button', { name: 'New key' }).first().click(),
    field: 'Name',
  },
  {
    what: 'a new agent key',
    path: '/dev/agents',
    open: (page) => page.getByRole('button', { name: 'New agent key' }).first().click(),
    field: 'Name',
  },
  {
    what: 'a webhook destination',
    path: '/dev/environment-settings#webhooks',
    open: (page) => page.getByRole('button', { name: 'Add destination' }).click(),
    field: 'URL',
  },
  {
    what: 'a new environment',
    path: '/settings/environments',
    open: (page) => page.getByRole('button', { name: 'New environment' }).first().click(),
    field: 'Name',
  },
];

describe('Esc', () => {
  const dialogs = DIALOGS.map((dialog) => [dialog.what, dialog] as const);
  nightlyEach(dialogs, 3)('asks before it discards %s', async ({ path, open, field: label }) => {
    const { page } = await browser.open(path);
    await open(page);
    const typed = page.getByRole('textbox', { name: label, exact: true }).last();
    const question = page.getByRole('dialog', { name: 'Discard what you typed?' });

    // Nothing typed: closed at once.
    await typed.press('Escape');
    await typed.waitFor({ state: 'detached' });
    expect(await question.count()).toBe(0);

    await open(page);
    await typed.pressSequentially('half');
    await typed.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await typed.inputValue()).toContain('half');
    await typed.press('Escape');
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await typed.waitFor({ state: 'detached' });
  });
});

describe('a value that is changed elsewhere while it is edited here', () => {
  it('is not overwritten by the settings of an integration that were not touched', async () => {
    const { page } = await browser.open('/dev/integrations/third/settings');
    await page.getByLabel('Display name').fill('Third of all');
    const sent = page.waitForRequest(
      (request) => request.method() === 'PATCH' && request.url().includes('/integrations/third'),
    );

    await page.getByRole('button', { name: 'Save settings' }).click();

    expect((await sent).postDataJSON()).toEqual({ displayName: 'Third of all', config: {} });
    await page.getByText('Settings saved').waitFor();
    // The next change is compared with what is stored now.
    expect(await page.getByRole('button', { name: 'Save settings' }).isDisabled()).toBe(true);
  });

  it('is a question for metadata', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/connections/third/harrow-third');
    await page.getByRole('button', { name: 'Edit metadata' }).click();
    await page.getByLabel(METADATA).fill('{"mine": 1}');
    await browser.api('POST', '/connections/metadata', {
      connection_id: 'harrow-third',
      provider_config_key: 'third',
      metadata: { theirs: 2 },
    });

    await page.getByText('The metadata changed meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Save metadata' }).click();
    await page.getByText('Keep the newer metadata or replace it.').waitFor();
    await page.getByRole('button', { name: 'Keep newer' }).click();
    await page.getByText('theirs').waitFor();
  });
});
