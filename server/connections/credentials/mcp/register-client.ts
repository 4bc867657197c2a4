import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { isSuccessStatus } from '../../../platform/lib/success-status.ts';
import { providerRefusal, TOKEN_HEADERS, tokenObject, tokenText } from '../auth-modes/token-endpoint.ts';
import type { TokenContext } from '../token-context.ts';
import { isLoopbackUrl } from './safe-address.ts';

/** An authorization server's response to a registration, with its own names (RFC 7591, 3.2.1). */
export interface RegisteredClient {
  client_id: string;
  client_secret?: string;
  /** Seconds since the epoch; 0 or absent means never. */
  client_secret_expires_at?: number;
  token_endpoint_auth_method?: string;
}

export interface RegistrationRequest {
  callbackUrl: string;
  clientName: string;
  authMethod: string;
  /** Further members; they replace the default ones. */
  further?: Record<string, string>;
  timeoutMs?: number;
}

/** Members that are lists (RFC 7591, 2); the catalogue writes them as one text. */
const LISTS: ReadonlySet<string> = new Set(['redirect_uris', 'grant_types', 'response_types', 'contacts']);

/** Registers the hub as a client of an authorization server (RFC 7591). */
export async function registerClient(
  context: TokenContext,
  address: string,
  request: RegistrationRequest,
): Promise<RegisteredClient> {
  const response = await context.send({
    method: 'POST',
    url: address,
    headers: { ...TOKEN_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify(describeClient(request)),
    ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
  });
  const isRegistered = isSuccessStatus(response.status);
  const client = isRegistered ? readClient(tokenObject(response) ?? {}) : undefined;
  if (client) return client;
  if (isRegistered)
    throw new HomeportError(
      'client_registration_failed',
      'The provider registered the hub without naming a client id. Enter a client id in the settings of the integration.',
    );
  const what = 'The provider did not register the hub as a client';
  throw providerRefusal({ code: 'client_registration_failed', what, response, context, sent: {} });
}

/**
 * When a registration ends, in milliseconds since the epoch; undefined when it does not end, as for a client without a
 * secret.
 */
export function endOfRegistration({
  client_secret: secret,
  client_secret_expires_at: at,
}: RegisteredClient): number | undefined {
  return secret === undefined || !at ? undefined : at * 1000;
}

function describeClient({
  callbackUrl,
  clientName,
  authMethod,
  further,
}: RegistrationRequest): Record<string, unknown> {
  return {
    redirect_uris: [callbackUrl],
    token_endpoint_auth_method: authMethod,
    client_name: clientName,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // Servers with this member refuse callbacks on this computer for web applications (OpenID Registration, 2).
    ...(isLoopbackUrl(callbackUrl) ? { application_type: 'native' } : {}),
    ...Object.fromEntries(
      Object.entries(further ?? {}).map(([name, text]) => [name, LISTS.has(name) ? text.split(/[\s,]+/) : text]),
    ),
  };
}

function readClient(response: Record<string, unknown>): RegisteredClient | undefined {
  const id = tokenText(response['client_id']);
  if (id === undefined) return undefined;
  const secret = tokenText(response['client_secret']);
  const expiresAt = Number(response['client_secret_expires_at'] ?? 0);
  const method = tokenText(response['token_endpoint_auth_method']);
  return {
    client_id: id,
    ...(secret === undefined ? {} : { client_secret: secret }),
    ...(expiresAt > 0 ? { client_secret_expires_at: expiresAt } : {}),
    ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
  };
}
