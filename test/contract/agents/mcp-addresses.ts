import { createHash, randomBytes } from 'node:crypto';
import type { AgentFixture } from './agent-fixture.ts';

/** The addresses at which the hub speaks MCP with agents. */
export const ADDRESSES = ['/mcp', '/session/:sessionId/mcp', '/agents/mcp'] as const;
export type Address = (typeof ADDRESSES)[number];

export interface Reach {
  url: string;
  headers: Record<string, string>;
}

const REDIRECT = 'http://127.0.0.1:8976/callback';

/** Each address with what a client of it sends, for the connection ada-notes. */
export async function reachAll(fixture: AgentFixture): Promise<Record<Address, Reach>> {
  const { secretKey, url } = fixture.server;
  const session = await fixture.create({
    tenant: { connections: { pinned: [{ integration_id: 'notes', connection_id: 'ada-notes' }] } },
  });
  const named = { 'provider-config-key': 'notes', 'connection-id': 'ada-notes' };
  return {
    '/mcp': { url: `${url}/mcp`, headers: { authorization: `Bearer ${secretKey}`, ...named } },
    '/session/:sessionId/mcp': {
      url: session.mcp_url,
      headers: { authorization: `Bearer ${session.session_token}` },
    },
    '/agents/mcp': {
      url: `${url}/agents/mcp`,
      headers: { authorization: `Bearer ${(await signInProgram(fixture)).access_token}` },
    },
  };
}

/** A program that a person let in. */
export async function signInProgram(
  fixture: AgentFixture,
): Promise<{ client_id: string; access_token: string; refresh_token: string }> {
  const { url } = fixture.server;
  const verifier = randomBytes(32).toString('base64url');
  const registered = await fetch(`${url}/agents/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const asked = await fetch(`${url}/agents/authorize?${query}`, { redirect: 'manual' });
  const requestId = new URL(asked.headers.get('location') ?? '').searchParams.get('request') ?? '';
  const dashboard = await fixture.signIn();
  const { redirectUrl } = await dashboard.call('POST /api/v1/agent-sign-ins/:requestId/approve', {
    params: { requestId },
    body: { connections: [{ integrationKey: 'notes', connectionId: 'ada-notes', tools: null }], expiresIn: '1d' },
  });
  const code = new URL(redirectUrl).searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, client_id, redirect_uri: REDIRECT };
  const tokens = await fetch(`${url}/agents/token`, { method: 'POST', body: new URLSearchParams(form) });
  return { client_id, ...((await tokens.json()) as { access_token: string; refresh_token: string }) };
}
