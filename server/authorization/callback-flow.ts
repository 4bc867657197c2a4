import {
  type CredentialsService,
  discoveredIssuer,
  type IssuedCredentials,
  isDiscovered,
  type StoredCredentials,
} from '../connections/credentials/credentials.service.ts';
import type { ConnectionTests } from '../lifecycle/connection-tests.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { FinishedConnection, FlowCompletion } from './flow-completion.ts';
import type { FlowContext } from './flow-context.ts';
import type { FlowState } from './flow-states.ts';
import type { GithubAppFlow } from './github-app-flow.ts';
import { clientOfFlow } from './redirect-flow.ts';

interface CallbackFlowOptions {
  credentials: CredentialsService;
  completion: FlowCompletion;
  tests: ConnectionTests;
  githubApp: GithubAppFlow;
}

export type CallbackQuery = Readonly<Record<string, string>>;

/**
 * Parameters with which providers explain a refusal, in the order in which they are shown (auth-and-connect.md 1.6).
 */
const REFUSAL_PARAMS = [
  'error',
  'error_description',
  'error_reason',
  'error_uri',
  'status_code',
  'error_message',
] as const;

/** The error that the provider's page reported; undefined when it reported none. */
export function refusalOf(query: CallbackQuery): Record<string, string> | undefined {
  const reasons = REFUSAL_PARAMS.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []));
  return reasons.length === 0 ? undefined : Object.fromEntries(reasons);
}

/** Creates a connection from the parameters of the provider's callback. */
export class CallbackFlow {
  readonly #options: CallbackFlowOptions;

  constructor(options: CallbackFlowOptions) {
    this.#options = options;
  }

  finish(state: FlowState, context: FlowContext, query: CallbackQuery): Promise<FinishedConnection> {
    switch (state.authMode) {
      case 'OAUTH2':
      case 'MCP_OAUTH2':
      case 'MCP_OAUTH2_GENERIC':
        return this.#finishOAuth2(state, context, query);
      case 'CUSTOM':
        return this.#options.githubApp.finishWithUser(state, context, query, () =>
          this.#exchange(state, context, query),
        );
      case 'OAUTH1':
        return this.#finishOAuth1(state, context, query);
      case 'INSTALL_PLUGIN':
        return this.#finishPlugin(context);
      default:
        throw new HomeportError('wrong_auth_mode', 'This authorization does not return to this address.');
    }
  }

  async #finishOAuth2(state: FlowState, context: FlowContext, query: CallbackQuery): Promise<FinishedConnection> {
    const { credentials, config } = await this.#exchange(state, context, query);
    const { completion } = this.#options;
    return completion.succeed(context, credentials, config ?? {});
  }

  /** The credentials, and the whole configuration of the connection. */
  async #exchange(state: FlowState, context: FlowContext, query: CallbackQuery): Promise<IssuedCredentials> {
    const fromCallback = pickNamed(query, context.entry.redirect_uri_metadata);
    const { connectionConfig } = state;
    if (isDiscovered(context.entry)) requireIssuer(query, connectionConfig);
    const issued = await this.#options.credentials.exchangeCode(
      { ...context, connectionConfig: mergeConfig(fromCallback, connectionConfig) },
      {
        client: clientOfFlow(context, connectionConfig),
        code: codeOf(context, query),
        redirectUri: state.callbackUrl,
        codeVerifier: state.codeVerifier,
      },
    );
    return moveOverridesToCredentials(
      issued.credentials,
      mergeConfig({ ...issued.config, ...fromCallback }, connectionConfig),
    );
  }

  async #finishOAuth1(state: FlowState, context: FlowContext, query: CallbackQuery): Promise<FinishedConnection> {
    const { oauth_token: key, oauth_verifier: verifier } = query;
    if (!key || !verifier) throw missing('The callback of the provider lacks the token or its verifier', query);
    const issued = await this.#options.credentials.exchangeOAuth1Token(
      context,
      clientOfFlow(context),
      { key, secret: state.requestTokenSecret ?? '' },
      verifier,
    );
    const config = mergeConfig(pickNamed(query, context.entry.redirect_uri_metadata), state.connectionConfig);
    return this.#options.completion.succeed(context, issued.credentials, withoutOverrides(config));
  }

  async #finishPlugin(context: FlowContext): Promise<FinishedConnection> {
    const { completion, credentials, tests } = this.#options;
    const issued = await credentials.issue(context, {});
    const { entry, integration, connectionConfig } = context;
    await tests.check(
      { entry, integration, credentials: issued.credentials, connectionConfig, metadata: {} },
      'interactive',
    );
    return completion.succeed(context, issued.credentials, withoutOverrides(connectionConfig));
  }
}

