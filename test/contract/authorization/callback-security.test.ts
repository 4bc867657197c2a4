import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { type SignInHub, startSignInHub, strictEntry } from './sign-in-hub.ts';

let hub: SignInHub;

beforeAll(async () => {
  hub = await startSignInHub((address) => ({
    plain: strictEntry(address),
    other: strictEntry(address),
    first: strictEntry(address, { auth_mode: 'OAUTH1', request_url: `${address}/request` }),
  }));
  hub.authorizer.provider.on('POST /request', { body: 'oauth_token=t&oauth_token_secret=s' });
});
beforeEach(() => void hub.authorizer.asked.splice(0));
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
    expect(hub.authorizer.asked.length).toBe(1);
  });

  it('makes one connection when it comes back many times at once', async () => {
    const before = await countConnections();
    const callback = hub.authorizer.consent(await start());

    const answers = await Promise.all(Array.from({ length: 10 }, () => fetch(callback)));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)]);
    expect([hub.authorizer.asked.length, (await countConnections()) - before]).toEqual([1, 1]);
  });

  it.each(['', 'nonsense', '../../etc/passwd', '\0', 'x'.repeat(10_000), "'; DROP TABLE oauth_states; --"])(
    'that nobody was given leads nowhere (%j)',
    async (state) => {
      const answer = await fetch(`${hub.server.url}/oauth/callback?code=c&state=${encodeURIComponent(state)}`);

      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('This sign-in is not known');
      expect(hub.authorizer.asked).toEqual([]);
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

    const answer = await fetch(theirs);

    expect([answer.status, (await answer.text()).includes('pkce_failed')]).toEqual([400, true]);
    expect(await countConnections()).toBe(before);
  });

  it('make the connection where they began, whatever else they say', async () => {
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
    const answer = await fetch(asApp);
    expect([answer.status, (await answer.text()).includes('wrong_auth_mode')]).toEqual([400, true]);
    // By then nobody knows it any more.
    expect((await fetch(asApp)).status).toBe(404);
    asApp.pathname = '/oauth/callback';
    expect((await fetch(asApp)).status).toBe(400);
    expect(hub.authorizer.asked).toEqual([]);
  });
});

/** An OAuth 1 sign-in as an OAuth 2 one would look: its state, and a code. */
function stateOfOAuth1(location: string): string {
  const callback = new URL(new URL(location).searchParams.get('oauth_callback') ?? '');
  const url = new URL(location);
  url.searchParams.set('state', callback.searchParams.get('state') ?? '');
  url.searchParams.set('redirect_uri', `${callback.origin}${callback.pathname}`);
  return url.href;
}

describe('the browser that comes back', () => {
  /** Brings the callback back with this cookie, and counts the notes on it in the log. */
  async function comeBack(cookieOf: (setCookie: string) => string): Promise<void> {
    const response = await hub.caller.start('plain', { token: await hub.caller.newSession() });
    const callback = hub.authorizer.consent(response.headers.get('location') ?? '');
    const cookie = cookieOf(response.headers.getSetCookie()[0] ?? '');
    expect((await fetch(callback, { headers: { cookie } })).status).toBe(200);
  }

  function countNotes(): number {
    const database = new DatabaseSync(join(hub.server.home, 'homeport.db'), { readOnly: true });
    const found = database
      .prepare("SELECT count(*) AS notes FROM log_messages WHERE message LIKE '%came back in another browser%'")
      .get();
    database.close();
    return Number(found?.['notes']);
  }

  it('is noted when it is another one, and let through: a redirector may use one', async () => {
    await comeBack(() => 'oauth2-other=1');
    const before = await waitFor(countNotes, { what: 'a note in the log' });

    await comeBack((line) => `a=b; ${line.split(';')[0]}`);
    await comeBack(() => '');

    await waitFor(() => countNotes() > before, { what: 'another note' });
    expect(countNotes()).toBe(before + 1);
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

describe('the page at the end', () => {
  it('holds no secret of the sign-in, and may do nothing but close', async () => {
    hub.authorizer.tokens = () => ({ body: { access_token: 'canary-access', refresh_token: 'canary-refresh' } });
    const callback = hub.authorizer.consent(await start());

    const answer = await fetch(callback);

    const html = await answer.text();
    const secrets = [
      callback.searchParams.get('code'),
      callback.searchParams.get('state'),
      'canary-access',
      'canary-refresh',
    ];
    for (const secret of secrets) expect(html).not.toContain(secret);
    expect(html).toContain('{&quot;type&quot;:&quot;nango_oauth_callback_success&quot;}');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      ),
    });
  });

  it.each(['error', 'error_description', 'error_reason', 'error_uri', 'status_code', 'error_message'])(
    'shows %s as text',
    async (name) => {
      const hostile = `"'></template><script>alert(1)</script><img src=x onerror=alert(1)>&amp;`;
      const callback = hub.authorizer.consent(await start());
      callback.searchParams.delete('code');
      callback.searchParams.set(name, hostile);

      for (const url of [callback, callback]) {
        const html = await (await fetch(url)).text();
        expect(html.match(/<script/g)?.length).toBe(1);
        expect(html).not.toMatch(/<img|<\/template><script>alert/);
      }
    },
  );

  it('survives names and values that nobody sends', async () => {
    for (const query of [
      '__proto__[x]=1',
      'constructor=1&toString=2',
      'code[]=1&state[a]=b',
      'state=%',
      'error=%00%0d%0a',
      '%E0%A4%A',
    ]) {
      const { headers, status } = await hub.api.send(`GET /oauth/callback?${query}`);
      expect([query, status, headers['content-type']]).toEqual([query, 400, 'text/html; charset=utf-8']);
    }
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

describe('the redirect to the provider', () => {
  it('takes no header from what was sent', async () => {
    const broken = 'a\r\nSet-Cookie: evil=1';
    const query = {
      'authorization_params[x]': broken,
      [`authorization_params[y${broken}]`]: 'z',
      'params[p]': broken,
      'credentials[oauth_client_id_override]': broken,
      'credentials[oauth_client_secret_override]': 's',
    };

    const response = await hub.caller.start('plain', { token: await hub.caller.newSession(), query });

    expect(response.status).toBe(302);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^oauth2-[0-9a-f-]{36}=1; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(new URL(response.headers.get('location') ?? '').searchParams.get('x')).toBe(broken);
  });

  it('keeps the token of the session to itself', async () => {
    const token = await hub.caller.newSession();

    const response = await hub.caller.start('plain', { token });

    expect(response.headers.get('location')).not.toContain(token.slice(-20));
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});
