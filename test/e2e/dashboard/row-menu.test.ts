// @module-tag slow
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text }).first();

/** On the middle of the element, whatever lies above it. */
async function rightClick(page: Page, element: Locator): Promise<void> {
  const box = await element.boundingBox();
  if (!box) throw new Error('The element is not shown.');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2, { button: 'right' });
}

async function openConnections(): Promise<Page> {
  const { page } = await browser.open('/app/dev/connections');
  await rowOf(page, 'Cobalt Cycles').waitFor();
  return page;
}

describe('the right mouse button on a row', () => {
  it('opens the row’s own menu at the pointer, with what every list offers and its keys', async () => {
    const page = await openConnections();
    const box = await rowOf(page, 'Juniper Freight').getByText('Slack', { exact: true }).boundingBox();
    const at = { x: (box?.x ?? 0) + 8, y: (box?.y ?? 0) + 8 };

    await page.mouse.click(at.x, at.y, { button: 'right' });

    const menu = page.getByRole('menu');
    await menu.waitFor();
    for (const name of ['Open in playground', 'Run syncs', /^Open ↵/, /^Copy ID C/, /^Only this Integration F/])
      await menu.getByRole('menuitem', { name }).waitFor();
    const place = await menu.boundingBox();
    expect(Math.abs((place?.x ?? 0) - at.x)).toBeLessThan(12);
    expect(Math.abs((place?.y ?? 0) - at.y)).toBeLessThan(12);

    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    // The row is the active one, and the list has the focus.
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /Juniper Freight/ }).waitFor();
  });

  it('asks before it deletes, as the menu of the row does', { tags: ['nightly'] }, async () => {
    const page = await openConnections();

    await rowOf(page, 'Juniper Freight').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete connection…' }).click();

    await page
      .getByRole('dialog')
      .getByText(/Juniper Freight/)
      .first()
      .waitFor();
  });

  it('filters by the value under it, and opens the row', async () => {
    const page = await openConnections();
    await rightClick(page, rowOf(page, 'Juniper Freight').getByText('Slack', { exact: true }));
    await page.getByRole('menuitem', { name: /^Only this Integration/ }).click();
    await page.waitForURL(/integrations=slack/);

    await rowOf(page, 'Juniper Freight').click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Open ↵/ }).click();
    await page.getByRole('heading', { level: 1, name: /Juniper Freight/ }).waitFor();
  });

  const lists = (
    [
      ['/app/dev/logs', 'fetch-invoices', 'Without this State'],
      ['/app/dev/integrations', 'HubSpot', 'Duplicate…'],
      ['/app/dev/apps', 'default', 'Show in the audit'],
      ['/app/dev/functions', 'fetch-contacts', 'Preview'],
      ['/app/dev/connections/:connection/syncs', 'fetch-deals', 'Run now'],
    ] as const
  ).map((row) => [row[0], row] as const);
  nightlyEach(lists, 3)('opens a menu in every list: %s', async ([path, text, item]) => {
    const { page } = await browser.open(path);
    const row = rowOf(page, text);
    await row.waitFor();
    await rightClick(page, path.endsWith('logs') ? row.getByText('Failed') : row);
    await page.getByRole('menu').getByRole('menuitem', { name: item }).waitFor();
  });
});

