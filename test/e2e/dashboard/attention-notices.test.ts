// @module-tag slow
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Meta } from '../../../server/environments/dashboard-environment.contract.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { actionSource, removeFunction, saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser, type HubPage } from './hub-browser.ts';

/** A folder for screenshots of each notice; without it none are taken. */
const PICTURES = process.env['HOMEPORT_TEST_PICTURES'];
const SCHEMES = PICTURES ? (['light', 'dark'] as const) : (['light'] as const);
const VIEWS = [1280, 420].flatMap((width) => SCHEMES.map((scheme) => ({ width, scheme })));
/** Together with the shipped ones, more than half may be missing. */
const NAMES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const MOST = NAMES.slice(0, -1);
const FUNCTIONS = '/dev/functions';
const OWN = {
  provider: 'github',
  unique_key: 'own',
  credentials: { type: 'OAUTH2', client_id: 'id', client_secret: 'secret' },
};

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await browser.api('POST', '/integrations', OWN);
  await browser.api('POST', '/connections', {
    provider_config_key: 'own',
    connection_id: 'c',
    credentials: { type: 'OAUTH2', access_token: 'token', no_expiration: true },
  });
  for (const name of NAMES) await save(name);
  await waitFor(async () => (await liveNames()).length === NAMES.length, { what: 'the functions' });
});
afterAll(() => browser?.stop());

const save = (name: string): Promise<void> =>
  saveFunction(browser.hub.workspace, `own/actions/${name}.ts`, actionSource('return 1;'));
const remove = (name: string): Promise<void> => removeFunction(browser.hub.workspace, `own/actions/${name}.ts`);

async function liveNames(): Promise<string[]> {
  const [config] = await browser.api<Array<{ actions: Array<{ name: string; enabled: boolean }> }>>(
    'GET',
    '/scripts/config',
  );
  return (config?.actions ?? []).filter(({ enabled }) => enabled).map(({ name }) => name);
}

/**
 * Opens the page and prepares it, then asserts `inspect` in each size (and theme, for screenshots); nothing may lie
 * outside of the page, which is left 1280 wide.
 */
async function look(
  name: string,
  path: string,
  prepare: (opened: HubPage) => Promise<unknown>,
  inspect?: (page: Page) => Promise<void>,
): Promise<HubPage> {
  const opened = await browser.open(path, VIEWS[0]);
  await prepare(opened);
  for (const { width, scheme } of VIEWS) {
    await opened.page.setViewportSize({ width, height: 800 });
    await opened.page.emulateMedia({ colorScheme: scheme });
    await expectToFitWindow(opened.page, `${name} at ${width}`);
    await inspect?.(opened.page);
    if (PICTURES) {
      await mkdir(PICTURES, { recursive: true });
      await opened.page.screenshot({ path: join(PICTURES, `${name}-${width}-${scheme}.png`) });
    }
  }
  await opened.page.setViewportSize({ width: 1280, height: 800 });
  expect(opened.complaints).toEqual([]);
  return opened;
}

describe('the notice of a change that waits for approval', () => {
  const banner = (page: Page) => page.getByText('Your workspace changed the entry of github.');

  it('shows what would change, and applies it', async () => {
    await writeFile(
      join(browser.hub.workspace, 'providers.yaml'),
      'github:\n  proxy: { base_url: "https://api.github.internal-enterprise-installation.example.com/api/v3" }\n  authorization_url: https://github.internal.example.com/login/oauth/authorize\n',
    );
    const review = async ({ page }: HubPage): Promise<void> => {
      await banner(page).waitFor();
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('dialog').getByText('proxy.base_url').waitFor();
    };
    await look('approval', '/dev/integrations/own', ({ page }) => banner(page).waitFor());
    const opened = await look('approval-review', '/dev/integrations/own', review);
    await opened.page.getByRole('button', { name: 'Apply change' }).click();
    await banner(opened.page).waitFor({ state: 'detached' });
    await opened.page.getByText('Changed by your workspace').waitFor();
    expect(await opened.page.getByRole('dialog').count()).toBe(0);
  });
});

