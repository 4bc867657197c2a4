// @module-tag slow
import { describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

describe('creating an integration', () => {
  it("shows the provider's steps with the callback address, and takes the client from a pasted file", async () => {
    const { page, fixture, complaints } = await browser.open('/app/dev/integrations/create/calendly');
    const steps = page.getByRole('region', { name: 'Steps at the provider' });
    await steps.getByText('http://localhost:3003/oauth/callback').waitFor();
    // What to allow in the app, and a check at the end.
    await steps.getByRole('button', { name: 'Copy scopes' }).waitFor();
    await steps.getByRole('button', { name: 'Test the address' }).click();
    await expect.poll(() => steps.getByRole('status').textContent()).not.toBe('');

    await page.getByLabel('Client ID', { exact: true }).focus();
    expect(await page.getByText('Needed to connect.').count()).toBe(2);
    expect(await page.getByText('Client secret (optional)').count()).toBe(0);
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData('text', '{"web": {"client_id": "from-file", "client_secret": "kept"}}');
      document.activeElement?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    });
    await expect.poll(() => page.getByLabel('Client ID', { exact: true }).inputValue()).toBe('from-file');
    await page
      .getByLabel(/^Scopes/)
      .first()
      .focus();
    await page.keyboard.type('tweets,users ');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Create integration' }).click();

    await page.waitForURL('**/integrations/calendly-2/settings');
    expect(fixture.state.integrations.at(-1)?.config).toMatchObject({
      client_id: 'from-file',
      scopes: 'read,tweets,users',
    });
    expect(complaints).toEqual([]);
  });

  it('shows the addresses to register at the provider, the webhook address with the ID as it is typed', async () => {
    const { page, fixture } = await browser.open('/app/dev/integrations/create/calendly');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByLabel('Integration ID').fill('team_calendly');
    await page.getByText(/\/webhook\/[^/]+\/team_calendly$/).waitFor();
    await page.getByRole('button', { name: 'Copy webhook address' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/team_calendly$/);
    await page.getByRole('link', { name: 'Set a public URL' }).waitFor();
    expect(await page.getByText('Setup address to register').count()).toBe(0);

    const calendly = fixture.state.providers.find(({ name }) => name === 'calendly');
    if (!calendly) throw new Error('The fixture has no Calendly.');
    calendly.authMode = 'APP';
    await page.goto(`${fixture.url}/app/dev/integrations/create/calendly`);
    await page.getByText('http://localhost:3003/app-auth/connect').waitFor();
  });

  it('asks before typed values are lost', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/integrations/create/calendly');
    await page.getByLabel('Display name').focus();
    await page.keyboard.type(' of mine');

    await page.getByRole('link', { name: /^Connections/ }).click();

    await page.getByText('Changes to New integration are not saved.').waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.waitForURL('**/connections');
  });
});

