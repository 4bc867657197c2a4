import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lookInto } from '../../support/look-into.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type RedirectHub, startRedirectHub, strictEntry } from './redirect-hub.ts';

let hub: RedirectHub;

beforeAll(async () => {
  hub = await startRedirectHub((address) => ({
    plain: strictEntry(address),
    other: strictEntry(address),
    first: strictEntry(address, { auth_mode: 'OAUTH1', request_url: `${address}/request` }),
  }));
  hub.authorizer.provider.on('POST /request', { body: 'oauth_token=t&oauth_token_secret=s' });
});
beforeEach(() => void hub.authorizer.received.splice(0));
afterAll(() => hub?.stop());

async function start(key = 'plain'): Promise<string> {
  return hub.caller.startAt(key, { token: await hub.caller.newSession() });
}

const stateOf = (location: string): string => new URL(location).searchParams.get('state') ?? '';

async function countConnections(): Promise<number> {
  const { body } = await hub.api.send('GET /connections');
  return (body as { connections: unknown[] }).connections.length;
}

describe('a state', () => {
  it('is good for one callback, the successful and the failed', async () => {
    const callback = hub.authorizer.consent(await start());
    const denied = hub.authorizer.consent(await start());
    const code = denied.searchParams.get('code') ?? '';
    denied.searchParams.delete('code');
    denied.searchParams.set('error', 'access_denied');

    expect((await fetch(callback)).status).toBe(200);
    expect((await fetch(callback)).status).toBe(400);
    expect((await fetch(denied)).status).toBe(400);
    denied.searchParams.set('code', code);
    denied.searchParams.delete('error');
    const again = await fetch(denied);

    expect([again.status, (await again.text()).includes('invalid_state')]).toEqual([400, true]);
    expect(hub.authorizer.received.length).toBe(1);
  });

  it('creates one connection when it is called many times at once', async () => {
    const before = await countConnections();
    const callback = hub.authorizer.consent(await start());

    const responses = await Promise.all(Array.from({ length: 10 }, () => fetch(callback)));

    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)]);
    expect([hub.authorizer.received.length, (await countConnections()) - before]).toEqual([1, 1]);
  });

  it.each(['', 'nonsense', '../../etc/passwd', '\0', 'x'.repeat(10_000), "'; DROP TABLE oauth_states; --"])(
    'that nobody was given leads nowhere (%j)',
    async (state) => {
      const response = await fetch(`${hub.server.url}/oauth/callback?code=c&state=${encodeURIComponent(state)}`);

      expect(response.status).toBe(400);
      expect(await response.text()).toContain('This authorization is unknown');
      expect(hub.authorizer.received).toEqual([]);
    },
  );

  it('is counted once however often it is written', async () => {
    const callback = hub.authorizer.consent(await start());
    callback.searchParams.append('state', stateOf(await start()));
    callback.searchParams.append('code', 'decoy');

    expect((await fetch(callback)).status).toBe(200);
  });
});

describe('callbacks that are mixed up', () => {
  it('make no connection: the code belongs to another verifier', async () => {
    const mine = await start();
    const theirs = hub.authorizer.consent(await start());
    const before = await countConnections();
    theirs.searchParams.set('state', stateOf(mine));

    const response = await fetch(theirs);

    expect([response.status, (await response.text()).includes('pkce_failed')]).toEqual([400, true]);
    expect(await countConnections()).toBe(before);
  });

  it('create the connection in the session where they began, whatever else they contain', async () => {
    const callback = hub.authorizer.consent(await start('other'), {
      more: { provider_config_key: 'plain', connection_id: 'x' },
    });

    expect((await fetch(callback)).status).toBe(200);

    expect((await hub.api.send('GET /connections?connectionId=x')).body).toEqual({ connections: [] });
  });

  it('of another way of signing in fail, and use up the state', async () => {
    const first = hub.authorizer.consent(await start('first').then(stateOfOAuth1));
    const asApp = hub.authorizer.consent(await start());
    const { port } = new URL(hub.server.url);
    asApp.pathname = '/app-auth/connect';
    asApp.port = port;
    asApp.searchParams.set('installation_id', '1');

    expect((await fetch(first)).status).toBe(400);
    const response = await fetch(asApp);
    expect([response.status, (await response.text()).includes('wrong_auth_mode')]).toEqual([400, true]);
    // By then the state has been removed.
    expect((await fetch(asApp)).status).toBe(404);
    asApp.pathname = '/oauth/callback';
    expect((await fetch(asApp)).status).toBe(400);
    expect(hub.authorizer.received).toEqual([]);
  });
});

/** The callback of an OAuth 1 authorization in the form of OAuth 2: its state, and a code. */
function stateOfOAuth1(location: string): string {
  const callback = new URL(new URL(location).searchParams.get('oauth_callback') ?? '');
  const url = new URL(location);
  url.searchParams.set('state', callback.searchParams.get('state') ?? '');
  url.searchParams.set('redirect_uri', `${callback.origin}${callback.pathname}`);
  return url.href;
}

describe('the browser of the callback', () => {
  // A hub of its own: the other one writes its log at an unknown time.
  let quiet: RedirectHub;

  beforeAll(async () => {
    quiet = await startRedirectHub((address) => ({ plain: strictEntry(address) }));
  });
  afterAll(() => quiet?.stop());

  /** Sends a callback with this cookie. */
  async function comeBack(cookieOf: (setCookie: string) => string): Promise<void> {
    const response = await quiet.caller.start('plain', { token: await quiet.caller.newSession() });
    const callback = quiet.authorizer.consent(response.headers.get('location') ?? '');
    const cookie = cookieOf(response.headers.getSetCookie()[0] ?? '');
    expect((await fetch(callback, { headers: { cookie } })).status).toBe(200);
  }

  async function countNotes(): Promise<number> {
    const sql = "SELECT count(*) AS notes FROM log_messages WHERE message LIKE '%arrived in another browser%'";
    const found = await lookInto(quiet.server.home, ({ reader }) => reader.get<{ notes: number }>(sql));
    return found?.notes ?? 0;
  }

  it('is recorded when it is another one, and accepted: a redirector may use one', async () => {
    await comeBack(() => 'oauth2-other=1');
    await comeBack((line) => `a=b; ${line.split(';')[0]}`);
    await comeBack(() => '');

    await waitFor(async () => (await countNotes()) >= 2, { what: 'the notes' });
    expect(await countNotes()).toBe(2);
  });
});

describe('installations that begin at the provider', () => {
  const setup = async (referer: string | undefined, path = '/oauth/callback'): Promise<string | undefined> => {
    const { headers, status } = await hub.api.send(`GET ${path}?installation_id=1&setup_action=install`, {
      headers: { referer, authorization: undefined },
    });
    expect(status).toBe(302);
    return headers.location;
  };

  it.each(['/oauth/callback', '/app-auth/connect'])('go back to where they came from (%s)', async (path) => {
    expect(await setup('https://github.com/apps/mine', path)).toBe('https://github.com/apps/mine');
    expect(await setup(undefined, path)).toBe('https://github.com');
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript://x/%0aalert(1)',
    'data:text/html,<script>',
    'file:///etc/passwd',
    '//evil.test',
    'nonsense',
  ])('never go to %s', async (referer) => {
    expect(await setup(referer)).toBe('https://github.com');
  });
});
