import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authorizeUrl } from '../../../test/support/authorize-practice.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { createPracticeProvider, type PracticeProvider } from '../practice-provider.ts';

const clock = new FakeClock();
const HOSTILE = 'https://hub.example.test/"><img src=x onerror=alert(1)>';
let provider: PracticeProvider;
let address: string;

beforeEach(async () => {
  provider = createPracticeProvider({ clock });
  ({ address } = await provider.start());
});
afterEach(() => provider.stop());

async function openTicket(): Promise<string> {
  const page = await (await fetch(authorizeUrl(address))).text();
  return /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? '';
}

function post(form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${address}/oauth/consent`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers,
    redirect: 'manual',
  });
}

const yes = (ticket: string): Record<string, string> => ({ ticket, person: 'user-admin', decision: 'allow' });

describe('the consent page', () => {
  it('says who asks and for what, and offers three people', async () => {
    const page = await (await fetch(authorizeUrl(address))).text();

    expect(page).toContain('Allow “Practice client” to use your account?');
    expect(page).toContain('<code>localhost:3003</code>');
    expect(page).toContain('Read users and labels');
    expect(page).not.toContain('issues:write');
    expect(page.match(/type="radio"/g)).toHaveLength(3);
  });

  it('runs no script, is never stored or framed, and leads to the hub only', async () => {
    const { headers } = await fetch(authorizeUrl(address));

    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; " +
        "form-action 'self' http://localhost:3003 http://localhost:* http://127.0.0.1:*; frame-ancestors 'none'",
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  });

  it('names the scheme of an IPv6 address, which a policy cannot hold', async () => {
    const { headers } = await fetch(authorizeUrl(address, { redirect_uri: 'http://[::1]:3003/oauth/callback' }));

    expect(headers.get('content-security-policy')).toContain("form-action 'self' http: http://localhost:*");
  });

  it('escapes what an app sends', async () => {
    const page = await (await fetch(authorizeUrl(address, { redirect_uri: HOSTILE }))).text();

    expect(page).toContain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;');
    expect(page).not.toContain('<img');
  });

  it('has a style sheet and a guide with the client id and secret', async () => {
    expect((await fetch(`${address}/practice.css`)).headers.get('content-type')).toContain('text/css');
    const guide = await (await fetch(`${address}/docs`)).text();
    expect(guide).toContain('<code>practice-client</code>');
    expect(guide).toContain('<code>practice-client-secret</code>');
    expect(guide).toContain('<code>GET /v1/labels</code>');
  });
});

describe('the answer to the consent page', () => {
  it('counts once', async () => {
    const ticket = await openTicket();

    expect((await post(yes(ticket))).status).toBe(303);

    const again = await post(yes(ticket));
    expect([again.status, again.headers.get('location')]).toEqual([400, null]);
    expect(await again.text()).toContain('This page is not valid any more');
  });

  it('counts for ten minutes', async () => {
    const [early, late] = [await openTicket(), await openTicket()];
    await clock.advance(599_999);
    expect((await post(yes(early))).status).toBe(303);
    await clock.advance(1);

    expect((await post(yes(late))).status).toBe(400);
  });

  it.each([{}, { ticket: 'practice_ticket_0' }])('needs a ticket that was given out: %j', async (form) => {
    expect((await post({ ...yes(''), ...form })).status).toBe(400);
  });

  it.each([{ decision: '' }, { decision: 'ALLOW' }, { person: 'user-nobody' }, { person: '' }])(
    'is a no unless it is a clear yes: %j',
    async (form) => {
      const response = await post({ ...yes(await openTicket()), ...form });

      expect(response.headers.get('location')).toContain('error=access_denied');
    },
  );

  it('is refused from the page of another site, and the ticket stays good', async () => {
    const ticket = await openTicket();

    for (const origin of ['https://evil.test', 'null', address.replace('http:', 'https:')])
      expect((await post(yes(ticket), { origin })).status, origin).toBe(403);
    expect((await post(yes(ticket), { origin: address })).status).toBe(303);
  });

  it('is refused under a foreign name of this computer', async () => {
    const status = await new Promise((resolve, reject) => {
      const { port } = new URL(address);
      request({ port, path: new URL(authorizeUrl(address)).pathname, headers: { host: 'evil.test' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .once('error', reject)
        .end();
    });

    expect(status).toBe(421);
  });
});
