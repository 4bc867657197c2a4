// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile, type OpenOptions } from './dashboard-browser.ts';
import { waitForFocusedField } from './focused-field.ts';
import { holdTimers } from './hold-timers.ts';

const browser = browserOfFile();

const queryOf = (page: Page, name: string): string => new URL(page.url()).searchParams.get(name) ?? '';
const rowCount = (page: Page) => page.getByRole('grid', { name: 'Operations' }).getAttribute('aria-rowcount');
const open = async (query = '', options: OpenOptions = {}) => {
  const opened = await browser.open(`/app/dev/logs${query}`, options);
  await opened.page.locator('[role=row][aria-rowindex="2"]').first().waitFor();
  return opened;
};
const openFailedRun = (query = '') => open(`?operationId=op-4${query}`);

describe('the query of the log', () => {
  it('completes fields and values from the keyboard and narrows the list', async () => {
    const { page } = await open();
    const box = page.getByRole('combobox', { name: /^Query/ });

    await page.keyboard.press('/');
    await page.keyboard.type('-sta');
    await page.getByRole('option', { name: /^-state:/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    expect(await box.inputValue()).toBe('-state:');
    // The caret moves after the inserted text in the next frame, and a driver types faster than that.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    await page.keyboard.type('succ');
    await page.getByRole('option', { name: 'success' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');

    await expect.poll(() => queryOf(page, 'search')).toMatch(/^-state:success ?$/);
    await expect.poll(() => page.getByRole('gridcell', { name: 'Success' }).count()).toBe(0);
    await page.getByRole('gridcell', { name: 'Failed' }).first().waitFor();
  });

  it('does not narrow the list by a field or value that is still being typed, and says when there is no such field', async () => {
    const { page, fixture } = await open();
    // The bars of the whole log come after its rows.
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/logs/histogram')),
    );
    const all = await rowCount(page);
    const asked: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (/logs\/(operations|histogram)$/.test(url.pathname)) asked.push(url.searchParams.get('search') ?? '');
    });

    await page.keyboard.press('/');
    await page.keyboard.type('xero sta');
    await expect.poll(() => queryOf(page, 'search')).toBe('xero');
    await page.keyboard.type('te:fai');
    await page.getByRole('option', { name: 'failed' }).waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => queryOf(page, 'search')).toMatch(/^xero state:failed ?$/);
    expect(
      [...new Set(asked.map((one) => one.trim()))].filter((one) => !['xero', 'xero state:failed'].includes(one)),
    ).toEqual([]);

    await page.keyboard.press('Control+a');
    await page.keyboard.type('sta');
    await expect.poll(() => rowCount(page)).toBe(all);
    // As a word it is searched for when the person says so.
    await page.keyboard.press('Enter');
    await expect.poll(() => queryOf(page, 'search')).toBe('sta');
    await page.keyboard.press('/');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('foo:bar ');
    await page.getByText('"foo" is not a field').waitFor();
    expect(fixture.state.operations.length).toBeGreaterThan(0);
  });

  it('offers the values that the server knows', { tags: ['nightly'] }, async () => {
    const { page } = await open();

    await page.keyboard.press('/');
    await page.keyboard.type('integration:');

    await expect.poll(() => page.getByRole('option').count()).toBeGreaterThan(2);
  });

  it('completes a begun value with Enter, and leaves one as it is that is complete', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await open();
    const box = page.getByRole('combobox', { name: /^Query/ });

    await page.keyboard.press('/');
    await page.keyboard.type('state:fa');
    await page.getByRole('option', { name: 'failed' }).and(page.locator('[data-combobox-selected]')).waitFor();
    expect(await page.getByText('There is no state').count()).toBe(0);
    await page.keyboard.press('Enter');
    await expect.poll(() => queryOf(page, 'search')).toMatch(/^state:failed ?$/);

    await page.keyboard.type('type:sync');
    await page.getByRole('option', { name: 'sync:init' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => queryOf(page, 'search')).toBe('state:failed type:sync');
    expect(await box.inputValue()).toBe('state:failed type:sync');
  });

  it('shows its completions below what it does not understand', { tags: ['nightly'] }, async () => {
    const { page } = await open();

    await page.keyboard.press('/');
    await page.keyboard.type('state:broken type:');
    await page.getByRole('option', { name: 'sync:init' }).waitFor();

    const problem = await page.getByText('There is no state "broken".').boundingBox();
    const list = page.getByRole('listbox', { name: 'Completions' });
    await expect
      .poll(async () => ((await list.boundingBox())?.y ?? 0) >= (problem ? problem.y + problem.height : Infinity))
      .toBe(true);
  });

  it('says what it does not understand, and Escape closes, empties, leaves', { tags: ['nightly'] }, async () => {
    const { page } = await open();
    const box = page.getByRole('combobox', { name: /^Query/ });

    await page.keyboard.press('/');
    await page.keyboard.type('state:broken');
    await page.getByText('There is no state "broken".').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => box.inputValue()).toBe('');
    // Without a match there is no list to go to.
    await page.getByRole('grid', { name: 'Operations' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');

    await page.getByRole('grid', { name: 'Operations' }).and(page.locator(':focus')).waitFor();
  });

  it('leaves out the value of the cell with x and keeps only it with f', async () => {
    const { page } = await open();
    for (const key of ['j', 'ArrowRight', 'ArrowRight', 'x']) await page.keyboard.press(key);

    await expect.poll(() => queryOf(page, 'search')).toMatch(/^-state:/);
    await page.keyboard.press('f');

    await expect.poll(() => queryOf(page, 'states')).not.toBe('');
  });
});

describe('the period of the log', () => {
  const periods = named(['yesterday', '-5,10']);
  nightlyEach(periods, 2)('says so when the address has one that it does not know: %s', async (period) => {
    const { page } = await browser.open(`/app/dev/logs?period=${period}&live=true`);

    await page.getByText('This link has a filter that the list does not know').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();

    await page.locator('[role=row][aria-rowindex="2"]').first().waitFor();
    expect(queryOf(page, 'period')).toBe('');
  });

  it('is typed in words, moves with comma and full stop, and is in the address', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Period: Last 24 hours' }).click();
    await page.getByRole('textbox', { name: 'Period' }).waitFor();
    await waitForFocusedField(page);
    await page.keyboard.type('last 30m');
    // With held timers, a picker that fades out would stay, and handle the next key of the screen.
    const endFades = await holdTimers(page, 120);
    await page.keyboard.press('Enter');

    await page.getByRole('button', { name: 'Period: Last 30 minutes' }).waitFor();
    expect(queryOf(page, 'live')).toBe('true');
    await page.keyboard.press(',');
    await expect.poll(() => queryOf(page, 'live')).toBe('false');
    await endFades();
    const [from, to] = queryOf(page, 'period').split(',').map(Number);
    expect((to ?? 0) - (from ?? 0)).toBe(30 * 60_000);
    // The address changes before the screen has rendered the moved window.
    await page.getByRole('button', { name: 'Period: Last 30 minutes' }).waitFor({ state: 'detached' });
    await page.keyboard.press('.');

    await page.getByRole('button', { name: 'Period: Last 30 minutes' }).waitFor();
    await expect.poll(() => rowCount(page).then(Number)).toBeLessThan(300);
  });

  it('explains itself when it is not understood', { tags: ['nightly'] }, async () => {
    const { page } = await open();
    await page.getByRole('button', { name: /^Period/ }).click();
    await page.getByRole('textbox', { name: 'Period' }).waitFor();
    await waitForFocusedField(page);
    await page.keyboard.type('some time');
    await page.keyboard.press('Enter');

    await page.getByText(/Enter a time like/).waitFor();
  });

  it('follows the bars: by keyboard over several of them, and back out', async () => {
    const { page } = await open();
    const bars = page.getByRole('slider', { name: /^Operations over time/ });
    await expect.poll(() => bars.getAttribute('aria-label')).not.toMatch(/, 0 in total/);

    await bars.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => bars.getAttribute('aria-valuetext')).toMatch(/^\w+ \d+, \d+:\d+ to \w+ \d+, \d+:\d+: \d/);
    await page.keyboard.press('Enter');

    await expect.poll(() => queryOf(page, 'period')).toMatch(/^\d+,\d+$/);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await expect.poll(() => queryOf(page, 'period')).not.toBe('');
  });

  it('is dragged out of the bars with the mouse, and shown as a table', async () => {
    const { page } = await open();
    const bars = page.getByRole('slider', { name: /^Operations over time/ });
    await expect.poll(() => bars.getAttribute('aria-label')).not.toMatch(/, 0 in total/);
    const box = await bars.boundingBox();
    if (!box) throw new Error('The bars are not to be seen.');
    // Waits until the bars no longer move.
    await bars.hover({ position: { x: box.width * 0.9, y: 20 } });
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.97, box.y + 20, { steps: 5 });
    // The text beside the pointer names the whole selection and adds its bars up, as the list then counts them.
    await bars.getByText(/^\w+ \d+, \d+:\d+ to \w+ \d+, \d+:\d+$/).waitFor();
    const counts = await bars.locator('em').allTextContents();
    await page.mouse.up();
    await expect.poll(() => queryOf(page, 'period')).toMatch(/^\d+,\d+$/);
    const selected = counts.reduce((total, count) => total + Number(count.replace(/\D/g, '')), 0);
    await expect.poll(() => rowCount(page).then(Number)).toBe(selected + 1);

    await page.getByRole('button', { name: /^Show as a table/ }).click();

    await page.getByRole('columnheader', { name: 'Failed' }).waitFor();
  });
});