describe('the notice of missing files', () => {
  it('is above the list of functions, and disappears when the file is back', { tags: ['nightly'] }, async () => {
    await remove('one');
    const notice = (page: Page) => page.getByText('1 function without a file.');
    const { page } = await look('missing-one', FUNCTIONS, (opened) => notice(opened.page).waitFor());

    await save('one');

    await notice(page).waitFor({ state: 'detached' });
  });

  it('stands on every screen when more than half are missing, and switches them off when asked to', async () => {
    for (const name of MOST) await remove(name);
    const notice = (page: Page) => page.getByText('The files of 7 functions are missing.');
    const { page } = await look('missing-most', '/dev/connections', (opened) => notice(opened.page).waitFor());
    expect(await liveNames()).toHaveLength(NAMES.length);

    await page.getByRole('button', { name: 'Disable them' }).click();

    await notice(page).waitFor({ state: 'detached' });
    expect(await liveNames()).toEqual(['eight']);
  });

  it('removes them permanently after it named them', async () => {
    const ask = async ({ page }: HubPage): Promise<void> => {
      await page.getByRole('button', { name: 'Remove for good…' }).click();
      await page.getByRole('dialog').getByText('own/actions/two.ts').waitFor();
    };
    const opened = await look('missing-remove', FUNCTIONS, ask);

    await opened.page.getByRole('button', { name: 'Remove functions' }).click();

    await opened.page.getByText('7 functions without a file.').waitFor({ state: 'detached' });
    expect(await liveNames()).toEqual(['eight']);
  });

  it('reports that the whole folder is missing, until it is back', async () => {
    const { workspace } = browser.hub;
    await rename(workspace, `${workspace}-away`);
    const notice = (page: Page) => page.getByText('The functions folder is gone or empty.', { exact: true });
    const { page } = await look('missing-folder', '/dev/logs', (opened) => notice(opened.page).waitFor());

    await rename(`${workspace}-away`, workspace);

    await notice(page).waitFor({ state: 'detached' });
    expect(await liveNames()).toEqual(['eight']);
  });
});

describe('the status bar', () => {
  /** Problems that a healthy hub does not have. */
  const ail = (page: Page): Promise<unknown> =>
    page.route('**/api/v1/meta*', async (route) => {
      const response = await route.fetch();
      const meta = (await response.json()) as Meta;
      const dataProblem = 'The last backup could not be written: the disk is full. Free some space.';
      const health = { ...meta.health, vaultSource: 'file', dataProblem, unstoredTokens: 2 };
      await route.fulfill({ response, json: { ...meta, health } });
    });

  it('says what is wrong and, pointed at, what to do', async () => {
    const ailing = async ({ page }: HubPage): Promise<void> => {
      await ail(page);
      await page.reload();
    };
    await look('status-bar', '/dev/connections', ailing, async (page) => {
      const bar = page.getByRole('contentinfo');
      for (const [words, more] of [
        ['Key in a file', 'No keychain was found'],
        ['Data needs attention', 'Free some space.'],
        ['2 refreshed tokens not stored', 'Fix that before you quit'],
      ] as const) {
        const mark = bar.getByText(words);
        await mark.hover();
        await page.getByRole('tooltip').getByText(more).waitFor();
        const box = await mark.boundingBox();
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
      }
    });
  });
});

describe('the signed-in browsers', () => {
  it('fit a narrow page', { tags: ['nightly'] }, async () => {
    const tableOf = (page: Page) => page.getByRole('table', { name: 'Signed-in browsers' });
    const listed = ({ page }: HubPage) => tableOf(page).getByText('this browser').waitFor();
    await look('sessions', '/dev/environment-settings#sessions', listed, async (page) => {
      const table = tableOf(page);
      await table.scrollIntoViewIfNeeded();
      const box = await table.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
    });
  });
});