describe('the settings of an integration', () => {
  it('test every connection, name those that are refused first, and lead to their log', async () => {
    const { page, fixture, complaints } = await browser.open('/app/dev/integrations/hubspot/settings');
    const all = fixture.state.connections.filter(({ detail }) => detail.integrationKey === 'hubspot');
    for (const { detail } of all.slice(6, 8)) detail.status = 'auth_error';
    const atOnce: number[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/connections/test')) atOnce.push(request.postDataJSON().targets.length);
    });
    await page.getByRole('button', { name: 'Test connections' }).click();

    await page.getByText(`${all.length - 2} work, 2 are refused.`).waitFor();
    expect([Math.max(...atOnce), atOnce.reduce((sum, some) => sum + some)]).toEqual([5, all.length]);
    const list = page.getByRole('list', { name: 'Tested connections' });
    await list.getByRole('listitem').first().getByText('status 401').waitFor();
    await list
      .getByRole('link', { name: /^Log of/ })
      .first()
      .click();
    await page.waitForURL('**/settings?over=op-*');
    expect(complaints).toEqual([]);
  });

  it('stop the test of connections after those that are asked', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/integrations/hubspot/settings');
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v1/connections/test*', async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest('**/api/v1/connections/test*');
    await page.getByRole('button', { name: 'Test connections' }).click();
    await asked;
    await page.getByRole('button', { name: 'Stop' }).click();
    release();

    await page.getByText(/Stopped: \d+ connections? not tested\./).waitFor();
    await expect
      .poll(() => page.getByRole('list', { name: 'Tested connections' }).getByRole('listitem').count())
      .toBe(5);
  });

  it('say what another client or other scopes do to connections', async () => {
    const { page, fixture } = await browser.open('/app/dev/integrations/hubspot/settings');
    const scopes = page.getByLabel(/^Scopes/).first();
    await scopes.focus();
    await page.keyboard.type('crm.objects.owners.read,');
    await page.getByText('signed in with other scopes.').waitFor();
    await page.getByLabel('Client ID', { exact: true }).focus();
    await page.keyboard.press('End');
    await page.keyboard.type('9');
    await page.getByText('signed in with the present client.').waitFor();

    await page.getByRole('tab', { name: /Functions/ }).click();
    await page.getByText('Changes to Settings are not saved.').waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
    const saving = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save settings' }).click();

    // The name that is shown may be the provider's, so it is sent only when it was changed.
    expect(Object.keys((await saving).postDataJSON())).toEqual(['config']);
    await expect
      .poll(() => fixture.state.integrations.find(({ key }) => key === 'hubspot')?.config['scopes'])
      .toBe('crm.objects.contacts.read,crm.objects.deals.read,crm.objects.owners.read');
    await page.getByRole('tab', { name: /Functions/ }).click();
    await page.waitForURL('**/functions');
  });

  it('show the saved values: a secret is no longer in the form, and Discard restores them', async () => {
    const { page, fixture } = await browser.open('/app/dev/integrations/hubspot/settings');
    const name = page.getByRole('textbox', { name: 'Display name' });
    const secret = page.getByLabel('Client secret', { exact: true });
    await name.focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' North');
    await secret.focus();
    await page.keyboard.type('canary-new-secret');
    await page.keyboard.press('Control+s');
    await page.getByText('Settings saved').waitFor();
    await expect.poll(() => secret.inputValue()).toBe('');

    await name.focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' and South');
    await page.getByRole('button', { name: 'Discard' }).click();

    await expect.poll(() => name.inputValue()).toBe('HubSpot North');
    expect(fixture.state.integrations.find(({ key }) => key === 'hubspot')?.displayName).toBe('HubSpot North');
    expect(await page.getByRole('button', { name: 'Save settings' }).isDisabled()).toBe(true);
  });

  it('list the saved changes, and undo one unless a newer one would be lost', async () => {
    const { page, fixture, complaints } = await browser.open('/app/dev/integrations/hubspot/settings');
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('Nothing was changed in the last 30 days.').waitFor();
    const name = page.getByRole('textbox', { name: 'Display name' });
    const before = await name.inputValue();
    await name.focus();
    await page.keyboard.press('End');
    await page.keyboard.type(' of the north');
    await page.getByLabel('Client secret', { exact: true }).focus();
    await page.keyboard.type('canary-new-secret');
    await page.getByRole('button', { name: 'Save settings' }).click();

    await history.getByText('Client secret changed').waitFor();
    const undo = history.getByRole('button', { name: 'Undo Display name, Client secret' });
    await expect.poll(() => undo.isEnabled()).toBe(true);
    expect(await history.textContent()).not.toContain('canary');
    await name.focus();
    await page.keyboard.type('!');
    await history.getByText('Save or discard what you typed').waitFor();
    expect(await undo.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Discard' }).click();

    await undo.focus();
    await page.keyboard.press('Enter');

    await history.getByText('Changed again since: Display name, Client secret.').waitFor();
    await expect.poll(() => name.inputValue()).toBe(before);
    expect(fixture.state.integrations.find(({ key }) => key === 'hubspot')?.displayName).toBe(before);
    expect(await page.getByRole('button', { name: 'Save settings' }).isDisabled()).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('History');
    expect(complaints).toEqual([]);
  });

  it('ask before webhooks are no longer passed on', { tags: ['nightly'] }, async () => {
    const { page, fixture } = await browser.open('/app/dev/integrations/hubspot/settings');
    await page.getByRole('switch', { name: 'Forward webhooks of the provider to my app' }).click();
    await page.getByRole('button', { name: 'Stop forwarding' }).click();
    await page.getByRole('button', { name: 'Save settings' }).click();

    await expect
      .poll(() => fixture.state.integrations.find(({ key }) => key === 'hubspot')?.forwardWebhooks)
      .toBe(false);
  });

  it('keep the ID while there are connections, and change it otherwise', { tags: ['nightly'] }, async () => {
    const { page, fixture } = await browser.open('/app/dev/integrations/hubspot/settings');
    expect(await page.getByLabel('Integration ID').getAttribute('readonly')).not.toBeNull();
    for (const one of fixture.state.integrations) one.connectionCount = 0;
    await page.reload();

    await page.getByLabel('Integration ID').click();
    await page.keyboard.press('End');
    await page.keyboard.type('-eu');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/integrations/hubspot-eu/settings');
  });

  it('delete it after naming the environment and the ID', async () => {
    const { page } = await browser.open('/app/prod/integrations/quickbooks/settings');
    await page.getByRole('button', { name: 'Delete integration' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('prod').waitFor();
    await dialog.getByRole('textbox').focus();
    await page.keyboard.type('quickbooks');
    await dialog.getByRole('button', { name: 'Delete integration' }).click();
    await page.waitForURL('**/app/prod/integrations');
  });
});

describe('an integration', () => {
  it('says on every tab what is missing before a connection can be made', async () => {
    const { page } = await browser.open('/app/dev/integrations/quickbooks');
    await page.getByText('No connection can be made yet.').waitFor();
    await page.getByRole('link', { name: 'Open settings' }).click();
    await page.getByText('Save the missing fields first.').waitFor();
  });

  it('fits a narrow window, and says where a tab does not exist', { tags: ['nightly'] }, async () => {
    for (const tab of ['functions', 'connections', 'settings']) {
      const { page } = await browser.open(`/app/dev/integrations/hubspot/${tab}`, { width: 420 });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectToFitWindow(page);
    }
    const { page } = await browser.open('/app/dev/integrations/hubspot/usage');
    await page.getByText('An integration has no tab “usage”').waitFor();
  });
});