function codeOf({ entry }: FlowContext, query: CallbackQuery): string {
  const name = entry.authorization_code_param_in_callback ?? 'code';
  const code = query[name];
  if (code) return code;
  throw missing(`The callback of the provider lacks "${name}"`, query);
}

/** A code from another server must not be sent to this one (RFC 9207). */
function requireIssuer({ iss }: CallbackQuery, connectionConfig: Record<string, unknown>): void {
  const { issuer, isAlwaysNamed } = discoveredIssuer(connectionConfig);
  if (iss === undefined ? !isAlwaysNamed : iss === issuer) return;
  throw new HomeportError('callback_err', 'A different server answered than the one that was asked. Connect again.');
}

function missing(what: string, query: CallbackQuery): HomeportError {
  const reasons = refusalOf(query);
  if (!reasons) return new HomeportError('callback_err', `${what}.`);
  const said = Object.values(reasons).join(', ').replace(/\.$/, '');
  return new HomeportError('callback_err', `The provider did not give access: ${said}.`, { payload: reasons });
}

type Config = Record<string, unknown>;

/** Entered and preset values take precedence, except empty texts (auth-and-connect.md 3.5). */
export function mergeConfig(found: Config, entered: Config): Config {
  const kept = Object.entries(entered).filter(([name, value]) => value !== '' || found[name] === undefined);
  return { ...found, ...Object.fromEntries(kept) };
}

/** The callback parameters that the entry names. */
export function pickNamed(
  query: Readonly<Record<string, string>>,
  names: readonly string[] | undefined,
): Record<string, string> {
  return Object.fromEntries((names ?? []).flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])));
}

/** Moves the client overrides of an authorization to the credentials; only the rest is configuration. */
export function moveOverridesToCredentials(credentials: StoredCredentials, config: Config): IssuedCredentials {
  const {
    oauth_client_id_override: clientId,
    oauth_client_secret_override: clientSecret,
    oauth_refresh_token_override: refreshToken,
  } = config;
  const override = {
    ...(clientId ? { client_id: clientId } : {}),
    ...(clientSecret ? { client_secret: clientSecret } : {}),
  };
  return {
    credentials: {
      ...credentials,
      ...(refreshToken
        ? { refresh_token: refreshToken, raw: { ...credentials.raw, refresh_token: refreshToken } }
        : {}),
      ...(Object.keys(override).length > 0 ? { config_override: override } : {}),
    },
    config: { ...withoutOverrides(config), ...(refreshToken ? { overrideTokenRefresh: true } : {}) },
  };
}

/** The configuration as it is stored: without secrets of the authorization, and with scopes as a list. */
export function withoutOverrides(config: Config): Config {
  const {
    oauth_client_id_override: _id,
    oauth_client_secret_override: _secret,
    oauth_refresh_token_override: _token,
    oauth_scopes_override: scopes,
    ...rest
  } = config;
  return scopes === undefined ? rest : { ...rest, oauth_scopes_override: toList(scopes) };
}

function toList(scopes: unknown): string[] {
  const list = Array.isArray(scopes) ? scopes.map(String) : String(scopes).split(',');
  return list.map((scope) => scope.trim()).filter((scope) => scope !== '');
}
