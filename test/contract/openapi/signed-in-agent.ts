import { createHash } from 'node:crypto';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import type { SeededHub } from './seeded-hub.ts';

export const AGENT_REDIRECT = 'http://127.0.0.1:8976/callback';
export const AGENT_VERIFIER = 'v'.repeat(43);

/** The query of a program that asks a person for access. */
export function authorizeQuery(clientId: string): URLSearchParams {
  return new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: AGENT_REDIRECT, code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(AGENT_VERIFIER).digest('base64url'),
  });
}

export const signInPerson = (server: SeededHub['server']): Promise<DashboardClient> =>
  DashboardClient.signInByLink(server);

/** The person allows the connection `me` of `practice`; resolves to the code. `page`: where the program sent the person. */
export async function allowAgent({ server }: SeededHub, page: string): Promise<string> {
  const requestId = new URL(page).searchParams.get('request') ?? '';
  const dashboard = await signInPerson(server);
  const { redirectUrl } = await dashboard.call('POST /api/v1/agent-sign-ins/:requestId/approve', {
    params: { requestId },
    body: { connections: [{ integrationKey: 'practice', connectionId: 'me', tools: null }], expiresIn: '1h' },
  });
  return new URL(redirectUrl).searchParams.get('code') ?? '';
}
