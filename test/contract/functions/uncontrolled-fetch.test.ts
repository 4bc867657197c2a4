import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource } from '../../support/server-workspace.ts';

const FILES = {
  'actions/members.ts': actionSource(`
    const response = await nango.uncontrolledFetch({ url: new URL(input.url) });
    const copy = response.clone();
    const text = await response.text();
    const refusals = [() => copy.body, () => copy.formData(), () => response.clone()];
    const refused = await Promise.all(refusals.map(async (use) => { try { await use(); return 'none'; } catch (error) { return error.name; } }));
    return { redirected: response.redirected, type: response.type, same: (await copy.text()) === text,
      cookies: response.headers.getSetCookie(), refused };`),
  'actions/fetch.ts': actionSource(`
    const { url, ...options } = input;
    try {
      const ask = () => nango.uncontrolledFetch({ url: new URL(url), ...options });
      const response = await ask();
      const [json, bytes, blob] = [await ask(), await ask(), await ask()];
      const text = await response.text();
      return { ok: response.ok, status: response.status, url: response.url, type: response.headers.get('Content-Type'),
        text, json: await json.json().catch(() => 'no JSON'), bytes: [...new Uint8Array(await bytes.arrayBuffer())].length,
        blob: (await blob.blob()).type, again: await response.text().catch((error) => error.name) };
    } catch (error) {
      return { isActionError: error instanceof nango.ActionError, payload: error.payload ?? null, code: error.code ?? null };
    }`),
};

let hub: FunctionHub;
let other: FakeProvider;

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
  other = await FakeProvider.start();
  await hub.call('PATCH', '/environment/settings', { body: { allowed_hosts: ['127.0.0.1'] } });
  for (const method of ['GET', 'POST', 'PUT']) {
    for (const server of [hub.provider, other])
      server.on(`${method} /mirror`, ({ headers, body }) => ({
        body: { method, body: body.toString(), sent: { auth: headers.authorization, own: headers['x-own'] } },
      }));
  }
  hub.provider
    .on('GET /teapot', { status: 418, body: 'short and stout', headers: { 'content-type': 'text/plain' } })
    .on('POST /see-other', { status: 303, headers: { location: '/mirror' } })
    .on('GET /moved', { status: 302, headers: { location: '/mirror' } })
    .on('GET /cookies', { body: 'text', headers: { 'set-cookie': ['a=1; Path=/', 'b=2'] } })
    .on('PUT /keep', { status: 308, headers: { location: '/mirror' } })
    .on('GET /elsewhere', { status: 302, headers: { location: `${other.address}/mirror` } })
    .on('GET /circle', { status: 302, headers: { location: '/circle' } })
    .on('GET /nowhere', { status: 302, headers: { location: 'http://[' } })
    .on('GET /inside', { status: 302, headers: { location: 'http://10.0.0.1/' } });
});
afterAll(async () => {
  await hub?.stop();
  await other?.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: what the function saw
async function fetched(path: string, options: object = {}): Promise<any> {
  return (await hub.action('fetch', { url: path.includes('://') ? path : hub.provider.address + path, ...options }))
    .body;
}

describe('nango.uncontrolledFetch', () => {
  it('sends the given request without the credentials', async () => {
    const seen = await fetched('/mirror', { method: 'POST', body: 'plain', headers: { 'X-Own': 'mine' } });

    expect(seen).toMatchObject({
      ok: true,
      status: 200,
      type: 'application/json',
      url: `${hub.provider.address}/mirror`,
    });
    expect(seen.json).toEqual({ method: 'POST', body: 'plain', sent: { own: 'mine' } });
    expect(seen).toMatchObject({ bytes: seen.text.length, blob: 'application/json', again: 'TypeError' });
  });

  it('has the other members of a web response, or says what to use instead', async () => {
    const members = async (path: string) =>
      (await hub.action('members', { url: hub.provider.address + path })).body as object;

    expect(await members('/cookies')).toEqual({
      redirected: false,
      type: 'basic',
      same: true,
      cookies: ['a=1; Path=/', 'b=2'],
      refused: ['TypeError', 'TypeError', 'TypeError'],
    });
    expect(await members('/moved')).toMatchObject({ redirected: true, same: true });
  });

  it('throws for no status', async () => {
    expect(await fetched('/teapot')).toMatchObject({
      ok: false,
      status: 418,
      text: 'short and stout',
      json: 'no JSON',
    });
  });

  it('follows redirects as browsers do', async () => {
    expect((await fetched('/see-other', { method: 'POST', body: 'x' })).json).toMatchObject({
      method: 'GET',
      body: '',
    });
    expect((await fetched('/keep', { method: 'PUT', body: 'x' })).json).toMatchObject({ method: 'PUT', body: 'x' });
  });

  it('takes credentials to no other host', async () => {
    const headers = { Authorization: 'Bearer own', 'X-Own': 'mine' };

    expect((await fetched('/mirror', { headers })).json.sent).toEqual({ auth: 'Bearer own', own: 'mine' });
    expect((await fetched('/elsewhere', { headers })).json.sent).toEqual({ own: 'mine' });
  });

  it.each([
    ['/circle', 'too_many_redirects'],
    ['/nowhere', 'invalid_redirect'],
    ['/inside', 'url_not_allowed'],
    ['http://192.168.0.1/', 'url_not_allowed'],
    ['ftp://example.com/', 'url_not_allowed'],
  ])('refuses %s with an ActionError: %s', async (path, code) => {
    expect(await fetched(path)).toEqual({
      isActionError: true,
      payload: { code, message: expect.any(String) },
      code: null,
    });
  });

  it('says how a refused host can be reached', async () => {
    expect((await fetched('http://192.168.0.1/')).payload.message).toBe(
      'Requests to 192.168.0.1 are not allowed. Add the host to allowed_hosts (PATCH /environment/settings) to reach it.',
    );
    expect((await fetched('/inside')).payload.message).toBe('Requests to 10.0.0.1 are not allowed');
  });

  it('never reaches the hub itself', async () => {
    expect(await fetched(`${hub.server.url}/health`)).toMatchObject({ payload: { code: 'url_not_allowed' } });
  });

  it('tells a broken connection from a refusal', async () => {
    const stopped = await FakeProvider.start();
    await stopped.stop();

    expect(await fetched(`${stopped.address}/mirror`)).toEqual({
      isActionError: false,
      payload: null,
      code: 'ECONNREFUSED',
    });
  });
});
