// @module-tag slow
import { describe, expect, it } from 'vitest';
import { nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile } from './dashboard-browser.ts';
import { screenAddress } from './dashboard-screens.ts';

const browser = browserOfFile();

const HEALTH = {
  vault: 'unlocked' as const,
  vaultSource: 'file' as const,
  autoLockMinutes: null,
  running: 12,
  queued: 345,
  tunnelUrl: null,
  dataProblem: null,
  unstoredTokens: 0,
  pausedSchedules: null,
};

describe('the status bar of a window 320 wide', () => {
  it('takes one line while work runs, and while the vault is locked', async () => {
    const { page, fixture } = await browser.open('/app/dev/connections', { width: 320 });
    const bar = page.locator('footer').filter({ has: page.getByRole('button', { name: /^Copy http/ }) });
    const height = async (): Promise<number> => (await bar.boundingBox())?.height ?? 0;
    await bar.waitFor();

    fixture.emit('health', { ...HEALTH, vaultSource: 'keychain' });
    await bar.getByText('Queue 345').waitFor();
    expect(await height()).toBeLessThan(30);

    fixture.emit('health', HEALTH);
    await bar.getByText('Key in a file').waitFor();
    expect(await height()).toBeLessThan(30);

    fixture.emit('health', { ...HEALTH, vault: 'locked', vaultSource: 'keychain' });
    await bar.getByText('Vault locked: unlock').waitFor();
    expect(await height()).toBeLessThan(30);
  });
});

describe('a phone', () => {
  it('wraps a long text below a heading, so that the button beside it can be reached', async () => {
    const { page } = await browser.open('/app/dev/connections/:connection', {
      width: 390,
      arrange: ({ connections: [first] }) => {
        if (first) first.detail.email = `${'donaudampfschifffahrt'.repeat(4)}@example.test`;
      },
    });

    const button = page.getByRole('button', { name: 'Copy e-mail' });
    await button.waitFor();

    const { x = 0, width = 0 } = (await button.boundingBox()) ?? {};
    expect(x + width).toBeLessThanOrEqual(390);
  });

  const lists = (
    [
      ['connections', 'Cobalt Cycles', 'Sync failing'],
      ['integrations', 'QuickBooks', 'Needs client ID'],
      ['functions', 'fetch-files', 'Type error, line 14'],
    ] as const
  ).map((row) => [row[0], row] as const);
  nightlyEach(lists, 3)('shows the names and states of the %s whole, without scrolling to the side', async (shown) => {
    const [list, name, state] = shown;
    const { page } = await browser.open(`/app/dev/${list}`, { width: 420 });
    const row = page.getByRole('row').filter({ hasText: name }).filter({ hasText: state }).first();
    await row.waitFor();

    const [first, second] = [row.getByText(name, { exact: true }), row.getByText(state, { exact: true })];
    for (const text of [first, second])
      expect(await text.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
    // The menu of the row lies over what is further to the right.
    const menu = row.locator('[data-end]');
    const edge = (await menu.count()) > 0 ? ((await menu.boundingBox())?.x ?? 0) : 420;
    const { x = 0, width = 0 } = (await second.boundingBox()) ?? {};
    expect(x + width).toBeLessThanOrEqual(edge);
  });

  it('leads from a page back to its list', async () => {
    const { page } = await browser.open('/app/dev/connections/:connection', { width: 420 });

    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Connections' }).click();

    await page.waitForURL('**/dev/connections');
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link').count()).toBe(0);
  });

  it('shows the buttons of the checklist whole', { tags: ['nightly'] }, async () => {
    const { page, fixture } = await browser.open('/app/dev/getting-started?step=choose', { width: 320 });
    await page.getByRole('heading', { level: 1, name: 'How do you want to start?' }).waitFor();
    await page.goto(screenAddress(fixture, '/app/dev'));

    const label = page.getByRole('region', { name: 'Getting started' }).getByText('Continue', { exact: true });
    await label.waitFor();

    expect(await label.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });
});
