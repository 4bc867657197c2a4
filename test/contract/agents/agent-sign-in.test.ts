import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type AgentFixture, startAgentFixture } from './agent-fixture.ts';

let fixture: AgentFixture;
let dashboard: DashboardClient;
let base: string;
beforeAll(async () => {
  fixture = await startAgentFixture();
  dashboard = await fixture.signIn();
  base = fixture.server.url;
});
afterAll(() => fixture?.stop());

const REDIRECT = 'http://127.0.0.1:8976/callback';
const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

async function post(
  path: string,
  body: Record<string, string> | object,
  isForm = false,
  // Answers of any shape: each test asserts the members it needs.
  // biome-ignore lint/suspicious/noExplicitAny: see above
): Promise<{ status: number; body: any }> {
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    ...(isForm
      ? { body: new URLSearchParams(body as Record<string, string>) }
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, body: await response.json() };
}

async function register(redirect_uris = [REDIRECT]): Promise<string> {
  return (await post('/agents/register', { client_name: 'Desk agent', redirect_uris })).body.client_id;
}

function authorize(changes: Record<string, string | undefined>): Promise<Response> {
  const query = {
    response_type: 'code',
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'st',
    resource: `${base}/agents/mcp`,
    ...changes,
  };
  const named = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return fetch(`${base}/agents/authorize?${new URLSearchParams(named)}`, { redirect: 'manual' });
}

async function askedBy(clientId: string, changes: Record<string, string | undefined> = {}): Promise<string> {
  const location = (await authorize({ client_id: clientId, ...changes })).headers.get('location') ?? '';
  const url = new URL(location);
  expect(`${url.origin}${url.pathname}`).toBe(`${base}/app/agent-sign-in`);
  return url.searchParams.get('request') ?? '';
}

async function approve(requestId: string, tools: string[] | null = null): Promise<URL> {
  const { redirectUrl } = await dashboard.call('POST /api/v1/agent-sign-ins/:requestId/approve', {
    params: { requestId },
    body: { connections: [{ integrationKey: 'notes', connectionId: 'ada-notes', tools }], expiresIn: '1d' },
  });
  return new URL(redirectUrl);
}

async function signIn(): Promise<{ clientId: string; code: string }> {
  const clientId = await register();
  return { clientId, code: (await approve(await askedBy(clientId))).searchParams.get('code') ?? '' };
}

const exchange = (clientId: string, code: string, changes: Record<string, string> = {}) =>
  post(
    '/agents/token',
    {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      client_id: clientId,
      redirect_uri: REDIRECT,
      ...changes,
    },
    true,
  );
const refresh = (clientId: string, refresh_token: string) =>
  post('/agents/token', { grant_type: 'refresh_token', refresh_token, client_id: clientId }, true);

