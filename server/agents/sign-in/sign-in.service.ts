import { createHash } from 'node:crypto';
import type { ZodType } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import type { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import { createAgentTokens } from './agent-tokens.ts';
import { isDocumentAddress, readClientDocument } from './client-document.ts';
import { createFloodLimits } from './flood-limits.ts';
import { OAuthRefusal } from './oauth-refusal.ts';
import { isAllowedRedirect, matchesRedirect, redirectName } from './redirect-uri.ts';
import {
  AGENT_MCP_PATH,
  type AgentTokens,
  type AuthorizeQuery,
  authorizeQuery,
  type ClientMetadata,
  clientMetadata,
  revokeBody,
  tokenBody,
} from './sign-in.contract.ts';
import { type AgentClient, AgentSignInStore, type AgentTokenRow } from './sign-in.store.ts';
import { type HeldRequest, REQUEST_MS, type SignInRequest, WaitingRequests } from './waiting-requests.ts';

/** The address by which a request came: tokens are for this one only (RFC 8707). */
export interface FrontDoor {
  base: string;
  isPublic: boolean;
}

export type AgentSignInService = ReturnType<typeof createAgentSignIn>;

/** So many that no registration goes while its person reads the page, at the rates of `flood-limits.ts`. */
const MAX_CLIENTS = 1000;
/** A registration that never got a token. */
const UNUSED_CLIENT_MS = 30 * 24 * 3_600_000;

const resourceOf = ({ base }: FrontDoor): string => `${base}${AGENT_MCP_PATH}`;

/** The sign-in of MCP clients: a small OAuth server whose grants are agent sessions (agents.md 5). */
export function createAgentSignIn({
  clock,
  database,
  endSession,
  http,
  ids,
  isLive,
  vault,
}: {
  clock: Clock;
  database: Database;
  /** Ends an agent session, when its tokens were stolen or given back. */
  endSession(sessionId: string): Promise<unknown>;
  http: Pick<OutboundHttp, 'request'>;
  ids: Ids;
  /** Milliseconds at which the session is over; undefined when it is over now. */
  isLive(sessionId: string): Promise<{ expiresAt: number } | undefined>;
  vault: Pick<Vault, 'lookupHash'>;
}) {
  const store = new AgentSignInStore();
  const tokens = createAgentTokens({ clock, database, endSession, ids, isLive, store, vault });
  const floods = createFloodLimits(clock);
  const requests = new WaitingRequests(clock);

  const findClient = async (clientId: string, door: FrontDoor): Promise<AgentClient> => {
    const known = await store.findClient(database.reader, clientId, clock.now() - UNUSED_CLIENT_MS);
    if (known) return known;
    if (!isDocumentAddress(clientId))
      throw new OAuthRefusal('invalid_client', 'This client is not registered. Register it again.', { status: 401 });
    floods.take('document', door);
    const metadata = await readClientDocument(http, clientId).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new OAuthRefusal(
        'invalid_client',
        `What this program says about itself could not be read at ${clientId}: ${why}. The hub needs the internet for ` +
          'it; without it, set the program up with "homeport agents add <program> --access session".',
        { status: 401 },
      );
    });
    const { host } = new URL(clientId);
    return {
      id: clientId,
      name: `${metadata.client_name ?? host} (${host})`,
      redirectUris: allowedRedirects(metadata, door.isPublic),
    };
  };

  /** The refusal itself, or that there were too many of them. */
  const counted = (refusal: OAuthRefusal, door: FrontDoor): OAuthRefusal => {
    if (refusal.status === 429) return refusal;
    try {
      floods.take('refused', door);
      return refusal;
    } catch (error) {
      if (error instanceof OAuthRefusal) return error;
      throw error;
    }
  };

  /** Told to the person in the browser: nobody is redirected. */
  const toPerson = (error: unknown, door: FrontDoor): unknown => {
    if (!(error instanceof OAuthRefusal)) return error;
    const { message, retryAfterS } = counted(error, door);
    return retryAfterS === undefined
      ? new HomeportError('invalid_query_params', message)
      : new HomeportError('too_many_request', message, { retryAfterS });
  };

  const answerTo = ({ issuer, redirectUri, state }: HeldRequest, members: Record<string, string>): string => {
    const url = new URL(redirectUri);
    for (const [name, value] of Object.entries({ ...members, iss: issuer })) url.searchParams.set(name, value);
    if (state !== undefined) url.searchParams.set('state', state);
    return url.href;
  };

  return {
    /** A refusal in the form that OAuth clients read, counted as one; undefined for another error. */
    refusalOf: (error: unknown, door: FrontDoor) => {
      if (!(error instanceof OAuthRefusal)) return undefined;
      const { code, message, retryAfterS, status } = counted(error, door);
      return {
        status,
        body: { error: code, error_description: message },
        headers: retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) },
      };
    },

    async register(body: unknown, door: FrontDoor): Promise<AgentClient & { registeredAt: number }> {
      floods.take('register', door);
      const metadata = checked(clientMetadata, body, 'invalid_client_metadata');
      if ((metadata.token_endpoint_auth_method ?? 'none') !== 'none')
        throw new OAuthRefusal(
          'invalid_client_metadata',
          'A program on a computer keeps no secret: register with "token_endpoint_auth_method": "none".',
        );
      const redirectUris = allowedRedirects(metadata, door.isPublic);
      const registeredAt = clock.now();
      const client = {
        id: `homeport_agent_client_${ids.hex(16)}`,
        name: metadata.client_name ?? 'MCP client',
        redirectUris,
      };
      await database.transaction(async (tx) => {
        await store.insertClient(tx, client, registeredAt);
        await store.removeUnusedClients(tx, { most: MAX_CLIENTS, usedOrMadeAfter: registeredAt - UNUSED_CLIENT_MS });
      });
      return { ...client, registeredAt };
    },

    /**
     * Checks a request to authorize. A wrong client or address is thrown as a HomeportError, and nobody is redirected;
     * every other mistake is answered to the program.
     */
    async begin(asked: unknown, door: FrontDoor): Promise<{ id: string } | { redirect: string }> {
      const parsed = authorizeQuery.safeParse(asked);
      if (!parsed.success)
        throw new HomeportError('invalid_query_params', 'Each parameter of the sign-in is one text.');
      const query = parsed.data;
      const { client_id: clientId, redirect_uri: named } = query;
      if (!clientId)
        throw new HomeportError('invalid_query_params', 'The program did not say which client it is (client_id).');
      const client = await findClient(clientId, door).catch((error: unknown) => {
        throw toPerson(error, door);
      });
      const redirectUri = named ?? (client.redirectUris.length === 1 ? client.redirectUris[0] : undefined);
      if (!redirectUri || !client.redirectUris.some((one) => matchesRedirect(redirectUri, one)))
        throw new HomeportError(
          'invalid_query_params',
          'The address to return to (redirect_uri) is not one of this client.',
        );
      const id = ids.hex(16);
      const held: HeldRequest = {
        id,
        clientId,
        clientName: client.name,
        redirectUri,
        redirectName: redirectName(redirectUri),
        isPublic: door.isPublic,
        codeChallenge: query.code_challenge ?? '',
        state: query.state,
        issuer: door.base,
        expiresAt: clock.now() + REQUEST_MS,
      };
      const mistake = mistakeOf(query, door);
      if (mistake) return { redirect: answerTo(held, { error: mistake.code, error_description: mistake.message }) };
      try {
        requests.add(held);
      } catch (error) {
        throw toPerson(error, door);
      }
      return { id };
    },

    /** The request that waits for a person. */
    get: (id: string): SignInRequest => requests.show(id),

    /** The person agreed: the code for the session that was made. Resolves to the address to go back to. */
    async approve(id: string, makeSession: (request: SignInRequest) => Promise<{ id: string }>): Promise<string> {
      const held = requests.take(id);
      let sessionId: string;
      try {
        sessionId = (await makeSession(held)).id;
      } catch (error) {
        // The person may choose differently.
        requests.putBack(held);
        throw error;
      }
      return answerTo(held, { code: await tokens.issueCode({ ...held, sessionId }) });
    },

    deny(id: string): string {
      return answerTo(requests.take(id), { error: 'access_denied', error_description: 'The person refused.' });
    },

    async exchange(sent: unknown, door: FrontDoor): Promise<AgentTokens> {
      const body = checked(tokenBody, sent, 'invalid_request');
      requireResource(body.resource, door);
      if (body.grant_type === 'authorization_code') {
        const { code, code_verifier: verifier, redirect_uri: redirectUri, client_id: clientId } = body;
        if (!code || !verifier || !clientId)
          throw new OAuthRefusal('invalid_request', 'Send code, code_verifier and client_id.');
        const check = ({ binding, clientId: owner }: AgentTokenRow): void => {
          const isOwn = owner === clientId && (redirectUri === undefined || redirectUri === binding?.redirectUri);
          if (!isOwn || binding?.codeChallenge !== challengeOf(verifier))
            throw new OAuthRefusal('invalid_grant', 'The code was given to another client, address or verifier.');
        };
        return tokens.redeem(code, check, 'code');
      }
      if (body.grant_type !== 'refresh_token')
        throw new OAuthRefusal('unsupported_grant_type', 'Use authorization_code or refresh_token.');
      const { client_id: clientId, refresh_token: token } = body;
      if (!token || !clientId) throw new OAuthRefusal('invalid_request', 'Send refresh_token and client_id.');
      const check = ({ clientId: owner }: AgentTokenRow): void => {
        if (owner !== clientId) throw new OAuthRefusal('invalid_grant', 'The token was given to another client.');
      };
      return tokens.redeem(token, check, 'refresh');
    },

    /** The session of an access token; undefined when it is unknown or over. */
    findSessionId: tokens.findSessionId,

    /** Ends the session of a token that its program gives back (RFC 7009). An unknown token is no mistake. */
    async revoke(body: unknown): Promise<void> {
      const { token } = checked(revokeBody, body, 'invalid_request');
      if (token) await tokens.revoke(token);
    },
  };
}

