import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedirectHub, startRedirectHub, strictEntry } from './redirect-hub.ts';

let hub: RedirectHub;

beforeAll(async () => {
  hub = await startRedirectHub((address) => ({ plain: strictEntry(address) }));
});
afterAll(() => hub?.stop());

async function start(): Promise<string> {
  return hub.caller.startAt('plain', { token: await hub.caller.newSession() });
}

describe('the page at the end', () => {
  it('contains no secret of the authorization, and may only close', async () => {
    hub.authorizer.tokens = () => ({ body: { access_token: 'canary-access', refresh_token: 'canary-refresh' } });
    const callback = hub.authorizer.consent(await start());

    const response = await fetch(callback);

    const html = await response.text();
    const secrets = [
      callback.searchParams.get('code'),
      callback.searchParams.get('state'),
      'canary-access',
      'canary-refresh',
    ];
    for (const secret of secrets) expect(html).not.toContain(secret);
    expect(html).toContain('{&quot;type&quot;:&quot;nango_oauth_callback_success&quot;}');
    expect(Object.fromEntries(response.headers)).toMatchObject({
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

  it('survives unexpected names and values', async () => {
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
