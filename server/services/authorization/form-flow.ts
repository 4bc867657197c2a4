import type { AuthMode } from '../../catalog/provider-modes.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import { secretsOf } from '../../lib/secrets.ts';
import type { CredentialsService, IssuedCredentials } from '../credentials/credentials-service.ts';
import type { ConnectionTests } from '../lifecycle/connection-tests.ts';
import { type FinishedConnection, type FlowCompletion, toFlowFailure } from './flow-completion.ts';
import type { FlowContext, FlowContexts, FlowDefaults, FlowRequest } from './flow-context.ts';

export interface FormFlowOptions {
  contexts: FlowContexts;
  credentials: CredentialsService;
  completion: FlowCompletion;
  tests: ConnectionTests;
}

export interface FormRequest extends FlowRequest {
  mode: AuthMode;
  /** What the end user entered. */
  given: Record<string, unknown>;
}

/** Modes whose refused credentials have one name (auth-and-connect.md 2.2). */
const REFUSED_AS_INVALID: ReadonlySet<AuthMode> = new Set<AuthMode>(['BILL', 'SIGNATURE']);

/** Connections of modes that need no page of the provider (auth-and-connect.md 2.1). */
export class FormFlow {
  readonly #options: FormFlowOptions;

  constructor(options: FormFlowOptions) {
    this.#options = options;
  }

  async submit(request: FormRequest): Promise<FinishedConnection> {
    const place = withScopes(await this.#options.contexts.open(request), request.mode);
    return this.#tellFailure(place, () => this.#connect(place, request));
  }

  /** A connection without a token: the provider brings it when its marketplace has installed the app. */
  async prepare(request: FlowRequest): Promise<FinishedConnection> {
    const { completion, contexts } = this.#options;
    const place = await contexts.open({ ...request, mode: 'OAUTH2', isOutbound: true });
    const config = { ...place.connectionConfig, pending: true, pendingLog: place.operation.id };
    return this.#tellFailure(place, () =>
      completion.succeed(place, { type: 'OAUTH2', raw: {} }, config, { isPending: true }),
    );
  }

  async #connect(place: FlowContext, request: FormRequest): Promise<FinishedConnection> {
    const { completion, tests } = this.#options;
    const { entry, integration, operation, stored } = place;
    // Providers and functions may repeat what was entered.
    operation.redactSecrets(secretsOf(request.given));
    const { credentials, config } = await this.#mint(place, request);
    const connectionConfig = { ...place.connectionConfig, ...config };
    const metadata = stored?.metadata ?? {};
    await tests.check({ entry, integration, credentials, connectionConfig, metadata }, 'interactive');
    return completion.succeed(place, credentials, connectionConfig);
  }

  async #tellFailure(place: FlowContext, work: () => Promise<FinishedConnection>): Promise<FinishedConnection> {
    try {
      return await work();
    } catch (error) {
      const failure = toFlowFailure(error);
      await this.#options.completion.fail(place, failure.error, failure.newsType);
      throw failure.fault ?? error;
    }
  }

  async #mint(place: FlowContext, { given, mode }: FormRequest): Promise<IssuedCredentials> {
    try {
      return await this.#options.credentials.mint(place, { ...given, ...keptRole(place, mode) });
    } catch (error) {
      if (!(error instanceof HomeportError) || !REFUSED_AS_INVALID.has(mode)) throw error;
      throw new HomeportError('invalid_credentials', error.message, { status: 400, cause: error });
    }
  }
}

/** The trust policy of a role names its external id, so a renewal asks with the same one (auth-and-connect.md 2.7). */
function keptRole({ stored }: FlowContext, mode: AuthMode): Record<string, unknown> {
  if (mode !== 'AWS_SIGV4' || !stored) return {};
  const { external_id: externalId, region } = stored.connectionConfig;
  return { ...(externalId ? { external_id: externalId } : {}), ...(region ? { region } : {}) };
}

/** What the integration and the session ask for goes along in the configuration (auth-and-connect.md 2.4). */
function withScopes(place: FlowContext & FlowDefaults, mode: AuthMode): FlowContext {
  if (mode !== 'OAUTH2_CC') return place;
  const { app, authorizationParams, connectionConfig } = place;
  return {
    ...place,
    connectionConfig: {
      ...(app.scopes ? { oauth_scopes: app.scopes } : {}),
      ...connectionConfig,
      ...(authorizationParams ? { authorization_params: authorizationParams } : {}),
    },
  };
}
