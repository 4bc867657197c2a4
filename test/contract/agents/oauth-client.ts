import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'vitest';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';

export type Transport = Parameters<Client['connect']>[0];

interface Allowed {
  integrationKey: string;
  connectionId: string;
  /** Null for every tool. */
  tools: string[] | null;
}

const REDIRECT = 'http://127.0.0.1:33418/callback';

/** What a program keeps: its registration, its tokens, and where it sent the person. */
function programState() {
  const kept: { client?: unknown; tokens?: unknown; verifier?: string; page?: URL } = {};
  const provider = {
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: 'Desk agent', redirect_uris: [REDIRECT] },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (page: URL) => {
      kept.page = page;
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? '',
  } as unknown as OAuthClientProvider;
  return { kept, provider };
}

/** The person opens the page of the program, and allows tools of one connection. */
async function allow(page: URL | undefined, dashboard: DashboardClient, connection: Allowed): Promise<string> {
  const opened = await fetch(page ?? '', { redirect: 'manual' });
  const requestId = new URL(opened.headers.get('location') ?? '').searchParams.get('request') ?? '';
  const { redirectUrl } = await dashboard.call('POST /api/v1/agent-sign-ins/:requestId/approve', {
    params: { requestId },
    body: { connections: [connection], expiresIn: '1d' },
  });
  return new URL(redirectUrl).searchParams.get('code') ?? '';
}

/** The official client after its sign-in at the front door. */
export async function signInWith(
  address: URL,
  { connection, dashboard, name }: { name: string; dashboard: DashboardClient; connection: Allowed },
): Promise<{ client: Client }> {
  const { kept, provider } = programState();
  const first = new StreamableHTTPClientTransport(address, { authProvider: provider });
  await expect(new Client({ name, version: '1' }).connect(first as Transport)).rejects.toThrow(UnauthorizedError);
  await first.finishAuth(await allow(kept.page, dashboard, connection));
  const client = new Client({ name, version: '1' });
  await client.connect(new StreamableHTTPClientTransport(address, { authProvider: provider }) as Transport);
  return { client };
}
