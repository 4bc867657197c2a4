import { callbackUrlOf } from '../../contract/callback-page.ts';
import type { CredentialsService } from '../credentials/credentials-service.ts';
import type { Environment } from '../environment/environment-service.ts';
import type { ConnectionTests } from '../lifecycle/connection-tests.ts';
import { type CallbackFlow, type CallbackQuery, refusalOf } from './callback-flow.ts';
import {
  type FinishedConnection,
  type FlowCompletion,
  type FlowFailure,
  toFlowFailure,
  unknownState,
} from './flow-completion.ts';
import type { FlowContext, FlowContexts, FlowDefaults, FlowRequest } from './flow-context.ts';
import type { FlowState, FlowStates } from './flow-states.ts';
import { FormFlow, type FormRequest } from './form-flow.ts';
import type { GithubAppFlow, PendingInstallations, ReportedInstallation } from './github-app-flow.ts';
import type { RedirectFlow, Redirection } from './redirect-flow.ts';

export type { CallbackQuery } from './callback-flow.ts';
export type { FlowFailure } from './flow-completion.ts';
export type { FormRequest } from './form-flow.ts';

export interface AuthorizationServiceOptions {
  places: FlowContexts;
  states: FlowStates;
  redirect: RedirectFlow;
  callback: CallbackFlow;
  githubApp: GithubAppFlow;
  pending: PendingInstallations;
  credentials: CredentialsService;
  completion: FlowCompletion;
  tests: ConnectionTests;
  /** Origin at which providers come back, without a trailing slash. */
  publicBase(): string;
}

/** A message to the page that waits for the outcome (auth-and-connect.md 1.6). */
export type AuthorizationSocketMessage =
  | ({ kind: 'success' } & FinishedConnection)
  | {
      kind: 'error';
      integrationKey?: string | undefined;
      connectionId?: string | undefined;
      type: string;
      message: string;
    };

export interface RedirectRequest extends FlowRequest {
  /** Overrides of the client. */
  credentials: Record<string, string>;
  authorizationParams: Record<string, string>;
  wsClientId: string | undefined;
}

/** What the callback page shows. */
export type CallbackOutcome =
  | { ok: true; connection: FinishedConnection; refusal: Record<string, string> | undefined; provider: string }
  | {
      ok: false;
      failure: FlowFailure;
      /** Its display name; undefined when nothing is known of the sign-in, or not enough. */
      provider?: string | undefined;
      refusal: Record<string, string> | undefined;
      /** The address that must be registered with the provider; undefined when the sign-in is not known. */
      callbackUrl: string | undefined;
    };

const ELSEWHERE =
  'The provider came back in another browser, or to another name of this computer, than it was sent to.';

/** End users connect accounts: by the provider's page, or by what they enter (auth-and-connect.md 2 and 3). */
export class AuthorizationService {
  readonly #options: AuthorizationServiceOptions;
  readonly #form: FormFlow;
  #tell: (wsClientId: string, news: AuthorizationSocketMessage) => void = () => {};

  constructor(options: AuthorizationServiceOptions) {
    this.#options = options;
    this.#form = new FormFlow(options);
  }

  /** Where news for waiting pages go. */
  connect({ tell }: { tell: (wsClientId: string, news: AuthorizationSocketMessage) => void }): void {
    this.#tell = tell;
  }

  /** The address that providers come back to, as it must be registered with them. */
  callbackUrl({ settings }: Environment): string {
    return callbackUrlOf(settings.callbackUrl, this.#options.publicBase());
  }

  /** Makes a connection of what the end user entered. */
  submit(request: FormRequest): Promise<FinishedConnection> {
    return this.#form.submit(request);
  }

  /** A connection without a token: the provider brings it when its marketplace has installed the app. */
  prepare(request: FlowRequest): Promise<FinishedConnection> {
    return this.#form.prepare(request);
  }

  /** Where to send the end user. A failure is told to the waiting page, too. */
  async start(request: RedirectRequest): Promise<Redirection> {
    const { wsClientId, integrationKey } = request;
    let place: (FlowContext & FlowDefaults) | undefined;
    try {
      place = await this.#options.places.open(request);
      return await this.#options.redirect.start({
        place,
        callbackUrl: this.callbackUrl(place.environment),
        credentials: request.credentials,
        authorizationParams: request.authorizationParams,
        wsClientId,
      });
    } catch (error) {
      const failure = toFlowFailure(error);
      // First of all: whoever waits shall not wait for the bookkeeping.
      this.#tellFailure(wsClientId, failure, { integrationKey, connectionId: place?.connectionId });
      if (place) await this.#options.completion.fail(place, failure.error, failure.newsType);
      else this.#options.completion.refuse(request.session, failure.error, failure.newsType);
      throw failure.fault ?? failure.error;
    }
  }

  /**
   * `/oauth/callback`: the state is used up before anything is checked. Another browser than the one it was given to
   * is noted and no more: behind a redirector it is the rule (auth-and-connect.md 3.5).
   */
  finish(query: CallbackQuery, isSameBrowser: (state: string) => boolean): Promise<CallbackOutcome> {
    const id = stateOf(query);
    return this.#finish(query, id, (state, place) => {
      if (id !== undefined && !isSameBrowser(id))
        place.operation.log({ level: 'info', context: 'auth', message: ELSEWHERE });
      return this.#options.callback.finish(state, place, query);
    });
  }

  /** `/app-auth/connect`: back from the installation of an app. */
  finishInstallation(query: CallbackQuery): Promise<CallbackOutcome> {
    return this.#finish(query, query['state'], (state, place) =>
      this.#options.githubApp.finishInstallation(state, place, query),
    );
  }

  /** The provider tells by a webhook that an app was installed. */
  completeInstallation(told: ReportedInstallation): Promise<void> {
    return this.#options.pending.complete(told);
  }

  /** A failure of the checks that stand before every sign-in, for the page that waits. */
  tellRefusal(wsClientId: string | undefined, error: unknown): void {
    this.#tellFailure(wsClientId, toFlowFailure(error));
  }

  #tellFailure(
    wsClientId: string | undefined,
    { error, socketType }: FlowFailure,
    about: { integrationKey?: string; connectionId?: string | undefined } = {},
  ): void {
    if (wsClientId === undefined) return;
    this.#tell(wsClientId, { kind: 'error', ...about, type: socketType, message: error.message });
  }

  async #finish(
    query: CallbackQuery,
    id: string | undefined,
    work: (state: FlowState, place: FlowContext) => Promise<FinishedConnection>,
  ): Promise<CallbackOutcome> {
    const refusal = refusalOf(query);
    const state = id === undefined ? undefined : await this.#options.states.take(id);
    if (!state) return { ok: false, failure: toFlowFailure(unknownState()), refusal, callbackUrl: undefined };
    const { integrationKey, connectionId, wsClientId } = state;
    let place: FlowContext | undefined;
    try {
      place = await this.#options.places.reopen(state);
      const connection = await work(state, place);
      if (wsClientId !== undefined) this.#tell(wsClientId, { kind: 'success', ...connection });
      return { ok: true, connection, refusal, provider: place.entry.display_name };
    } catch (error) {
      const failure = toFlowFailure(error);
      this.#tellFailure(wsClientId, failure, { integrationKey, connectionId });
      if (place) await this.#options.completion.fail(place, failure.error, failure.newsType);
      return { ok: false, failure, refusal, callbackUrl: state.callbackUrl, provider: place?.entry.display_name };
    }
  }
}

/** Some providers bring the state back under another name. */
function stateOf(query: CallbackQuery): string | undefined {
  return query['state'] || query['payload'] || query['customField'];
}
