import { Agent, request } from 'undici';
import type { TokenContext, TokenRequest, TokenResponse } from '../../server/connections/credentials/token-context.ts';
import { toTokenResponse } from '../../server/connections/credentials/token-sender.ts';
import type { ProviderDefinition } from '../../server/integrations/catalog/entry-schema.ts';
import { HomeportError } from '../../server/platform/lib/homeport-error.ts';

/** 2026-06-01T12:00:00.000Z. */
export const TOKEN_NOW = Date.UTC(2026, 5, 1, 12);
export const TOKEN_UUID = '0d4f1c5e-0000-4000-8000-000000000000';

interface ContextParts extends Partial<Omit<TokenContext, 'entry' | 'send'>> {
  entry?: Partial<ProviderDefinition>;
  /** Addresses (`https://host`) that a local server serves; it still receives the requested host. */
  plays?: Record<string, string>;
  /** Replaces the public certificate authorities. */
  ca?: string;
}

/** A token context with a fixed clock and ids, which sends real requests. */
export function tokenContext({ entry, plays = {}, ca, ...parts }: ContextParts): TokenContext {
  return {
    entry: { name: 'acme', source: 'builtin', display_name: 'Acme', auth_mode: 'TWO_STEP', ...entry },
    app: {},
    custom: {},
    connectionConfig: {},
    now: () => TOKEN_NOW,
    ids: { uuid: () => TOKEN_UUID, hex: (count) => 'ab'.repeat(count) },
    ...parts,
    send: (asked) => sendToken(asked, plays, ca),
  };
}

async function sendToken(asked: TokenRequest, plays: Record<string, string>, ca?: string): Promise<TokenResponse> {
  const url = new URL(asked.url);
  const dispatcher = new Agent({
    connect: { ...asked.tls, ...(ca === undefined ? {} : { ca, checkServerIdentity: () => undefined }) },
  });
  try {
    const response = await request(`${plays[url.origin] ?? url.origin}${url.pathname}${url.search}`, {
      dispatcher,
      method: asked.method,
      headers: { ...asked.headers, host: url.host },
      body: asked.body ?? null,
    });
    const bytes = new Uint8Array(await response.body.arrayBuffer());
    return toTokenResponse({ status: response.statusCode, headers: response.headers }, bytes);
  } catch (error) {
    throw new HomeportError('server_error', 'The provider gave no answer.', { cause: error });
  } finally {
    await dispatcher.close();
  }
}
