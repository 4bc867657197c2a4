// @module-tag slow
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
});
afterAll(() => browser?.stop());

const MAX_TABS = 60;
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const steps = (page: Page) => page.getByRole('navigation', { name: 'Steps' });

const focused = (where: Page | FrameLocator): Promise<string> => {
  const read = (): string => {
    const active = document.activeElement;
    return (active?.getAttribute('aria-label') ?? active?.textContent ?? '').trim();
  };
  return 'evaluate' in where ? where.evaluate(read) : where.locator('body').evaluate(read);
};

/** Presses Tab until a control with this name has the focus; keys go to the page in front. */
async function tabTo(page: Page, name: RegExp, where: Page | FrameLocator = page): Promise<void> {
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    if (name.test(await focused(where))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}.`);
}

async function pressOn(page: Page, name: RegExp): Promise<void> {
  // Nothing can be reached before the step is rendered.
  await page.getByRole('heading', { level: 1 }).waitFor();
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** Authorizes on the connect page and at the provider. */
async function signIn({ page, connect }: { page: Page; connect: FrameLocator }): Promise<void> {
  await connect.getByRole('button', { name: /^Connect / }).waitFor();
  const opens = page.context().waitForEvent('page');
  await tabTo(page, /^Connect /, connect);
  await page.keyboard.press('Enter');
  const provider = await opens;
  const closes = provider.waitForEvent('close');
  await provider.getByRole('button', { name: 'Allow' }).waitFor();
  await tabTo(provider, /^Allow/);
  await provider.keyboard.press('Enter');
  await closes;
}

describe('the first run', () => {
  it('leads by keyboard alone from an empty hub to a connection, a call and a sync, without requests to other hosts', {
    tags: ['main-path'],
  }, async () => {
    const { page, connect, complaints } = await browser.open('/');
    const hosts = new Set<string>();
    page.context().on('request', (request) => hosts.add(new URL(request.url()).hostname));
    await page.waitForURL('**/app/welcome');
    await heading(page, 'Welcome to Homeport').waitFor();
    await page.getByText('The master key').waitFor();
    await pressOn(page, /^Continue/);

    await heading(page, 'How do you want to start?').waitFor();
    await expect.poll(() => focused(page)).toBe('How do you want to start?');
    await page.getByRole('radiogroup', { name: 'How do you want to start?' }).waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => page.getByRole('radio', { name: 'Try the practice provider' }).isChecked()).toBe(true);
    await page.keyboard.press('Enter');

    await heading(page, 'Connect an account').waitFor();
    await pressOn(page, /^Sign in to the practice provider/);
    await signIn({ page, connect });
    await heading(page, 'Your first connection').waitFor();
    await page
      .getByRole('list', { name: 'Life of its token' })
      .getByText(/^Expires in/)
      .waitFor();
    // An unused token is not refreshed.
    await page.getByText(/^On use, in .+ or later$/).waitFor();
    await expect.poll(() => focused(page)).toBe('Continue');
    await page.keyboard.press('Enter');

    await heading(page, 'Make the first call').waitFor();
    await pressOn(page, /^Run$/);
    const response = page.getByRole('region', { name: 'Response' });
    await response.getByText('HTTP 200').waitFor();
    await response.getByText('issues').first().waitFor();
    const code = page.getByRole('region', { name: 'curl code' });
    expect(await code.textContent()).toContain(`${browser.hub.url}/proxy/v1/issues?limit=2`);
    expect(await page.content()).not.toContain(browser.hub.secretKey);
    await pressOn(page, /^Show it with the key/);
    await code.getByText(browser.hub.secretKey).waitFor();
    await pressOn(page, /^Hide the key/);
    await expect.poll(() => page.content()).not.toContain(browser.hub.secretKey);
    await pressOn(page, /^Continue/);

    await heading(page, 'Run the first sync').waitFor();
    await page.getByText('practice-oauth2/syncs/fetch-issues.ts').waitFor();
    await pressOn(page, /^Deploy and run it/);
    await page.getByRole('region', { name: 'Run' }).getByText('Success').waitFor();
    await page.getByRole('region', { name: 'Records' }).getByText('250 records').waitFor();
    await page.getByRole('table', { name: 'Records of Issue' }).getByRole('row').nth(2).waitFor();
    await pressOn(page, /^Continue/);

    await heading(page, 'Homeport works').waitFor();
    await pressOn(page, /^Open the overview/);
    await heading(page, 'Overview').waitFor();
    expect(await page.getByRole('region', { name: 'Getting started' }).count()).toBe(0);
    expect([...hosts].filter((host) => host !== '127.0.0.1' && host !== 'localhost')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('resumes where the window was closed, keeps what was skipped on the checklist, and is reopened from Help', async () => {
    await importPracticeConnection(browser.hub);
    const { page } = await browser.open('/dev/getting-started');
    await pressOn(page, /^Continue/);
    await heading(page, 'How do you want to start?').waitFor();
    await pressOn(page, /^Continue/);
    await heading(page, 'Connect an account').waitFor();

    // The window is closed and opened again.
    await page.goto(`${browser.hub.url}/app/`);
    await heading(page, 'Connect an account').waitFor();
    await pressOn(page, /^Skip this step/);
    await heading(page, 'Make the first call').waitFor();
    await page.getByText('This step works with a connection').waitFor();
    await pressOn(page, /^Leave$/);

    const list = page.getByRole('region', { name: 'Getting started' });
    await list.getByText('1 of 4 done').waitFor();
    await page.goto(`${browser.hub.url}/app/`);
    await heading(page, 'Overview').waitFor();
    await list.getByRole('link', { name: 'Make a call' }).click();
    await heading(page, 'Make the first call').waitFor();
    await steps(page).getByRole('button', { name: 'Connect' }).press('Enter');
    await page.getByRole('button', { name: /^Use / }).first().press('Enter');
    await heading(page, 'Your first connection').waitFor();

    await page.getByRole('link', { name: 'Leave' }).press('Enter');
    await list.getByRole('button', { name: 'Hide the checklist' }).press('Enter');
    await list.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Help' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Getting started' }).press('Enter');
    await heading(page, 'Your first connection').waitFor();
  });

  it('takes a file that is dropped on it to the import page', async () => {
    const { page } = await browser.open('/dev/getting-started?step=choose');
    await heading(page, 'How do you want to start?').waitFor();
    await page.getByText('Drop an export, a list of connections').waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['connection_id,api_key\nacme,practice-1\n'], 'people.csv', { type: 'text/csv' }));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await heading(page, 'Import').waitFor();
    await page.getByText('people.csv').first().waitFor();
    await page.getByText('1 row', { exact: true }).waitFor();
  });

  it('says in its step what failed, keeps it there, and tries again', async () => {
    const { page } = await browser.open('/dev/getting-started?step=connect');
    await page.route('**/api/v1/practice/sign-in*', (route) => route.abort());
    await pressOn(page, /^Sign in to the practice provider/);
    const problem = page.locator('main').getByRole('alert');
    await problem.waitFor();

    await steps(page).getByRole('button', { name: 'Finish' }).press('Enter');
    await heading(page, 'What comes next').waitFor();
    await expect.poll(() => problem.count()).toBe(0);
    await steps(page).getByRole('button', { name: 'Connect' }).press('Enter');
    await problem.waitFor();
    await page.unroute('**/api/v1/practice/sign-in*');
    await problem.getByRole('button', { name: 'Try again' }).press('Enter');

    await page.locator('#connect-ui').waitFor();
  });

  it('sets up a provider of the person’s choice, and continues where it was', async () => {
    const { page } = await browser.open('/dev/getting-started?step=choose');
    await page.getByRole('radio', { name: 'Connect a real provider' }).press('Space');
    await pressOn(page, /^Continue/);
    const search = page.getByRole('textbox', { name: 'Provider' });
    await search.fill('a name of no provider');
    await page.getByRole('link', { name: 'Define your own' }).waitFor();
    await search.fill('anthropic');
    await page.getByRole('region', { name: 'Providers' }).getByText('API key').waitFor();
    await page.getByRole('link', { name: 'Set up Anthropic' }).press('Enter');
    await heading(page, 'New Anthropic integration').waitFor();
    await page.getByRole('button', { name: 'Create integration' }).press('Enter');
    await heading(page, 'Connect an account').waitFor();
    await page.getByRole('button', { name: 'Connect to Anthropic' }).waitFor();
  });

  it('sets up another provider after a practice run, also from the list of its steps', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await browser.open('/dev/getting-started?step=choose');
    await page.evaluate(() => {
      const connection = { integrationKey: 'practice', connectionId: 'me' };
      const done = ['connect', 'call'];
      localStorage.setItem(
        'homeport.firstRun.dev',
        JSON.stringify({ step: 'choose', way: 'practice', connection, connectedBy: 'practice', done, isOpen: true }),
      );
    });
    await page.reload();
    await page.getByRole('radio', { name: 'Connect a real provider' }).press('Space');
    await page.getByRole('radio', { name: 'Try the practice provider' }).press('Space');
    await pressOn(page, /^Continue/);
    await heading(page, 'Your first connection').waitFor();
    await steps(page).getByRole('button', { name: 'Choose' }).press('Enter');
    await page.getByRole('radio', { name: 'Connect a real provider' }).press('Space');
    await steps(page).getByRole('button', { name: 'Connect' }).press('Enter');

    await heading(page, 'Connect an account').waitFor();
    await page.getByRole('textbox', { name: 'Provider' }).waitFor();
  });

  it('fits 420 pixels, every step of it', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/getting-started?step=welcome', { width: 420 });
    for (const step of ['welcome', 'choose', 'connect', 'call', 'sync', 'finish']) {
      await page.goto(`${browser.hub.url}/app/dev/getting-started?step=${step}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectToFitWindow(page, step);
    }
  });
});
