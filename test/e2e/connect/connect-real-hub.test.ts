// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRACTICE_CLIENT } from '../../../server/practice/authorization/practice-client.ts';
import { ApiCaller } from '../../contract/http/api-caller.ts';
import { nightlyEach } from '../../support/nightly-each.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ConnectBrowser, type EmbeddedPage } from './connect-browser.ts';

const WIDE = { width: 1000, height: 820 };

let browser: ConnectBrowser;
let api: ApiCaller;
beforeAll(async () => {
  browser = await ConnectBrowser.start();
  api = new ApiCaller(browser.hub);
  const client = { client_id: PRACTICE_CLIENT.id, client_secret: PRACTICE_CLIENT.secret };
  for (const [provider, credentials] of [
    ['practice', undefined],
    ['practice-client-credentials', undefined],
    ['practice-oauth1', { type: 'OAUTH1', ...client }],
    ['practice-oauth2', { type: 'OAUTH2', ...client }],
  ] as const) {
    const body = { provider, unique_key: provider, ...(credentials ? { credentials } : {}) };
    expect((await api.send('POST /integrations', { body })).status).toBe(200);
  }
});
afterAll(() => browser?.stop());

async function open(key: string, apiURL: string): Promise<EmbeddedPage> {
  return browser.openEmbedded(await browser.session([key]), WIDE, { apiURL });
}

async function connected(embedded: EmbeddedPage): Promise<string> {
  const event = await waitFor(async () => (await embedded.events()).find(({ type }) => type === 'connect'), {
    what: 'the connect event',
  });
  return String(event.payload?.['connectionId']);
}

const stored = async (key: string, id: string) =>
  (await api.send(`GET /connections/${id}?provider_config_key=${key}`)).body as {
    credentials: Record<string, unknown>;
    end_user: { id: string };
  };

describe('the page and the hub together', () => {
  const providers = [
    ['OAuth 2', 'practice-oauth2'],
    ['OAuth 1', 'practice-oauth1'],
  ] as const;
  nightlyEach(providers, 2)('connect by the page of the provider: %s', async (key) => {
    for (const apiURL of [browser.hub.url, browser.pageOrigin]) {
      const embedded = await open(key, apiURL);
      const [popup] = await Promise.all([
        embedded.page.waitForEvent('popup'),
        embedded.ui.getByRole('button', { name: /^Connect / }).click(),
      ]);
      await popup.getByRole('button', { name: 'Allow' }).click();
      await embedded.ui.getByRole('heading', { name: /is connected/ }).waitFor();
      await waitFor(() => popup.isClosed(), { what: 'the pop-up to close' });

      const connection = await stored(key, await connected(embedded));
      expect(connection.end_user.id).toBe('user-1');
      expect(Object.keys(connection.credentials)).toContain(key === 'practice-oauth2' ? 'access_token' : 'oauth_token');
      expect(embedded.complaints).toEqual([]);
    }
  });

  it('tell of a refusal at the provider', async () => {
    const embedded = await open('practice-oauth2', browser.hub.url);
    const [popup] = await Promise.all([
      embedded.page.waitForEvent('popup'),
      embedded.ui.getByRole('button', { name: /^Connect / }).click(),
    ]);
    await popup.getByRole('button', { name: 'Deny' }).click();

    const failure = await waitFor(async () => (await embedded.events()).find(({ type }) => type === 'error'));
    expect(JSON.stringify(failure.payload)).toContain('access_denied');
    await embedded.ui.getByRole('button', { name: 'Try again' }).waitFor();
  });

  it('take an API key that the provider accepts, and no other', async () => {
    const embedded = await open('practice', browser.hub.url);
    const submit = embedded.ui.getByRole('button', { name: /^Connect / });
    await embedded.ui.getByRole('textbox').first().fill('wrong-key');
    await submit.click();
    await embedded.ui.getByRole('textbox').and(embedded.ui.locator('[aria-invalid=true]')).waitFor();

    await embedded.ui.getByRole('textbox').first().fill('practice-key-from-the-docs');
    await submit.click();
    const connection = await stored('practice', await connected(embedded));
    expect(connection.credentials).toEqual({ type: 'API_KEY', apiKey: 'practice-key-from-the-docs' });
  });

  it('fetch a token for client credentials', async () => {
    const embedded = await open('practice-client-credentials', browser.hub.url);
    await embedded.ui.getByRole('textbox', { name: 'Client id' }).fill(PRACTICE_CLIENT.id);
    await embedded.ui.getByRole('textbox', { name: 'Client secret' }).fill(PRACTICE_CLIENT.secret);
    await embedded.ui.getByRole('button', { name: /^Connect / }).click();

    const connection = await stored('practice-client-credentials', await connected(embedded));
    expect(connection.credentials).toMatchObject({ type: 'OAUTH2_CC', client_id: PRACTICE_CLIENT.id });
    expect(connection.credentials['token']).toEqual(expect.any(String));
  });

  it('do not ask for what the integration presets, whatever the page sends, also when an account is reconnected', async () => {
    const custom = { subdomain: 'acme' };
    const key = 'preset-pager';
    const made = await api.send('POST /integrations', { body: { provider: 'pager', unique_key: key, custom } });
    expect(made.status).toBe(200);
    const configOf = async (id: string): Promise<unknown> => {
      const { body } = await api.send(`GET /connections/${id}?provider_config_key=${key}`);
      return (body as { connection_config: unknown }).connection_config;
    };
    /** Fills the only field of the form; the request of the page is changed on its way. */
    const fillForm = async (token: string, apiKey: string): Promise<string> => {
      const sent: URL[] = [];
      const prepare = (page: Page) =>
        page.route('**/api-auth/**', (route) => {
          const url = new URL(route.request().url());
          sent.push(new URL(url));
          url.searchParams.set('params[subdomain]', 'evil');
          return route.continue({ url: url.href });
        });
      const embedded = await browser.openEmbedded(token, { ...WIDE, prepare }, { apiURL: browser.hub.url });
      const submit = embedded.ui.getByRole('button', { name: /^(Connect|Reconnect) / });
      await submit.waitFor();
      expect(await embedded.ui.getByText('Account subdomain').count()).toBe(0);
      await embedded.ui.getByRole('textbox').fill(apiKey);
      await submit.click();
      const id = await connected(embedded);
      expect(sent.map(({ searchParams }) => searchParams.get('params[subdomain]'))).toEqual([null]);
      expect(embedded.complaints).toEqual([]);
      return id;
    };

    const id = await fillForm(await browser.session([key]), 'A'.repeat(20));
    expect(await configOf(id)).toEqual({ subdomain: 'acme' });

    expect((await api.send(`PATCH /integrations/${key}`, { body: { custom: { subdomain: 'moved' } } })).status).toBe(
      200,
    );
    expect(await fillForm(await browser.reconnectSession(key, id), 'B'.repeat(20))).toBe(id);
    expect(await configOf(id)).toEqual({ subdomain: 'moved' });
    expect((await stored(key, id)).credentials).toMatchObject({ apiKey: 'B'.repeat(20) });
  });
});
