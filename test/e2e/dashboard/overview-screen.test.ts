// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { importPracticeConnection, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';
import { goByKeys } from './screen-keys.ts';

let browser: HubBrowser;

const attention = (page: Page) => page.getByRole('region', { name: 'Needs attention' });
const running = (page: Page) => page.getByRole('region', { name: 'Running now' });

/** Each sync saves a model of its own: two of one integration cannot share one. */
const saveSync = (name: string, body: string): Promise<void> => {
  const model = `${name.charAt(0).toUpperCase()}${name.slice(1).replace(/-.*/, '')}`;
  const source = syncSource(body).replaceAll('Item', model).replace('every day', 'every hour');
  return saveFunction(browser.hub.workspace, `practice/syncs/${name}.ts`, source);
};

async function trigger(name: string): Promise<void> {
  const order = { provider_config_key: 'practice', connection_id: 'me', syncs: [name] };
  await waitFor(() => browser.api('POST', '/sync/start', order), { what: `the sync ${name}` });
  await browser.api('POST', '/sync/trigger', { ...order, sync_mode: 'incremental' });
}

describe('the overview of an empty hub', () => {
  beforeAll(async () => {
    browser = await HubBrowser.start();
  });
  afterAll(() => browser?.stop());

  it('says what to do while there is nothing, and begins from there', async () => {
    const { page, complaints } = await browser.open('/dev');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const list = page.getByRole('region', { name: 'Getting started' });
    await list.getByText('0 of 4 done').waitFor();
    await list.getByRole('button', { name: 'Hide the checklist' }).click();
    await page.getByRole('heading', { name: 'Nothing is connected yet' }).waitFor();
    await attention(page).getByText('Nothing needs your attention.').last().waitFor();
    await page.getByText('No sync is scheduled.').waitFor();
    await page.getByText('No call went through the proxy').waitFor();

    await page.getByRole('link', { name: 'New integration' }).click();
    await page.getByRole('heading', { level: 1, name: 'Choose a provider' }).waitFor();
    await page.locator('main').focus();
    await goByKeys(page, 'o');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the overview of a hub with one sync', () => {
  beforeAll(async () => {
    browser = await HubBrowser.start();
    await importPracticeConnection(browser.hub);
  });
  afterAll(() => browser?.stop());

  it('shows a failing sync as it fails, runs it again, and removes it once it succeeds', {
    tags: ['main-path'],
  }, async () => {
    await saveSync('broken-items', `throw new Error('The list is empty');`);
    const { page, complaints } = await browser.open('/dev');
    await running(page).getByText('Nothing is running.').waitFor();

    await trigger('broken-items');
    const line = attention(page).getByRole('listitem').filter({ hasText: 'Sync broken-items failed' });
    await line.getByText(/The list is empty/).waitFor();
    await page.getByRole('region', { name: 'Failures by kind' }).getByText('1', { exact: true }).first().waitFor();
    await page.getByRole('region', { name: 'Next 24 hours' }).getByRole('link', { name: 'broken-items' }).waitFor();

    await saveSync('broken-items', `await nango.batchSave([{ id: '1', text: 'one' }], 'Item');`);
    await waitFor(
      async () => {
        await line
          .getByRole('button', { name: /^Run again: broken-items/ })
          .click({ timeout: 2000 })
          .catch(() => {});
        await page.waitForTimeout(500);
        return (await line.count()) === 0;
      },
      { what: 'the line to go' },
    );
    await attention(page).getByText('Nothing needs your attention.').last().waitFor();
    const durations = page.getByRole('region', { name: 'Run durations', exact: true });
    await durations.getByRole('link', { name: 'broken-items' }).waitFor();
    const chart = (name: string) => page.getByRole('region', { name, exact: true });
    await chart('Record changes')
      .locator('strong')
      .getByText(/^[1-9]/)
      .waitFor();
    await chart('Database size')
      .locator('strong')
      .getByText(/[kM]B$/)
      .waitFor();
    expect(complaints).toEqual([]);
  });
});

/** One hub for all of them: each looks only at what it made itself. */
describe('the overview', () => {
  beforeAll(async () => {
    browser = await HubBrowser.start();
    await importPracticeConnection(browser.hub);
  });
  afterAll(() => browser?.stop());

  it('shows runs in progress with their saved records, and cancels one', async () => {
    await saveSync(
      'slow-items',
      `await nango.batchSave([{ id: '1', text: 'one' }], 'Item');
       await nango.get({ endpoint: '/v1/issues', headers: { 'x-practice-delay-ms': '60000' } });`,
    );
    const { page } = await browser.open('/dev');
    await running(page).getByText('Nothing is running.').waitFor();
    await trigger('slow-items');

    const run = running(page).getByRole('listitem').filter({ hasText: 'slow-items' });
    await run.getByText(/0:\d\d/).waitFor();
    // The name of the integration, as in the lines beside it; its key is for code.
    await run.getByText('Practice tracker, me').waitFor();
    await run.getByText('1 record', { exact: true }).waitFor();
    const ends = await running(page).evaluate((card) =>
      ['header > span:last-child', 'li > span:last-child'].map((part) =>
        Math.round(card.querySelector(part)?.getBoundingClientRect().right ?? 0),
      ),
    );
    expect(ends[0]).toBe(ends[1]);
    await run.getByRole('button', { name: 'Cancel slow-items' }).press('Enter');

    await running(page).getByText('Nothing is running.').waitFor();
  });

  it('shows a compile error with its line in the list, the sidebar, the overview and on the page of the function, until it is fixed', async () => {
    await saveSync('mended-items', '');
    const { page } = await browser.open('/dev/functions');
    const row = page.getByRole('row').filter({ hasText: 'mended-items' });
    await row.getByText('OK', { exact: true }).waitFor();
    const badge = page.getByRole('navigation', { name: 'Screens' }).getByText('1 function does not compile');

    await saveSync('mended-items', 'const = 1;');
    await row.getByText(/^Does not compile/).waitFor();
    await badge.waitFor();
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Overview' }).click();
    await attention(page).getByRole('link', { name: 'Open code of mended-items' }).click();
    await page.getByRole('heading', { level: 1, name: 'mended-items' }).waitFor();
    await page.goBack();
    await attention(page).getByRole('link', { name: 'mended-items does not compile' }).click();
    await page
      .getByRole('button', { name: /^Go to line/ })
      .first()
      .waitFor();

    await saveSync('mended-items', '');
    await page
      .getByRole('button', { name: /^Go to line/ })
      .first()
      .waitFor({ state: 'detached' });
    await badge.waitFor({ state: 'detached' });
  });

  it('counts calls as they happen, reads them out bar by bar, and opens one in the log', async () => {
    const { page } = await browser.open('/dev');
    const chart = page.getByRole('region', { name: 'API calls by status' });
    await chart.getByText('No call went through the proxy').waitFor();
    const headers = { authorization: `Bearer ${browser.hub.secretKey}`, 'provider-config-key': 'practice' };
    for (const path of ['/v1/issues', '/v1/nothing-here']) {
      const response = await fetch(`${browser.hub.url}/proxy${path}`, {
        headers: { ...headers, 'connection-id': 'me' },
      });
      await response.text();
    }
    await chart.getByText('2', { exact: true }).first().waitFor();

    const bars = chart.getByRole('slider');
    await bars.focus();
    await page.keyboard.press('End');
    await expect.poll(() => bars.getAttribute('aria-valuetext')).toMatch(/: 1 2xx, 1 4xx$/);
    await chart.getByRole('button', { name: /^Show as a table/ }).click();
    await chart.getByRole('columnheader', { name: '4xx' }).waitFor();
    expect(await chart.getByRole('row').last().getByRole('cell').allTextContents()).toEqual(['1', '1', '0']);
    await chart.getByRole('button', { name: 'Copy API calls by status as CSV' }).click();
    expect(await browser.copied(page, /^Time/)).toContain('Time,2xx,4xx,5xx');

    await chart.getByRole('button', { name: 'API calls by: status' }).click();
    await page.getByRole('menuitem', { name: 'By provider' }).click();
    const byProvider = page.getByRole('region', { name: 'API calls by provider' });
    await byProvider.getByRole('columnheader', { name: 'practice' }).waitFor();
    await byProvider.getByRole('button', { name: 'API calls by: provider' }).click();
    await page.getByRole('menuitem', { name: 'By status' }).click();

    await chart.getByRole('button', { name: /^Show as a chart/ }).click();
    await bars.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
    expect(new URL(page.url()).searchParams.get('types')).toBe('proxy');
    await page.getByRole('row').filter({ hasText: '/v1/nothing-here' }).waitFor();
  });

  it('keeps the reason of a failure in sight beside a name of 250 characters, in the quick panel too', {
    tags: ['nightly'],
  }, async () => {
    const connectionId = 'n'.repeat(250);
    const credentials = { type: 'API_KEY', apiKey: PRACTICE_KEY };
    await browser.api('POST', '/connections', {
      provider_config_key: 'practice',
      connection_id: connectionId,
      credentials,
    });
    await saveSync('long-items', `throw new Error('Out of stock');`);
    const order = { provider_config_key: 'practice', connection_id: connectionId, syncs: ['long-items'] };
    await waitFor(() => browser.api('POST', '/sync/start', order), { what: 'the sync long-items' });
    await browser.api('POST', '/sync/trigger', { ...order, sync_mode: 'incremental' });
    const { page } = await browser.open('/dev');
    for (const [path, part] of [
      ['/dev', 'Needs attention'],
      ['/quick-panel', 'Failed'],
    ] as const) {
      if (path !== '/dev') {
        await page.setViewportSize({ width: 380, height: 520 });
        await page.goto(`${browser.hub.url}/app${path}`);
      }
      const name = page.getByRole('region', { name: part }).getByText(connectionId, { exact: true });
      await name.waitFor();
      const room = await name.evaluate((one) => {
        const line = one.parentElement?.getBoundingClientRect();
        return (line?.right ?? 0) - one.getBoundingClientRect().right;
      });
      expect(room, part).toBeGreaterThan(80);
    }
  });

  it('says of each part that cannot be read which part it is, and reads it when asked to', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await browser.open('/dev');
    await page.getByRole('region', { name: 'Next 24 hours' }).waitFor();
    const error = { code: 'server_error', message: 'The disk does not answer.' };
    await page.route(/api\/v1\/(overview|logs\/operations)/, (route) =>
      route.fulfill({ status: 500, json: { error } }),
    );
    await page.goto(`${browser.hub.url}/app/dev`);
    for (const name of ['Needs attention', 'Running now', 'Charts', 'Next 24 hours']) {
      const part = page.getByRole('region', { name });
      await part.getByRole('heading', { level: 2, name }).waitFor();
      await part.getByText('The disk does not answer.').waitFor();
    }
    await page.unrouteAll();
    await page.getByRole('region', { name: 'Charts' }).getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByRole('region', { name: 'Runs by result' }).waitFor();
  });

  it('writes the numbers beside its charts in full', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev');
    const sizes = page.getByRole('region', { name: 'Database size' });
    await sizes
      .getByText(/^\d+(\.\d)? [kM]B$/)
      .first()
      .waitFor();
    const cut = (): Promise<string[]> =>
      page
        .locator('main svg text')
        .evaluateAll((all) =>
          (all as SVGTextElement[]).flatMap((one) => (one.getBBox().x < 0 ? [one.textContent ?? ''] : [])),
        );
    await expect.poll(() => sizes.locator('svg text').count()).toBeGreaterThan(1);
    expect(await cut()).toEqual([]);
    expect(await sizes.locator('svg text').allTextContents()).toContainEqual(expect.stringMatching(/^\d+ [kM]B$/));
  });

  it('keeps the period in the address, and fits 420 pixels', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev', { width: 420 });
    await page.getByRole('button', { name: 'Period: Last 24 hours' }).click();
    await page.getByRole('menuitem', { name: 'Last 7 days' }).click();

    await page.getByRole('button', { name: 'Period: Last 7 days' }).waitFor();
    expect(new URL(page.url()).searchParams.get('period')).toBe('7d');
    await expectToFitWindow(page);
  });

  it('has its failures in the quick panel, too, which runs them again or pauses them', async () => {
    await saveSync('odd-items', `throw new Error('The list is odd');`);
    await trigger('odd-items');
    const { page, complaints } = await browser.open('/quick-panel', { width: 380, height: 520 });
    const failed = page.getByRole('region', { name: 'Failed' });
    await failed.getByText(/The list is odd/).waitFor();
    await expectToFitWindow(page);

    // It counts as the overview does, functions that do not compile included.
    const count = async (): Promise<number> =>
      Number.parseInt((await page.getByRole('heading', { level: 1 }).textContent()) ?? '', 10);
    await expect.poll(count).toBeGreaterThan(0);
    const before = await count();
    await saveSync('bent-items', 'const = 1;');
    await expect.poll(count).toBe(before + 1);
    await saveSync('bent-items', '');
    await expect.poll(count).toBe(before);

    await page.getByRole('button', { name: 'Lock the vault' }).press('Enter');
    await page.getByText(', vault locked').waitFor();
    await page.getByRole('button', { name: 'Unlock the vault' }).press('Enter');
    await page.getByText(', vault locked').waitFor({ state: 'detached' });

    await saveSync('odd-items', `await nango.batchSave([{ id: '1', text: 'one' }], 'Item');`);
    // Until the saved file is live, a run fails once more.
    await waitFor(
      async () => {
        if ((await failed.getByText('odd-items').count()) === 0) return true;
        await failed.getByRole('button', { name: 'Run again: odd-items' }).click({ timeout: 2000 });
        return false;
      },
      { what: 'the failure to go' },
    );
    await page.getByRole('button', { name: 'Copy API address' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
