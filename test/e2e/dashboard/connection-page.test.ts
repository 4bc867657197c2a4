// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile, type OpenOptions, type OpenPage } from './dashboard-browser.ts';
import { waitForFocusedField } from './focused-field.ts';

const browser = browserOfFile();

/** The first connection of the fixture, Cobalt Cycles at HubSpot. */
async function openTab(tab: string, options: OpenOptions & { env?: string } = {}): Promise<OpenPage> {
  const { env = 'dev', ...rest } = options;
  const opened = await browser.open(`/app/${env}/connections/:connection${tab}`, rest);
  await opened.page.getByRole('heading', { level: 1, name: /Cobalt Cycles/ }).waitFor();
  return opened;
}

const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');

describe('the facts beside a connection', () => {
  it('say when its token is renewed: at a use, never in the past', { tags: ['nightly'] }, async () => {
    const { page, fixture } = await openTab('/auth');
    await page.getByText(/^When it is used, in .+ or later$/).waitFor();
    const detail = fixture.state.connections[0]?.detail;
    if (detail) detail.nextRefreshAt = new Date(fixture.state.now - 120_000).toISOString();
    await page.reload();
    await page.getByText('When it is used next').waitFor();
  });

  it('say when the newest token was received, also by a sign-in, and whether the last refresh failed', {
    tags: ['nightly'],
  }, async () => {
    const { page, fixture } = await openTab('/auth');
    const facts = page.getByRole('complementary', { name: 'About this connection' });
    await facts.getByText('Token received').waitFor();
    expect(await facts.getByText('Succeeded').count()).toBe(0);

    const detail = fixture.state.connections[0]?.detail;
    if (detail?.lastRefresh) detail.lastRefresh = { ...detail.lastRefresh, succeeded: false };
    await page.reload();
    await facts.getByText('Last refresh').waitFor();
    await facts.getByText('Failed').waitFor();
  });
});

