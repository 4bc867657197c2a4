import type { AuthMode } from '../../catalog/provider-modes.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { CredentialsService, Minted } from '../credentials/credentials-service.ts';
import type { ConnectionTests } from '../lifecycle/connection-tests.ts';
import type { FinishedConnection, FlowCompletion } from './flow-completion.ts';
import { toFlowFailure } from './flow-failure.ts';
import type { FlowDefaults, FlowPlace, FlowPlaces, FlowRequest } from './flow-place.ts';

export interface FormFlowOptions {
  places: FlowPlaces;
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
    const { completion, places } = this.#options;
    const place = withScopes(await places.open(request), request.mode);
    try {
      const { credentials, config } = await this.#mint(place, request);
      const connectionConfig = { ...place.connectionConfig, ...config };
      const { entry, integration } = place;
      await this.#options.tests.check(
        { entry, integration, credentials, connectionConfig, metadata: {} },
        'interactive',
      );
      return await completion.succeed(place, credentials, connectionConfig);
    } catch (error) {
      const failure = toFlowFailure(error);
      await completion.fail(place, failure.error, failure.newsType);
      throw failure.fault ?? error;
    }
  }

  async #mint(place: FlowPlace, { given, mode }: FormRequest): Promise<Minted> {
    try {
      return await this.#options.credentials.mint(place, given);
    } catch (error) {
      if (!(error instanceof HomeportError) || !REFUSED_AS_INVALID.has(mode)) throw error;
      throw new HomeportError('invalid_credentials', error.message, { status: 400, cause: error });
    }
  }
}

/** What the integration and the session ask for goes along in the configuration (auth-and-connect.md 2.4). */
function withScopes(place: FlowPlace & FlowDefaults, mode: AuthMode): FlowPlace {
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
