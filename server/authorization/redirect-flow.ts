import { createHash } from 'node:crypto';
import {
  type CredentialsService,
  discoveredEntry,
  isDiscovered,
  joinScopes,
} from '../connections/credentials/credentials.service.ts';
import type { ClientRegistration } from '../lifecycle/client-registration.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import { buildAuthorizationUrl, isMcp } from './authorization-url.ts';
import {
  clientOfFlow,
  type FlowContext,
  type FlowDefaults,
  filledText,
  overridesOf,
  sessionScopes,
} from './flow-context.ts';
import type { FlowState, FlowStates } from './flow-states.ts';

/** An authorization that starts on the provider's own page. */
export interface RedirectStart {
  context: FlowContext & FlowDefaults;
  callbackUrl: string;
  /** Where providers find the document that describes the hub as a client; undefined where they cannot. */
  documentUrl: string | undefined;
  /** Client credentials from the query. */
  credentials: Record<string, string>;
  /** Parameters of the page for the authorization address. */
  authorizationParams: Record<string, string>;
  wsClientId: string | undefined;
}

/** Where the end user goes, and the state that the callback must return. */
export interface Redirection {
  url: string;
  state: string;
}

const CODE_GRANT = 'authorization_code';

/** Sends the end user to the provider and stores what is needed when they return. */
export function createRedirectFlow({
  credentials,
  states,
  registration,
  ids,
}: {
  credentials: CredentialsService;
  states: FlowStates;
  registration: ClientRegistration;
  ids: Ids;
}) {
  async function startOAuth2(start: RedirectStart, known: Record<string, unknown>): Promise<Redirection> {
    const { context, authorizationParams } = start;
    const { entry, app } = context;
    if (entry.token_params?.['grant_type'] !== undefined && entry.token_params['grant_type'] !== CODE_GRANT) {
      throw new HomeportError(
        'grant_type_err',
        `The provider ${entry.name} uses a grant type that Homeport does not support.`,
      );
    }
    const connectionConfig = { ...context.connectionConfig, ...overridesOf(start.credentials), ...known };
    const client = clientOfFlow(context, connectionConfig);
    const state = states.newId();
    // Nothing else proves who a client without a secret is.
    const isUnproved = client.secret === undefined;
    const codeVerifier = entry.disable_pkce === true && !isMcp(entry) && !isUnproved ? undefined : ids.hex(24);
    const withConfig = { ...context, connectionConfig };
    checkTokenParams(withConfig);
    const url = buildAuthorizationUrl({
      entry,
      clientId: client.id,
      redirectUri: start.callbackUrl,
      state,
      scopes: sessionScopes(connectionConfig) ?? app.scopes ?? '',
      userScopes: context.userScopes,
      connectionConfig,
      entryParams: credentials.fillParams(withConfig, entry.authorization_params),
      codeChallenge: codeVerifier === undefined ? undefined : challengeOf(codeVerifier),
      // Parameters of the session replace those of the caller.
      params: context.authorizationParams ?? authorizationParams,
      isFromPage: context.authorizationParams === undefined,
    });
    const kept = isDiscovered(entry) ? { ...connectionConfig, oauth_code_verifier: codeVerifier } : connectionConfig;
    await save(state, start, { connectionConfig: kept, codeVerifier });
    return { url, state };
  }

  async function startRegistered(start: RedirectStart): Promise<Redirection> {
    const { context, callbackUrl, documentUrl } = start;
    if (context.entry.auth_mode === 'MCP_OAUTH2') credentials.checkTokenAddress(context);
    const config = { ...context.connectionConfig, ...overridesOf(start.credentials) };
    return startOAuth2(start, await registeredClient(registration, { context, config, callbackUrl, documentUrl }));
  }

  /** For a server that only the end user or the session names: its own metadata says how to authorize. */
  async function startDiscovered(start: RedirectStart): Promise<Redirection> {
    const { callbackUrl, documentUrl } = start;
    // The server's own metadata names the resource, so an entered one is ignored.
    const { oauth_resource_url: _resource, ...entered } = start.context.connectionConfig;
    const asked = { ...start.context, connectionConfig: { ...entered, ...overridesOf(start.credentials) } };
    const { config, scopes } = await credentials.discover(asked, { callbackUrl, documentUrl });
    const entry = discoveredEntry(asked.entry, config);
    const wanted = sessionScopes(asked.connectionConfig) ?? (asked.app.scopes || scopes.join(','));
    // Servers do not ask for consent twice, and without consent they issue no refresh token (OpenID Connect, 11).
    const prompt = wanted.split(',').includes('offline_access') ? { prompt: 'consent' } : {};
    const context = {
      ...asked,
      connectionConfig: entered,
      app: { ...asked.app, scopes: wanted },
      entry: { ...entry, authorization_params: { ...prompt, ...entry.authorization_params } },
    };
    return startOAuth2({ ...start, context }, config);
  }

  async function startOAuth1(start: RedirectStart): Promise<Redirection> {
    const { context } = start;
    const { entry, app } = context;
    const { authorization_url: authorizationUrl } = entry;
    if (authorizationUrl === undefined)
      throw new HomeportError('url_param_err', `The provider ${entry.name} names no authorization_url.`);
    const client = clientOfFlow(context);
    const state = states.newId();
    const callback = new URL(start.callbackUrl);
    callback.searchParams.set('state', state);
    const token = await credentials.requestOAuth1Token(context, client, callback.href);
    await save(state, start, {
      connectionConfig: context.connectionConfig,
      requestTokenSecret: token.secret,
    });
    const url = new URL(authorizationUrl);
    const params = {
      oauth_token: token.key,
      scope: joinScopes(app.scopes ?? '', entry),
      ...entry.authorization_params,
      oauth_callback: callback.href,
    };
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    return { url: url.href, state };
  }

  async function startApp(start: RedirectStart): Promise<Redirection> {
    const appPublicLink = appLinkOf(start.context);
    const state = states.newId();
    await save(state, start, { connectionConfig: { ...start.context.connectionConfig, appPublicLink } });
    return { url: `${appPublicLink.replace(/(?<!\/)\/+$/, '')}/installations/new?state=${state}`, state };
  }

  async function startPlugin(start: RedirectStart): Promise<Redirection> {
    const url = new URL(appLinkOf(start.context));
    const state = states.newId();
    url.searchParams.set('payload', state);
    await save(state, start, { connectionConfig: start.context.connectionConfig });
    return { url: url.href, state };
  }

  /**
   * Throws for a missing value of the token request before the end user goes to the provider. Values that the callback
   * or the token response provides are not checked.
   */
  function checkTokenParams(context: FlowContext): void {
    const {
      token_params: params = {},
      redirect_uri_metadata: fromCallback = [],
      token_response_metadata: fromResponse = [],
    } = context.entry;
    const later = [...fromCallback, ...fromResponse];
    const known = Object.entries(params).filter(
      ([, value]) => !later.some((name) => JSON.stringify(value).includes(name)),
    );
    credentials.fillParams(context, Object.fromEntries(known));
  }

  function save(
    id: string,
    { context, callbackUrl, wsClientId }: RedirectStart,
    parts: Pick<FlowState, 'connectionConfig' | 'codeVerifier' | 'requestTokenSecret'>,
  ): Promise<void> {
    return states.save(id, {
      environmentId: context.environmentId,
      integrationKey: context.integration.uniqueKey,
      provider: context.entry.name,
      authMode: context.entry.auth_mode,
      connectionId: context.connectionId,
      callbackUrl,
      session: context.session,
      wsClientId,
      operationId: context.operation.id,
      ...parts,
    });
  }

  return {
    start(start: RedirectStart): Promise<Redirection> {
      const { entry } = start.context;
      switch (entry.auth_mode) {
        case 'OAUTH2':
        case 'MCP_OAUTH2':
          return startRegistered(start);
        case 'MCP_OAUTH2_GENERIC':
          return startDiscovered(start);
        case 'CUSTOM':
          return startOAuth2(start, { appPublicLink: appLinkOf(start.context) });
        case 'OAUTH1':
          return startOAuth1(start);
        case 'APP':
          return startApp(start);
        case 'INSTALL_PLUGIN':
          return startPlugin(start);
        default:
          throw new HomeportError(
            'invalid_auth_mode',
            `Connections to ${entry.display_name} are not created by an authorization at the provider (${entry.auth_mode}).`,
          );
      }
    },
  };
}

/**
 * The client that the hub registered at the provider, as configuration; empty where a person enters one. The connection
 * keeps the client with which it was made, because the integration's client may be registered again later.
 */
export async function registeredClient(
  registration: ClientRegistration,
  {
    config,
    context,
    ...addresses
  }: {
    context: FlowContext;
    config: Record<string, unknown>;
    callbackUrl: string;
    documentUrl: string | undefined;
  },
): Promise<Record<string, string>> {
  if (filledText(config['oauth_client_id_override'])) return {};
  const registered = await registration.ensure(context, addresses);
  if (!registered) return {};
  const { id, secret } = registered;
  return {
    oauth_client_id_override: id,
    ...(secret === undefined ? {} : { oauth_client_secret_override: secret }),
  };
}

function appLinkOf({ app, custom, entry }: FlowContext): string {
  const link = app.appLink ?? custom['app_link'];
  if (link !== undefined && /^https?:\/\//i.test(link) && URL.canParse(link)) return link;
  throw new HomeportError(
    'provider_config_err',
    `The integration of ${entry.display_name} needs the public address of the app (app_link). Add it in its settings.`,
  );
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