describe('the tags of a connection', () => {
  it('are edited with the keyboard, checked, saved, and give the focus back', async () => {
    const { page, fixture, complaints } = await openTab('/auth');
    await page.getByRole('button', { name: 'Edit tags' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Edit the part with the focus, or the first').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('e');
    await expect.poll(() => focusedName(page)).toBe('Tag 1, name');
    const before = await page.getByRole('textbox', { name: /^Tag \d+, name$/ }).count();
    await page.getByRole('button', { name: 'Add tag' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toBe(`Tag ${before + 1}, name`);
    await page.keyboard.type('9lives');
    await page.keyboard.press('Tab');
    await page.keyboard.type('cat');
    await page.keyboard.press('Control+Enter');
    await page.getByText('“9lives” cannot be a name').waitFor();

    await page.getByRole('textbox', { name: `Tag ${before + 1}, name` }).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('colour');
    await page.keyboard.press('Control+Enter');

    await page.getByText('colour: cat').first().waitFor();
    await expect.poll(() => focusedName(page)).toBe('Edit tags');
    expect(fixture.state.connections[0]?.detail.tags).toMatchObject({ colour: 'cat' });
    expect(complaints).toEqual([]);
  });
});

describe('a connection without tags', () => {
  it('gives the focus to the button that adds the first one', { tags: ['nightly'] }, async () => {
    const { page } = await openTab('/auth', {
      arrange: ({ connections: [first] }) => {
        if (first) first.detail.tags = {};
      },
    });

    await page.getByRole('button', { name: 'Edit tags' }).click();

    await expect.poll(() => focusedName(page)).toBe('Add tag');
  });
});

describe('the metadata of a connection', () => {
  it('says what saving would change, and asks before it is lost', async () => {
    const { page, fixture } = await openTab('/auth');
    await page.getByRole('button', { name: 'Edit metadata' }).focus();
    await page.keyboard.press('e');
    const field = page.getByRole('textbox', { name: 'Metadata as JSON' });
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"owner": "Mo"}');
    await page.getByText(/Saving adds owner/).waitFor();

    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('Changes to Metadata are not saved.').waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
    // The dialog returns the focus to the tab when it has closed.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focusedName(page)).toBe('Activity');
    await field.focus();
    await page.keyboard.press('Control+s');

    await page.getByRole('button', { name: 'Edit metadata' }).waitFor();
    expect(fixture.state.connections[0]?.detail.metadata).toEqual({ owner: 'Mo' });
    await expect.poll(() => focusedName(page)).toBe('Edit metadata');
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.waitForURL('**/activity');
    // As the log writes it.
    await page.getByRole('gridcell', { name: 'webhook:incoming', exact: true }).first().waitFor();
  });
});

describe('code that uses a connection', () => {
  it('is shown for the language that was chosen last', { tags: ['nightly'] }, async () => {
    const { page, fixture } = await openTab('/auth');
    const id = fixture.state.connections[0]?.detail.connectionId ?? '';

    await page.getByText('Python', { exact: true }).click();
    await page.getByRole('region', { name: 'Python code' }).getByText(id).waitFor();
    await page.reload();

    await page.getByRole('region', { name: 'Python code' }).getByText('/proxy/').waitFor();
    await page.getByText('Read the credentials').click();
    await page.getByRole('region', { name: 'Python code' }).getByText('provider_config_key=hubspot').waitFor();
  });
});

describe('the page of a connection', () => {
  it('opens the playground with the connection chosen, and names each fact of the user once', async () => {
    const { page } = await openTab('/auth', {
      arrange: ({ connections: [first] }) =>
        Object.assign(first?.detail.tags ?? {}, { end_user_id: 'u-1', plan: 'pro' }),
    });
    const side = page.getByRole('complementary', { name: 'About this connection' });
    await page.getByText('plan: pro').waitFor();
    expect(await side.getByText('Tags').count()).toBe(0);
    await page.getByRole('tab', { name: /^Syncs/ }).click();
    await side.getByText('plan: pro').waitFor();
    expect(await side.getByText('end_user_id').count()).toBe(0);

    await page.getByRole('button', { name: 'Playground', exact: true }).click();

    const sheet = page.getByRole('complementary', { name: 'Playground' });
    await expect
      .poll(() => sheet.getByRole('combobox', { name: 'Connection' }).inputValue())
      .toContain('Cobalt Cycles');
  });

  it('shows all columns of its syncs beside the facts, in the window as it opens', async () => {
    const { page } = await openTab('/syncs');
    const grid = page.getByRole('grid', { name: 'Syncs' });
    await grid.getByText('fetch-contacts').waitFor();

    await expect.poll(() => grid.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });

  it('keeps the menu and whole numbers in a narrower window: what does not fit beside them is left out', {
    tags: ['nightly'],
  }, async () => {
    for (const width of [900, 1100]) {
      const { page } = await openTab('/syncs', { width });
      const grid = page.getByRole('grid', { name: 'Syncs' });
      const menu = grid.getByRole('button', { name: 'Actions of fetch-contacts' });
      await menu.waitFor();
      await expect.poll(() => grid.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      const box = await menu.boundingBox();
      expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThan(width);
    }
  });

  it('says that a start whose time has passed is due, in a text that fits its column, and when it was planned', {
    tags: ['nightly'],
  }, async () => {
    const plannedAt = new Date(Date.now() - 10 * 60_000).toISOString();
    const { page } = await openTab('/syncs', {
      arrange: ({ syncs: [late] }) => {
        if (late) late.nextRunAt = plannedAt;
      },
    });
    const time = page.locator(`time[datetime="${plannedAt}"]`);

    expect(await time.textContent()).toBe('due now');
    const cell = page.getByRole('gridcell').filter({ has: time });
    const [inner, outer] = await Promise.all([time.boundingBox(), cell.boundingBox()]);
    expect(inner?.x).toBeGreaterThanOrEqual(outer?.x ?? Number.POSITIVE_INFINITY);
    await time.hover();
    await page.getByRole('tooltip').waitFor();

    await page.getByRole('row', { name: /fetch-contacts/ }).click();
    await page.getByRole('complementary').getByText('Runs every hour, next due now.').waitFor();
  });
});

describe('a sync of a connection', () => {
  it('opens beside the list with its failure, its checkpoint and its schedule', async () => {
    const { page, fixture, complaints } = await openTab('/syncs');
    await page.getByRole('row').filter({ hasText: 'HubSpot answered 403' }).click();
    const panel = page.getByRole('complementary', { name: 'Sync fetch-deals' });
    await panel.getByText('3 failed runs in a row.').waitFor();
    expect(page.url()).toContain('sync=fetch-deals');

    await panel.getByRole('button', { name: 'Edit checkpoint' }).click();
    await waitForFocusedField(page);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('[1');
    await page.keyboard.press('Control+Enter');
    await panel.getByText('Enter a JSON object of texts').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('{"after": "x"');
    await page.keyboard.type('}');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => fixture.state.syncs[2]?.checkpoint).toEqual({ after: 'x' });
    // Its button gets the focus back.
    await panel.getByRole('button', { name: 'Edit checkpoint' }).waitFor();

    await panel.getByRole('button', { name: 'Reset' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Reset checkpoint' }).press('Enter');
    await panel.getByText('None. The next run begins from the start.').waitFor();
    await expect.poll(() => focusedName(page)).toBe('Edit checkpoint');

    await panel.getByRole('button', { name: 'Change frequency' }).click();
    await waitForFocusedField(page);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('every 5 minutes');
    await panel.getByText(/^Next runs: \d+:\d\d:\d\d, /).waitFor();
    await page.keyboard.press('Enter');
    await panel.getByText('This connection has a frequency of its own.').waitFor();
    expect(fixture.state.syncs[2]?.frequency).toBe('every 5 minutes');

    // What a run stores meanwhile does not make an untouched draft unsaved input.
    await panel.getByRole('button', { name: 'Edit checkpoint' }).click();
    Object.assign(fixture.state.syncs[2] ?? {}, { checkpoint: { after: 'y' } });
    const { integrationKey, connectionId } = fixture.state.connections[0]?.detail ?? {
      integrationKey: '',
      connectionId: '',
    };
    const isRead = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/v1/sync');
    fixture.emit('sync', { integrationKey, connectionId, sync: 'fetch-deals', variant: 'base' });
    await isRead;
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.waitForURL(/\/activity$/);
    expect(complaints).toEqual([]);
  });

  it('is stepped through and closed by keys, and the focus goes back to the list', async () => {
    const { page } = await openTab('/syncs');
    await page.getByRole('row', { name: /fetch-contacts/ }).waitFor();
    await page.getByRole('grid', { name: 'Syncs' }).focus();
    await page.keyboard.press('Enter');
    await page
      .getByRole('complementary', { name: 'Sync fetch-contacts' })
      .getByText(/12,474 records/)
      .waitFor();

    await page.getByRole('button', { name: 'Next row' }).focus();
    await page.keyboard.press('j');
    await page.getByRole('complementary', { name: 'Sync fetch-companies' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Escape');

    await page.getByRole('complementary', { name: 'About this connection' }).waitFor();
    await expect.poll(() => focusedName(page)).toBe('Syncs');
  });

  it('without a schedule is called stopped, and there is nothing to resume', { tags: ['nightly'] }, async () => {
    const { page, fixture } = await openTab('/auth');
    const sync = fixture.state.syncs.find(({ name }) => name === 'fetch-companies');
    Object.assign(sync ?? {}, { status: 'STOPPED', scheduleStatus: 'STOPPED', nextRunAt: null });
    await page.getByRole('tab', { name: 'Syncs' }).click();
    const row = page.getByRole('row').filter({ hasText: 'fetch-companies' });
    await row
      .getByRole('gridcell')
      .filter({ hasText: /^Stopped$/ })
      .waitFor();

    await row.getByRole('button', { name: 'Actions of fetch-companies' }).click();
    await page.getByRole('menuitem', { name: 'Run now' }).waitFor();
    expect(await page.getByRole('menuitem', { name: /schedule/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await row.click();

    const panel = page.getByRole('complementary', { name: 'Sync fetch-companies' });
    await panel.getByText(/^Stopped: it has no schedule/).waitFor();
    expect(await panel.getByRole('button', { name: /schedule/ }).count()).toBe(0);
  });

  it('that was cancelled or paused after failures is not called failing, and cancelled runs are no failures', {
    tags: ['nightly'],
  }, async () => {
    const { page, fixture } = await openTab('/syncs?sync=fetch-deals');
    const panel = page.getByRole('complementary', { name: 'Sync fetch-deals' });
    await panel.getByText('3 failed runs in a row.').waitFor();
    const sync = fixture.state.syncs[2];
    const [last, before] = [...(sync?.recentRuns ?? [])].reverse();
    if (!sync || !last || !before) throw new Error('The fixture has no failing sync.');

    before.status = 'CANCELLED';
    Object.assign(sync, { status: 'PAUSED', scheduleStatus: 'PAUSED', nextRunAt: null });
    await page.reload();
    await panel.getByText('2 failed runs in a row.').waitFor();
    const row = page.getByRole('row', { name: /fetch-deals/ });
    await row.getByText('Paused', { exact: true }).first().waitFor();
    await row.getByText('HubSpot answered 403').waitFor();

    last.status = 'CANCELLED';
    Object.assign(sync, { status: 'CANCELLED', scheduleStatus: 'STARTED' });
    await page.reload();
    await row.getByText('Cancelled', { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Run now' }).waitFor();
    expect(await panel.getByText('in a row').count()).toBe(0);
  });

  it('is run once by a double click, and not cancelled by the second half of it', { tags: ['nightly'] }, async () => {
    const { page } = await openTab('/syncs?sync=fetch-companies');
    const orders: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') orders.push((request.postDataJSON() as { command?: string } | null)?.command);
    });
    const panel = page.getByRole('complementary', { name: 'Sync fetch-companies' });
    await panel.getByRole('button', { name: /^Run (now|again)$/ }).dblclick();

    await page.getByText('fetch-companies started').waitFor();
    await page.getByRole('button', { name: 'Refresh the token' }).click();
    await page.getByText('Token refreshed').waitFor();
    expect(orders.filter((order) => order !== undefined)).toEqual(['RUN']);
  });

  it('gets a variant, which is deleted after a question', async () => {
    const { page, fixture } = await openTab('/syncs?sync=fetch-companies');
    await page.getByRole('button', { name: 'Add variant' }).click();
    await waitForFocusedField(page);
    await page.keyboard.type('north pole');
    await page.keyboard.press('Enter');
    await page.getByText('Use letters, digits, _ and -.').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('north');
    await page.keyboard.press('Enter');
    await expect.poll(() => fixture.state.syncs.some(({ variant }) => variant === 'north')).toBe(true);
    await expect.poll(() => focusedName(page)).toBe('Add variant');

    await page.getByRole('row').filter({ hasText: 'north' }).click();
    await page.getByRole('button', { name: 'Delete variant…' }).click();
    await page.getByText('The other variants of fetch-companies stay.').waitFor();
    await page.getByRole('button', { name: 'Delete variant', exact: true }).click();

    await expect.poll(() => fixture.state.syncs.some(({ variant }) => variant === 'north')).toBe(false);
  });
});

describe('the credentials of a connection', () => {
  it('are tested at the provider, which says why it refuses them or that they work', {
    tags: ['main-path'],
  }, async () => {
    const { page, fixture } = await openTab('');
    const [first] = fixture.state.connections;
    if (first) first.detail.status = 'auth_error';
    await page.getByRole('button', { name: 'Test credentials' }).click();
    await page.getByRole('alert').getByText('The provider refused the credentials (status 401)').waitFor();

    if (first) first.detail.status = 'ok';
    await page.getByRole('button', { name: 'Test credentials' }).click();
    await page.getByText('The provider accepts the credentials').waitFor();
  });
});

describe('the test of credentials', () => {
  it('is not offered where the provider has none', { tags: ['nightly'] }, async () => {
    const { page } = await openTab('', {
      arrange: ({ connections }) => {
        for (const { detail } of connections) detail.isTestable = false;
      },
    });
    await page.getByText('This provider has no test for them').waitFor();
    expect(await page.getByRole('button', { name: 'Test credentials' }).count()).toBe(0);
  });

  it('waits until the vault is unlocked', { tags: ['nightly'] }, async () => {
    const { page } = await openTab('', {
      arrange: ({ connections }) => {
        for (const { detail } of connections) detail.credentials = null;
      },
    });
    await page.getByText('The credentials are kept sealed.').waitFor();
    expect(await page.getByRole('button', { name: 'Test credentials' }).isDisabled()).toBe(true);
  });
});

describe('the settings of a connection', () => {
  it('take a name and a webhook address', async () => {
    const { page, fixture } = await openTab('/settings');
    await page.getByLabel('Webhook address (optional)').click();
    await page.keyboard.type('there');
    await page.keyboard.press('Enter');
    await page.getByText('Enter an address that starts with').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('https://app.example/hooks');
    await page.getByLabel('Name', { exact: true }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Cobalt North ');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: /Cobalt North/ }).waitFor();
    expect(fixture.state.connections[0]?.detail).toMatchObject({ webhookUrl: 'https://app.example/hooks' });
    // The form shows the saved values, and Discard restores them.
    const name = page.getByLabel('Name', { exact: true });
    await expect.poll(() => name.inputValue()).toBe('Cobalt North');
    await name.click();
    await page.keyboard.press('End');
    await page.keyboard.type('east');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => name.inputValue()).toBe('Cobalt North');
    expect(await page.getByRole('button', { name: 'Save settings' }).isDisabled()).toBe(true);
  });

  it('delete it after naming the environment and the id', async () => {
    const { page, fixture } = await openTab('/settings', { env: 'prod' });
    const id = fixture.state.connections[0]?.detail.connectionId ?? '';

    await page.getByRole('button', { name: 'Delete connection…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(id).waitFor();
    await dialog.getByText('prod').waitFor();
    await dialog.getByRole('textbox').focus();
    await page.keyboard.type('Cobalt Cycles');
    await dialog.getByRole('button', { name: 'Delete connection' }).click();

    await page.waitForURL('**/app/prod/connections');
  });
});

describe('the address of a connection', () => {
  it('opens the tab that old links name after #, and says so when there is none', { tags: ['nightly'] }, async () => {
    const { page } = await openTab('#settings');
    await page.waitForURL('**/settings');

    const other = await openTab('/nothing');
    await other.page.getByText('A connection has no tab “nothing”').waitFor();
    await other.page.getByRole('link', { name: 'Open the connection' }).click();
    await other.page.getByRole('button', { name: 'Edit tags' }).waitFor();
  });

  const tabs = named(['/syncs', '/auth', '/activity', '/settings']);
  nightlyEach(tabs, 4)('shows its facts below the tab where the window is narrow: %s', async (tab) => {
    const { page } = await openTab(tab, { width: 420 });
    await page.getByRole('complementary', { name: 'About this connection' }).getByText('Connection ID').waitFor();
    await expectToFitWindow(page);
  });
});
