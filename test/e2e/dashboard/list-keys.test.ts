// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runningOperation } from '../../support/running-operation.ts';
import { browserOfFile } from './dashboard-browser.ts';
import { goByKeys } from './screen-keys.ts';

const browser = browserOfFile();

async function activeText(page: Page, name: string): Promise<string> {
  const id = await page.getByRole('grid', { name }).getAttribute('aria-activedescendant');
  return (await page.locator(`[id="${id}"]`).textContent()) ?? '';
}

const focused = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('role') ?? document.activeElement?.tagName ?? null);

describe('the keys of a list', () => {
  it('work right after the screen was opened, without a way to the list first', async () => {
    const { page } = await browser.open('/app/dev/functions');
    await page.getByRole('grid', { name: 'Functions' }).waitFor();
    await goByKeys(page, 'c');
    await page.getByText('Cobalt Cycles').waitFor();

    await page.keyboard.press('j');

    await expect.poll(() => activeText(page, 'Connections')).toContain('Cobalt Cycles');
    expect(await focused(page)).toBe('grid');
    await page.keyboard.press('j');
    await expect.poll(() => activeText(page, 'Connections')).toContain('Juniper Freight');
  });

  it('work again after the search was left and after the help was closed, both with Escape', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    const grid = page.getByRole('grid', { name: 'Connections' }).and(page.locator(':focus'));
    await page.locator('[role=row][aria-rowindex="2"]').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await grid.waitFor();

    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await grid.waitFor();
  });

  it('stay alive after a click, move the panel on and give the focus back when it closes', async () => {
    const { page } = await browser.open('/app/dev/logs');
    await page.locator('[role=row][aria-rowindex="4"]').click();
    const panel = page.getByRole('complementary', { name: /^Operation/ });
    await panel.waitFor();
    const first = page.url();

    await page.keyboard.press('j');
    await expect.poll(() => page.url()).not.toBe(first);
    await panel.getByRole('button', { name: 'Next row' }).click();
    await page.keyboard.press('k');
    // The pressed button is still there: the panel shows the next row without a remount.
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Next row');
    await panel.getByRole('button', { name: 'Close', exact: true }).click();
    await panel.waitFor({ state: 'detached' });

    await expect.poll(() => focused(page)).toBe('grid');
    await page.keyboard.press('Enter');
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  });

  it('stay with a row that others push down', { tags: ['nightly'] }, async () => {
    const { page, fixture } = await browser.open('/app/dev/logs');
    await page.getByRole('grid', { name: 'Operations' }).waitFor();
    await page.locator('[role=row][aria-rowindex="4"]').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    // By its time and duration: the letters around them change once logos and names of integrations are there.
    const shown = async () => /\d[\d:.]+/.exec(await activeText(page, 'Operations'))?.[0];
    const before = await shown();
    const open = await page.locator('[role=row][data-active] a').getAttribute('href');
    for (const id of ['live-1', 'live-2', 'live-3']) fixture.emit('operation', runningOperation(id));
    await page.getByText('live-3').waitFor();

    await expect.poll(shown).toBe(before);
    await page.keyboard.press('Enter');

    await expect.poll(() => new URL(page.url()).search).toBe(new URL(open ?? '', page.url()).search);
  });

  it('are off in an editor', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/webhooks');
    await page.locator('[role=row][aria-rowindex="2"]').click();
    const panel = page.getByRole('complementary', { name: /^Webhook/ });
    await panel.getByRole('button', { name: /Edit and replay/ }).click();
    const editor = page.getByRole('dialog').locator('.cm-content');
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"a":[1,2]} g i /');

    expect(await editor.textContent()).toContain('{"a":[1,2]} g i /');
    expect(page.url()).toContain('/webhooks');
  });

  it('are listed by ? and can be switched off', async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();

    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Next row').waitFor();
    await help.getByText('New connection').waitFor();
    await help.getByText('Integrations').waitFor();
    await help.getByRole('switch', { name: /Shortcuts without/ }).click();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.keyboard.press('ArrowDown');

    await expect.poll(() => activeText(page, 'Connections')).toContain('Cobalt Cycles');
    expect(page.url()).toMatch(/connections$/);
  });

  it('are commands of the palette too', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();

    await page.keyboard.press('Control+k');
    await page.keyboard.type('keyboard');
    // No wait: text that is typed before the palette is loaded belongs to it.
    await page.keyboard.press('Enter');

    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });

  it('filter by the cell they are on', async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();

    await page.keyboard.press('j');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('f');

    await page.waitForURL('**/connections?integrations=hubspot');
  });

  it('go to another environment and keep the screen', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/functions');
    await page.getByRole('grid', { name: 'Functions' }).waitFor();

    await page.keyboard.press('Control+2');

    await page.waitForURL('**/app/prod/functions');
  });
});

describe('a row', () => {
  it('is a link: with Ctrl or the middle button it opens beside this page', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    const name = page.getByText('Cobalt Cycles');
    await name.waitFor();
    expect(await page.getByRole('link', { name: /Cobalt Cycles/ }).getAttribute('href')).toMatch(
      /^\/app\/dev\/connections\/hubspot\//,
    );

    const [beside] = await Promise.all([
      page.context().waitForEvent('page'),
      page.locator('[role=row][aria-rowindex="2"]').click({ modifiers: ['Control'], position: { x: 700, y: 10 } }),
    ]);
    await beside.waitForURL('**/connections/hubspot/**');
    const [middle] = await Promise.all([
      page.context().waitForEvent('page'),
      page.locator('[role=row][aria-rowindex="2"]').click({ button: 'middle', position: { x: 300, y: 10 } }),
    ]);
    await middle.waitForURL('**/connections/hubspot/**');
    expect(page.url()).toMatch(/connections$/);
  });

  it('is where the person left it when they come back', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await page.keyboard.press('End');
    await page.locator('[role=row][aria-rowindex="215"]').getByText('@').waitFor();
    for (const _ of [1, 2, 3]) await page.keyboard.press('k');
    const row = await activeText(page, 'Connections');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForURL('**/connections/*/**');

    await page.goBack();

    await page.locator('[role=row][aria-rowindex="213"]').getByText('@').waitFor();
    await expect.poll(() => activeText(page, 'Connections')).toBe(row);
    expect(await focused(page)).toBe('grid');
  });

  it('starts at its top when its address is opened again, and keeps its position after a reload', async () => {
    const { page, fixture } = await browser.open('/app/dev/connections');
    const last = page.locator('[role=row][aria-rowindex="215"]').getByText('@');
    await page.getByText('Cobalt Cycles').waitFor();
    await page.keyboard.press('End');
    await last.waitFor();
    await page.reload();
    await last.waitFor();

    await page.goto(`${fixture.url}/app/dev/connections?search=`);
    await page.getByText('Cobalt Cycles').waitFor();
    await page.goBack();
    await last.waitFor();
  });
});
