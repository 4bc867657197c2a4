import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { type RedirectHub, startRedirectHub, strictEntry } from './redirect-hub.ts';

const FIELDS = { connection_config: { domain: { type: 'string', title: 'Domain', description: 'Yours' } } };

let hub: RedirectHub;
/** Another program of this computer. */
let neighbour: FakeProvider;

beforeAll(async () => {
  neighbour = await FakeProvider.start();
  neighbour.on('POST /token', { body: { access_token: 'at' } });
  hub = await startRedirectHub((address) => ({
    // The end user enters one address, or part of its host, for each.
    'token-part': strictEntry(address, { token_url: 'https://${connectionConfig.domain}.acme.test/token', ...FIELDS }),
    'token-whole': strictEntry(address, { token_url: '${connectionConfig.domain}/token', ...FIELDS }),
    'page-part': strictEntry(address, {
      authorization_url: 'https://${connectionConfig.domain}.acme.test/go',
      ...FIELDS,
    }),
    literal: strictEntry(address),
  }));
});
beforeEach(async () => {
  neighbour.requests.splice(0);
  await allow([]);
});
afterAll(async () => {
  await hub?.stop();
  await neighbour?.stop();
});

async function allow(allowed_hosts: string[]): Promise<void> {
  expect((await hub.api.send('PATCH /environment/settings', { body: { allowed_hosts } })).status).toBe(200);
}

/** The message to the page at the end of an authorization with this domain. */
async function finish(key: string, domain: string): Promise<Record<string, unknown>> {
  const page = await hub.caller.openPage();
  const token = await hub.caller.newSession();
  const location = await hub.caller.startAt(key, { token, page, query: { 'params[domain]': domain } });
  await fetch(hub.authorizer.consent(location));
  const message = await page.next();
  page.close();
  return message;
}

describe('values that would move a request to another host', () => {
  const HOSTILE = [
    'evil.test/',
    'evil.test#',
    'evil.test?',
    'me@evil.test',
    'me:pw@evil.test',
    'evil.test\\',
    'evil.test%2f',
    'evil.test%23',
    'evil.test:443',
    'evil.test\r\nHost: x',
    'evil test',
    ' ',
  ];

  it.each(HOSTILE)('do not redirect the person to another host (%j)', async (domain) => {
    const token = await hub.caller.newSession();

    const response = await hub.caller.start('page-part', { token, query: { 'params[domain]': domain } });

    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'url_param_err' } }]);
  });

  it.each(HOSTILE)('get no code (%j)', async (domain) => {
    expect(await finish('token-part', domain)).toMatchObject({ message_type: 'error', error_type: 'url_param_err' });
  });
});

describe('the token endpoint', () => {
  it.each([
    () => neighbour.address,
    () => neighbour.address.replace('127.0.0.1', 'localhost'),
    () => neighbour.address.replace('127.0.0.1', '[::1]'),
    () => neighbour.address.replace('127.0.0.1', '0x7f000001'),
    () => neighbour.address.replace('127.0.0.1', '2130706433'),
    () => 'http://169.254.169.254',
    () => 'http://metadata.google.internal',
    () => 'http://10.0.0.1',
    () => 'http://[::ffff:192.168.0.1]',
  ])('is not this computer or its network because an end user says so (%#)', async (domain) => {
    const message = await finish('token-whole', domain());

    expect(message).toMatchObject({
      error_type: 'unknown_err',
      error_desc: expect.stringMatching(/not allowed.*to allowed_hosts/),
    });
    expect(neighbour.requests).toEqual([]);
  });

  it('may be where the environment allows it', async () => {
    await allow([new URL(neighbour.address).host]);

    expect(await finish('token-whole', neighbour.address)).toMatchObject({ message_type: 'success' });
  });

  it('may be where the entry itself writes it', async () => {
    expect(await finish('literal', 'any')).toMatchObject({ message_type: 'success' });
  });

  it.each(['127.0.0.1', 'localhost'])('is never the hub itself, though allowed (%s)', async (name) => {
    const host = `${name}:${new URL(hub.server.url).port}`;
    await allow([host]);

    expect(await finish('token-whole', `http://${host}`)).toMatchObject({
      error_type: 'unknown_err',
      error_desc: expect.stringContaining('not allowed'),
    });
  });
});
