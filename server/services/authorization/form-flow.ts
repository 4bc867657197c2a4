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
  /** The values that the end user entered. */
  given: Record<string, unknown>;
}

/** Modes with their own error code for refused credentials (auth-and-connect.md 2.2). */
const REFUSED_AS_INVALID: ReadonlySet<AuthMode> = new Set<AuthMode>(['BILL', 'SIGNATURE']);

/** Connections of modes without a page of the provider (auth-and-connect.md 2.1). */
export class FormFlow {
  readonly #options: FormFlowOptions;

  constructor(options: FormFlowOptions) {
    this.#options = options;
  }

  async submit(request: FormRequest): Promise<FinishedConnection> {
    const context = withScopes(await this.#options.contexts.open(request), request.mode);
    return this.#reportFailure(context, () => this.#connect(context, request));
  }

  /** Creates a connection without a token; the provider sends the token when its marketplace has installed the app. */
  async prepare(request: FlowRequest): Promise<FinishedConnection> {
    const { completion, contexts } = this.#options;
    const context = await contexts.open({ ...request, mode: 'OAUTH2', isOutbound: true });
    const config = { ...context.connectionConfig, pending: true, pendingLog: context.operation.id };
    return this.#reportFailure(context, () =>
      completion.succeed(context, { type: 'OAUTH2', raw: {} }, config, { isPending: true }),
    );
  }

  async #connect(context: FlowContext, request: FormRequest): Promise<FinishedConnection> {
    const { completion, tests } = this.#options;
    const { entry, integration, operation, stored } = context;
    // Providers and functions may repeat entered values in their errors.
    operation.redactSecrets(secretsOf(request.given));
    const { credentials, config } = await this.#issue(context, request);
    const connectionConfig = { ...context.connectionConfig, ...config };
    const metadata = stored?.metadata ?? {};
    await tests.check({ entry, integration, credentials, connectionConfig, metadata }, 'interactive');
    return completion.succeed(context, credentials, connectionConfig);
  }

  async #reportFailure(context: FlowContext, work: () => Promise<FinishedConnection>): Promise<FinishedConnection> {
    try {
      return await work();
    } catch (error) {
      const failure = toFlowFailure(error);
      await this.#options.completion.fail(context, failure.error, failure.webhookErrorType);
      throw failure.fault ?? error;
    }
  }

  async #issue(context: FlowContext, { given, mode }: FormRequest): Promise<IssuedCredentials> {
    try {
      return await this.#options.credentials.issue(context, { ...given, ...keptRole(context, mode) });
    } catch (error) {
      if (!(error instanceof HomeportError) || !REFUSED_AS_INVALID.has(mode)) throw error;
      throw new HomeportError('invalid_credentials', error.message, { status: 400, cause: error });
    }
  }
}

/**
 * The trust policy of a role names its external id, so a reconnection must use the same one (auth-and-connect.md 2.7).
 */
function keptRole({ stored }: FlowContext, mode: AuthMode): Record<string, unknown> {
  if (mode !== 'AWS_SIGV4' || !stored) return {};
  const { external_id: externalId, region } = stored.connectionConfig;
  return { ...(externalId ? { external_id: externalId } : {}), ...(region ? { region } : {}) };
}

/** Adds the scopes of the integration and the session to the configuration (auth-and-connect.md 2.4). */
function withScopes(context: FlowContext & FlowDefaults, mode: AuthMode): FlowContext {
  if (mode !== 'OAUTH2_CC') return context;
  const { app, authorizationParams, connectionConfig } = context;
  return {
    ...context,
    connectionConfig: {
      ...(app.scopes ? { oauth_scopes: app.scopes } : {}),
      ...connectionConfig,
      ...(authorizationParams ? { authorization_params: authorizationParams } : {}),
    },
  };
}