describe('the menu key', () => {
  const keys = named(['Shift+F10', 'ContextMenu']);
  nightlyEach(keys, 2)('opens the menu below the active row: %s', async (key) => {
    const page = await openConnections();
    await page.getByRole('grid', { name: 'Connections' }).focus();
    await page.keyboard.press('ArrowDown');

    await page.keyboard.press(key);

    const menu = page.getByRole('menu');
    await menu.waitFor();
    expect(await menu.count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('menuitem');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid');
  });
});

describe('Space', () => {
  it('previews the row without leaving the list, also its hidden columns, and follows the keys', async () => {
    const page = await openConnections();
    await page.getByRole('grid', { name: 'Connections' }).focus();

    await page.keyboard.press('Space');

    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('Cobalt Cycles').waitFor();
    await preview.getByText('Auth type').waitFor();
    expect(await page.getByText('1 selected').count()).toBe(0);
    await page.keyboard.press('j');
    await preview.getByText('Juniper Freight').waitFor();
    await page.keyboard.press('Escape');
    await preview.waitFor({ state: 'detached' });
    await page.keyboard.press('Space');
    await preview.waitFor();
    await page.keyboard.press('Space');
    await preview.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid');
  });

  it('shows the panel of a row that opens beside its list, and closes it', async () => {
    const { page } = await browser.open('/app/dev/logs');
    await rowOf(page, 'fetch-invoices').waitFor();
    await page.keyboard.press('j');

    await page.keyboard.press('Space');
    await page.waitForURL(/operationId=/);
    await page.getByRole('complementary').getByRole('tab', { name: 'Summary' }).waitFor();

    await page.keyboard.press('Space');
    await page.waitForURL((url) => !url.search.includes('operationId'));
  });
});

const CLIENT = {
  id: 7,
  name: 'Notes agent',
  isAgent: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  lastUsedAt: null,
};
const TOOL = {
  name: 'list-notes',
  description: 'Lists notes',
  risk: 'read',
  policy: null,
  effective: 'allow',
  decidedAt: null,
};
const answer =
  (path: string, data: unknown) =>
  (page: Page): Promise<unknown> =>
    page.route(
      ({ pathname }) => pathname.endsWith(path),
      (route) => (route.request().method() === 'GET' ? route.fulfill({ json: { data } }) : route.continue()),
    );

describe('the menu of a row offers what the detail offers', () => {
  const openMcp = (tab: string) =>
    browser.open(`/app/dev/agents#${tab}`, {
      prepare: async (page) => {
        await answer('/mcp/clients', [CLIENT])(page);
        await answer('/mcp/tools', [TOOL])(page);
      },
    });

  it('of an MCP client: Revoke, which asks first', async () => {
    const { page } = await openMcp('clients');
    await rightClick(page, rowOf(page, 'Notes agent'));

    await page.getByRole('menuitem', { name: 'Revoke key' }).click();

    await page.getByRole('dialog').getByText('Revoke the key of Notes agent?').waitFor();
  });

  it('of a tool: Try, and what it may do', { tags: ['nightly'] }, async () => {
    const { page, fixture } = await openMcp('tools');
    const [first] = fixture.state.connections;
    await page.getByRole('combobox', { name: 'Connection' }).click();
    await page.getByRole('option').first().click();
    await rightClick(page, rowOf(page, 'list-notes').getByText('Lists notes'));
    const decided = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('menuitem', { name: 'Deny' }).click();
    expect((await decided).postDataJSON()).toMatchObject({ clientId: 7, tool: 'list-notes', policy: 'deny' });

    await rightClick(page, rowOf(page, 'list-notes').getByText('Lists notes'));
    await page.getByRole('menuitem', { name: 'Try in the playground' }).click();
    await page.getByRole('form', { name: 'What to run' }).waitFor();
    expect(first).toBeDefined();
  });

  it('of a function: Playground, logs, and Disable, which asks for a sync', async () => {
    const { page } = await browser.open('/app/dev/functions');
    const sync = page.getByRole('row').filter({ hasText: 'sync' }).nth(1);
    await sync.click({ button: 'right' });
    for (const name of ['Open in playground', 'Open logs']) await page.getByRole('menuitem', { name }).waitFor();

    await page.getByRole('menuitem', { name: 'Disable' }).click();

    await page.getByRole('dialog').getByRole('button', { name: 'Disable sync' }).waitFor();
  });

  it('of a webhook: Replay', { tags: ['nightly'] }, async () => {
    for (const direction of ['incoming', 'outgoing']) {
      const { page } = await browser.open(`/app/dev/webhooks?direction=${direction}`);
      await page.getByRole('row').nth(1).click({ button: 'right' });
      const replayed = page.waitForRequest(
        (request) => request.method() === 'POST' && /replay$/.test(request.url().split('?')[0] ?? ''),
      );
      await page.getByRole('menuitem', { name: 'Replay' }).click();
      await replayed;
    }
  });

  it('of a connection on the page of its integration', async () => {
    const { page } = await browser.open('/app/dev/integrations/hubspot/connections');
    await rowOf(page, 'Cobalt Cycles').click({ button: 'right' });

    await page.getByRole('menuitem', { name: 'Delete connection…' }).waitFor();
  });
});