describe('the front door of agents', () => {
  it('describes itself', async () => {
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/agents/mcp'])
      expect(await (await fetch(`${base}${path}`)).json()).toMatchObject({
        resource: `${base}/agents/mcp`,
        authorization_servers: [base],
      });
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/agents/mcp',
    ])
      expect(await (await fetch(`${base}${path}`)).json()).toMatchObject({
        issuer: base,
        authorization_endpoint: `${base}/agents/authorize`,
        code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: true,
      });
    const local = base.replace('127.0.0.1', 'localhost');
    expect(await (await fetch(`${local}/.well-known/oauth-protected-resource`)).json()).toMatchObject({
      resource: `${local}/agents/mcp`,
    });
  });

  it('registers programs of this computer, and no others', async () => {
    const both = await post('/agents/register', {
      client_name: 'Editor',
      redirect_uris: ['https://editor.test/redirect', 'http://127.0.0.1/', 'editor://back'],
      software_id: 'unknown members are ignored',
    });
    expect([both.status, both.body.redirect_uris]).toEqual([201, ['http://127.0.0.1/', 'editor://back']]);
    for (const [body, error] of [
      [{ redirect_uris: ['https://evil.test/cb'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: [] }, 'invalid_client_metadata'],
      [{}, 'invalid_client_metadata'],
      [{ redirect_uris: [REDIRECT], token_endpoint_auth_method: 'client_secret_basic' }, 'invalid_client_metadata'],
    ] as const)
      expect(await post('/agents/register', body)).toMatchObject({ status: 400, body: { error } });
  });

  it('shows a person who asks and what there is to give', async () => {
    const requestId = await askedBy(await register());
    const shown = await dashboard.call('GET /api/v1/agent-sign-ins/:requestId', { params: { requestId } });
    expect(shown).toMatchObject({ clientName: 'Desk agent', redirectName: '127.0.0.1:8976', isPublic: false });
    const notes = shown.integrations.find(({ integrationKey }) => integrationKey === 'notes');
    expect(notes?.connections.map(({ connectionId }) => connectionId).toSorted()).toEqual(['ada-notes', 'bob-notes']);
    expect(notes?.tools.map(({ name, risk }) => `${name} ${risk}`).toSorted()).toEqual([
      'delete-note delete',
      'read-note read',
      'write-note write',
    ]);
  });

  it('gives tokens for a code once, and new ones for each refresh token once', async () => {
    const { clientId, code } = await signIn();
    const first = await exchange(clientId, code);
    expect(first).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3600 } });
    const second = await refresh(clientId, first.body.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.access_token).not.toBe(first.body.access_token);
    // Somebody else has it: everything of this sign-in ends.
    expect(await refresh(clientId, first.body.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect(await refresh(clientId, second.body.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  it('ends the session of a code that is used twice', async () => {
    const { clientId, code } = await signIn();
    const first = await exchange(clientId, code);
    expect((await exchange(clientId, code)).body.error).toBe('invalid_grant');
    expect((await refresh(clientId, first.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('lets one of two that use a code at the same time end both', async () => {
    const { clientId, code } = await signIn();
    const both = await Promise.all([exchange(clientId, code), exchange(clientId, code)]);
    const issued = both.filter(({ status }) => status === 200);
    for (const { body } of issued) expect((await refresh(clientId, body.refresh_token)).status).toBe(400);
    expect(issued.length).toBeLessThanOrEqual(1);
  });

  it('checks client, address, verifier, audience and grant', async () => {
    const other = await register();
    for (const [changes, error] of [
      [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
      [{ client_id: other }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
      [{ resource: 'https://other.test/mcp' }, 'invalid_target'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
    ] as const) {
      const { clientId, code } = await signIn();
      expect([error, await exchange(clientId, code, changes)]).toMatchObject([error, { status: 400, body: { error } }]);
    }
  });

  it('redirects nobody for a wrong client or address, and tells the program of every other mistake', async () => {
    const clientId = await register();
    for (const changes of [
      { client_id: undefined },
      { client_id: 'unknown' },
      { client_id: clientId, redirect_uri: 'http://127.0.0.1:1/x' },
    ]) {
      const refused = await authorize(changes);
      expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
      await refused.body?.cancel();
    }
    for (const [changes, error] of [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ resource: 'https://other.test/' }, 'invalid_target'],
    ] as const) {
      const location = new URL((await authorize({ client_id: clientId, ...changes })).headers.get('location') ?? '');
      expect([location.origin, location.searchParams.get('error'), location.searchParams.get('state')]).toEqual([
        'http://127.0.0.1:8976',
        error,
        'st',
      ]);
    }
    // A program chooses its port at each start.
    await askedBy(clientId, { redirect_uri: 'http://127.0.0.1:50123/callback' });
  });

  it('takes a refusal of the person back to the program, and asks once', async () => {
    const requestId = await askedBy(await register());
    const { redirectUrl } = await dashboard.call('POST /api/v1/agent-sign-ins/:requestId/deny', {
      params: { requestId },
    });
    const url = new URL(redirectUrl);
    expect([url.searchParams.get('error'), url.searchParams.get('state'), url.searchParams.get('iss')]).toEqual([
      'access_denied',
      'st',
      base,
    ]);
    expect(await dashboard.refusal('GET /api/v1/agent-sign-ins/:requestId', { params: { requestId } })).toEqual({
      status: 404,
      code: 'not_found',
    });
  });

  it('needs a signed-in person', async () => {
    const requestId = await askedBy(await register());
    const response = await fetch(`${base}/api/v1/agent-sign-ins/${requestId}/approve?env=dev`, { method: 'POST' });
    expect(response.status).toBeGreaterThanOrEqual(401);
    await response.body?.cancel();
  });

  it('ends the session of tokens that are given back, and lists it like the others', async () => {
    const { clientId, code } = await signIn();
    const tokens = (await exchange(clientId, code)).body;
    const { body } = await fixture.api.send('GET /sessions');
    const [latest] = (body as { data: Array<{ name: string; created_by: string; state: string }> }).data;
    expect(latest).toMatchObject({ name: 'Desk agent', created_by: 'program', state: 'active' });
    expect((await post('/agents/revoke', { token: tokens.refresh_token }, true)).status).toBe(200);
    expect((await refresh(clientId, tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await post('/agents/revoke', { token: 'unknown' }, true)).status).toBe(200);
  });
});

describe('the public address', () => {
  const send = (path: string, headers: Record<string, string> = {}) =>
    publicFixture.api.send(`GET ${path}`, {
      headers: { host: 'hub.example.test', authorization: undefined, ...headers },
    });
  let publicFixture: AgentFixture;
  afterEach(() => publicFixture?.stop());

  it('answers agents only when a person switched it on', async () => {
    publicFixture = await startAgentFixture({ env: { HOMEPORT_PUBLIC_URL: 'https://hub.example.test' } });
    expect((await send('/.well-known/oauth-protected-resource')).status).toBe(421);
  });

  it('is the audience of the tokens there, and takes sites with https back', async () => {
    publicFixture = await startAgentFixture({
      env: { HOMEPORT_PUBLIC_URL: 'https://hub.example.test', HOMEPORT_MCP_PUBLIC: '1' },
    });
    expect((await send('/.well-known/oauth-protected-resource')).body).toMatchObject({
      resource: 'https://hub.example.test/agents/mcp',
      authorization_servers: ['https://hub.example.test'],
    });
    const registered = await publicFixture.api.send('POST /agents/register', {
      headers: { host: 'hub.example.test', authorization: undefined },
      body: { redirect_uris: ['https://agent.test/callback'] },
    });
    expect(registered.status).toBe(201);
    for (const path of ['/connections', '/sessions', '/openapi.json', '/app/'])
      expect([path, (await send(path)).status]).toEqual([path, 421]);
  });
});