describe('the panel of an operation', () => {
  it('scrolls to its tabs and their rows where the window is low, as at a zoom of 200 %', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await openFailedRun('&tab=messages');
    const panel = page.getByRole('complementary', { name: /^Operation/ });
    await page.setViewportSize({ width: 640, height: 400 });

    await expect.poll(() => panel.getByRole('tabpanel').evaluate((part) => part.clientHeight)).toBeGreaterThan(200);
    await panel.getByRole('row', { name: /Gave up after 3 attempts/ }).click();

    await panel.getByRole('button', { name: 'Close' }).last().click();
    await panel.getByRole('tab', { name: 'Raw' }).click();
    await expect.poll(() => queryOf(page, 'tab')).toBe('raw');
  });

  it('leads with the failure and its line, then the steps with their waits', { tags: ['main-path'] }, async () => {
    const { page } = await openFailedRun();
    const panel = page.getByRole('complementary', { name: /^Operation/ });

    await panel.getByText('Xero refused page 3 of invoices', { exact: false }).first().waitFor();
    await panel.getByRole('link', { name: 'fetch-invoices.ts:3' }).waitFor();
    await panel.getByRole('region', { name: 'Source of the failure' }).waitFor();
    const steps = panel.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
    await expect.poll(() => steps.count()).toBe(8);
    expect(await steps.filter({ hasText: 'Retry-After' }).count()).toBe(2);
    expect(await steps.filter({ hasText: '200 records of Invoice' }).count()).toBe(1);
  });

  it('searches messages and marks the words', async () => {
    const { page } = await openFailedRun('&tab=messages');
    const panel = page.getByRole('complementary', { name: /^Operation/ });
    await panel.getByRole('textbox', { name: 'Search messages' }).click();
    await page.keyboard.type('page=3');

    await expect.poll(() => panel.locator('mark').first().textContent()).toBe('page=3');
    await expect.poll(() => panel.getByRole('grid', { name: 'Messages' }).getAttribute('aria-rowcount')).toBe('4');
  });

  it('shows requests with a command to copy and the way to the playground', async () => {
    const { page } = await openFailedRun('&tab=requests');
    const panel = page.getByRole('complementary', { name: /^Operation/ });
    await panel.getByRole('grid', { name: 'Requests' }).locator('[role=row][aria-rowindex="2"]').click();

    await panel.getByRole('button', { name: 'Copy as curl' }).waitFor();
    await panel.getByRole('button', { name: 'Replay in playground' }).click();

    const playground = page.getByRole('complementary', { name: 'Playground' });
    await expect.poll(() => playground.getByRole('textbox', { name: /path/i }).inputValue()).toBe('/Invoices?page=1');
  });

  const tabs: ReadonlyArray<readonly [string, readonly [tab: string, list: string, detail: string, button: string]]> = [
    ['requests', ['requests', 'Requests', 'Request', 'Copy as curl']],
    ['messages', ['messages', 'Messages', 'Message', 'Close message']],
  ];
  nightlyEach(tabs, 2)('closes with Escape first the detail of the list of %s, then itself', async (row) => {
    const [tab, list, detail, button] = row;
    const { page } = await openFailedRun(`&tab=${tab}`);
    const panel = page.getByRole('complementary', { name: /^Operation/ });
    await panel.getByRole('grid', { name: list }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const region = panel.getByRole('region', { name: detail, exact: true });
    await region.getByRole('button', { name: button }).focus();

    await page.keyboard.press('Escape');

    await region.waitFor({ state: 'detached' });
    await panel.getByRole('grid', { name: list }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  });

  it('counts the records that changed, and runs a sync again', async () => {
    const { page, fixture } = await openFailedRun('&tab=records');
    const panel = page.getByRole('complementary', { name: /^Operation/ });
    await panel.getByRole('row', { name: /Invoice 14 3 0 183/ }).waitFor();

    await panel.getByRole('button', { name: 'Run again' }).press('Enter');

    // The panel follows to the new run, whatever the filters of the list leave out.
    await page.getByText('Started; this is the new run').waitFor();
    await page.getByRole('complementary', { name: 'Operation op-3' }).waitFor();
    expect(queryOf(page, 'operationId')).toBe('op-3');
    expect(fixture.state.playground.at(0)?.request).toMatchObject({ kind: 'sync', name: 'fetch-invoices' });
  });
});

describe('a row of the log', () => {
  it('shows how long a running operation has been running', { tags: ['nightly'] }, async () => {
    const { page } = await open('?states=running');
    const cell = page.locator('[role=row][aria-rowindex="2"]').getByRole('gridcell', { name: /^\d+:\d\d$/ });
    await cell.waitFor();
    const before = await cell.textContent();

    await expect.poll(() => cell.textContent()).not.toBe(before);
  });

  it('shows a logo also when the log names only an integration, and an icon when it names none', {
    tags: ['nightly'],
  }, async () => {
    let letter = '';
    const { page } = await open('', {
      arrange: ({ operations }) => {
        const [command, deployment] = operations.filter(({ syncConfigName }) => syncConfigName !== null);
        if (!command || !deployment) throw new Error('The fixture has no two functions.');
        letter = command.integrationName?.charAt(0).toUpperCase() ?? '';
        Object.assign(command, { operation: { type: 'sync', action: 'request_run' }, providerName: null });
        const nothing = { providerName: null, integrationName: null, syncConfigName: null, message: 'Many files' };
        Object.assign(deployment, { ...nothing, operation: { type: 'deploy', action: 'custom' } });
      },
    });

    const timeOf = (type: string) =>
      page
        .getByRole('row')
        .filter({ hasText: type })
        .getByRole('gridcell')
        .filter({ has: page.locator('time') });
    await expect.poll(() => timeOf('sync:request_run').first().textContent()).toMatch(new RegExp(`^${letter}\\d`));
    expect(await timeOf('deploy:custom').first().locator('svg').count()).toBe(1);
  });
});