/** Those to which a code may be sent. Programs also name addresses of their vendor, which are left out. */
function allowedRedirects({ redirect_uris: uris }: ClientMetadata, isPublic: boolean): string[] {
  const allowed = uris.filter((uri) => isAllowedRedirect(uri, { isPublic }));
  if (allowed.length > 0) return allowed;
  throw new OAuthRefusal(
    'invalid_redirect_uri',
    'No redirect address leads to a program of this computer. Use http://127.0.0.1:<port>/<path> or a scheme of the program.',
  );
}

function mistakeOf(query: AuthorizeQuery, door: FrontDoor): OAuthRefusal | undefined {
  if (query.response_type !== 'code')
    return new OAuthRefusal('unsupported_response_type', 'Only the response type "code" is supported.');
  if (query.code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(query.code_challenge ?? ''))
    return new OAuthRefusal('invalid_request', 'PKCE with S256 is required (code_challenge, code_challenge_method).');
  try {
    requireResource(query.resource, door);
  } catch (error) {
    if (error instanceof OAuthRefusal) return error;
    throw error;
  }
  return undefined;
}

/** A token is for the MCP address of this hub. A client that names no resource means this one: there is no other. */
function requireResource(resource: string | undefined, door: FrontDoor): void {
  const wanted = resourceOf(door);
  if (resource === undefined || resource.replace(/\/$/, '') === wanted) return;
  throw new OAuthRefusal('invalid_target', `Tokens are for ${wanted} only.`);
}

function checked<T>(schema: ZodType<T>, body: unknown, code: string): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new OAuthRefusal(code, `${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'not valid'}`);
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
