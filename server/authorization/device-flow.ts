import type { CredentialsService, IssuedCredentials } from '../connections/credentials/credentials.service.ts';
import type { Environment } from '../environments/environment.service.ts';
import { registrationOf } from '../integrations/catalog/ways-in.contract.ts';
import type { ClientRegistration } from '../lifecycle/client-registration.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { HomeportError, isHubFault, isVaultLocked } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { SingleFlight } from '../platform/lib/single-flight.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsService } from './connect-sessions.service.ts';
import type { FinishedConnection, FinishFlow } from './finish-flow.ts';
import {
  clientOfFlow,
  type FlowContext,
  type FlowContexts,
  type FlowRequest,
  mergeConfig,
  moveOverridesToCredentials,
  overridesOf,
  sessionScopes,
} from './flow-context.ts';
import { toFlowFailure } from './flow-failure.ts';
import { type DeviceState, FLOW_LIFETIME_MS, type FlowState, type FlowStates } from './flow-states.ts';
import { registeredClient } from './redirect-flow.ts';

export interface DeviceFlowRequest extends FlowRequest {
  /** Client credentials that replace the integration's. */
  credentials: Record<string, string>;
  /** Asks for another code although one is valid. */
  isNew: boolean;
}

/** A sign-in with a code, as its page may see it: without the secret of the device. */
export type DeviceSignIn =
  | {
      status: 'pending';
      userCode: string;
      verificationUri: string;
      verificationUriComplete: string | undefined;
      expiresAt: number;
    }
  | { status: 'connected'; connection: FinishedConnection }
  | { status: 'denied' | 'expired' | 'failed'; code: string; message: string }
  | { status: 'none' };

type Ended = Exclude<DeviceSignIn, { status: 'pending' | 'none' }>;

/** A page in the background asks once a minute. After that long without a question nobody waits any more. */
const ABANDONED_MS = 150_000;
/** As long as a session lives at most. */
const KEPT_MS = 30 * 60_000;
/** The mode of states of these sign-ins, which no callback can finish. */
const DEVICE = 'DEVICE';

interface Poll {
  state: FlowState & { device: DeviceState };
  intervalMs: number;
  /** When the page asked last. */
  askedAt: number;
  timer: Timer | undefined;
}

/** Sign-ins in which a person enters a code at the provider while the hub asks for the result (RFC 8628). */
export function createDeviceFlow({
  contexts,
  states,
  credentials,
  registration,
  connectSessions,
  clock,
  logger,
  flowEnd,
  callbackUrl,
}: {
  contexts: FlowContexts;
  states: FlowStates;
  credentials: CredentialsService;
  registration: ClientRegistration;
  connectSessions: Pick<ConnectSessionsService, 'isOpen'>;
  clock: Clock;
  logger: Logger;
  flowEnd: Pick<FinishFlow, 'succeed' | 'fail' | 'refuse'>;
  callbackUrl(environment: Environment): string;
}) {
  const polls = new Map<string, Poll>();
  const ended = new Map<string, { outcome: Ended; timer: Timer }>();
  const starts = new SingleFlight<DeviceSignIn>();

  async function begin(id: string, request: DeviceFlowRequest): Promise<DeviceSignIn> {
    const running = request.isNew ? undefined : await find(id);
    if (running?.status === 'pending') return running;
    await stopAsking(id);
    let context: FlowContext | undefined;
    try {
      const opened = await contexts.open(request);
      context = opened;
      return await ask(id, opened, { request, params: opened.authorizationParams ?? {} });
    } catch (error) {
      const failure = toFlowFailure(error);
      if (context) await flowEnd.fail(context, failure);
      else flowEnd.refuse(request.session, failure);
      throw failure.fault ?? failure.error;
    }
  }

  async function ask(
    id: string,
    context: FlowContext,
    { request, params }: { request: DeviceFlowRequest; params: Record<string, string> },
  ): Promise<DeviceSignIn> {
    const { app, connectionId, entry, environment, environmentId, integration, operation, session } = context;
    if (entry.device_authorization_url === undefined)
      throw new HomeportError('invalid_auth_mode', `${entry.display_name} offers no sign-in with a code.`);
    const entered = { ...context.connectionConfig, ...overridesOf(request.credentials) };
    const registered =
      registrationOf(entry) === 'dynamic'
        ? await registeredClient(registration, {
            context,
            config: entered,
            callbackUrl: callbackUrl(environment),
            documentUrl: undefined,
          })
        : {};
    const connectionConfig = { ...entered, ...registered };
    const asked = { ...context, connectionConfig };
    const client = clientOfFlow(asked, connectionConfig);
    const scopes = sessionScopes(connectionConfig) ?? app.scopes ?? '';
    const { lifetimeS, ...code } = await credentials.requestDeviceCode(asked, { client, scopes, params });
    const now = clock.now();
    const state = {
      environmentId,
      integrationKey: integration.uniqueKey,
      provider: entry.name,
      authMode: DEVICE,
      connectionId,
      callbackUrl: '',
      connectionConfig,
      session,
      operationId: operation.id,
      device: { ...code, expiresAt: now + Math.min(lifetimeS * 1000, FLOW_LIFETIME_MS) },
    };
    await states.save(id, state);
    operation.log({ level: 'info', context: 'auth', message: `${entry.display_name} gave a code to enter there.` });
    return follow(id, state);
  }

  /** Starts asking the provider, first after the interval that it named. */
  function follow(id: string, state: Poll['state']): DeviceSignIn {
    const poll: Poll = { state, intervalMs: state.device.intervalS * 1000, askedAt: clock.now(), timer: undefined };
    polls.set(id, poll);
    schedule(id, poll);
    return shown(state);
  }

  function schedule(id: string, poll: Poll): void {
    const { device, issued } = poll.state;
    const leftMs = issued ? poll.intervalMs : Math.max(device.expiresAt - clock.now(), 0);
    poll.timer = clock.after(Math.min(poll.intervalMs, leftMs), () => void question(id, poll));
  }

  /** Asks the provider once. Whatever happens is an outcome for the page, so nothing is thrown. */
  async function question(id: string, poll: Poll): Promise<void> {
    const { session, device } = poll.state;
    try {
      if (polls.get(id) !== poll) return;
      if (!poll.state.issued && clock.now() >= device.expiresAt) return await end(id, poll, expired());
      if (clock.now() - poll.askedAt > ABANDONED_MS) return void polls.delete(id);
      if (!(await connectSessions.isOpen(session.lookupHash)) || !(await states.peek(id)))
        return await stopAsking(id, poll);
      await askForTokens(id, poll);
    } catch (error) {
      // A locked vault opens again, and a provider that could not be reached is asked less often (RFC 8628, 3.5).
      if (error instanceof HomeportError && error.code === 'provider_unreachable') poll.intervalMs *= 2;
      else if (poll.state.issued && isHubFault(error) && !isVaultLocked(error)) {
        logger.error({ err: error }, 'a sign-in with a code could not be stored; it is tried again');
        poll.intervalMs *= 2;
      } else if (!isVaultLocked(error)) return fail(id, poll, error);
    }
    if (polls.get(id) === poll) schedule(id, poll);
  }

  async function askForTokens(id: string, poll: Poll): Promise<void> {
    if (poll.state.issued) return finish(id, poll, poll.state.issued);
    const { connectionConfig, device } = poll.state;
    const context = await contexts.reopen(poll.state);
    const client = clientOfFlow(context, connectionConfig);
    const intervalS = poll.intervalMs / 1000;
    const scopes = sessionScopes(connectionConfig) ?? context.app.scopes ?? '';
    const question = { client, deviceCode: device.deviceCode, scopes, intervalS };
    const answer = await credentials.requestDeviceTokens(context, question);
    if (answer.state === 'pending') return wait(id, poll, answer.intervalS);
    if (answer.state !== 'issued') {
      if (answer.state === 'expired') return end(id, poll, expired());
      throw new HomeportError('callback_err', `The sign-in was refused at ${context.entry.display_name}.`);
    }
    // The provider gives them once: they are kept first, also while the vault is locked.
    poll.state = { ...poll.state, issued: answer.issued };
    await states.update(id, poll.state);
    return finish(id, poll, answer.issued);
  }

  async function finish(id: string, poll: Poll, given: IssuedCredentials): Promise<void> {
    const context = await contexts.reopen(poll.state);
    // Nobody may have cancelled meanwhile.
    if (polls.get(id) !== poll || !(await states.take(id))) return;
    const config = mergeConfig(given.config ?? {}, poll.state.connectionConfig);
    const issued = { ...given, ...moveOverridesToCredentials(given.credentials, config) };
    try {
      const connection = await flowEnd.succeed(context, issued, issued.config ?? {});
      keep(id, poll, { status: 'connected', connection });
    } catch (error) {
      if (isHubFault(error)) await states.save(id, poll.state);
      throw error;
    }
  }

  /** A longer wait that the provider asked for holds until the end, also after a restart. */
  async function wait(id: string, poll: Poll, intervalS: number): Promise<void> {
    if (intervalS * 1000 === poll.intervalMs) return;
    poll.intervalMs = intervalS * 1000;
    poll.state = { ...poll.state, device: { ...poll.state.device, intervalS } };
    await states.update(id, poll.state);
  }

  async function fail(id: string, poll: Poll, error: unknown): Promise<void> {
    const failure = toFlowFailure(error);
    if (failure.fault !== undefined) logger.error({ err: failure.fault }, 'unexpected failure of an authorization');
    const { code, message } = failure.error;
    const status = code === 'callback_err' ? 'denied' : 'failed';
    await states.remove(id);
    keep(id, poll, { status, code: status === 'denied' ? 'access_denied' : code, message });
    try {
      await flowEnd.fail(await contexts.reopen(poll.state), failure);
    } catch (gone) {
      if (!(gone instanceof HomeportError)) throw gone;
      flowEnd.refuse(poll.state.session, failure); // The integration was deleted meanwhile.
    }
  }

  async function end(id: string, poll: Poll, outcome: Ended): Promise<void> {
    await states.remove(id);
    keep(id, poll, outcome);
  }

  /** Keeps the outcome for the page, unless another sign-in has begun meanwhile. */
  function keep(id: string, poll: Poll, outcome: Ended): void {
    if (polls.get(id) !== poll) return;
    polls.delete(id);
    forget(id);
    ended.set(id, { outcome, timer: clock.after(KEPT_MS, () => forget(id)) });
  }

  function forget(id: string): void {
    ended.get(id)?.timer.cancel();
    ended.delete(id);
  }

  async function stopAsking(id: string, poll = polls.get(id)): Promise<void> {
    poll?.timer?.cancel();
    if (polls.get(id) === poll) polls.delete(id);
    forget(id);
    await states.remove(id);
  }

  /** How the sign-in is now. A question of the page keeps it alive, also after a restart of the hub. */
  async function find(id: string): Promise<DeviceSignIn> {
    const poll = polls.get(id);
    if (poll) {
      poll.askedAt = clock.now();
      return shown(poll.state);
    }
    const over = ended.get(id)?.outcome;
    if (over) return over;
    const state = await states.peek(id);
    if (!state?.device) return { status: 'none' };
    if (!state.issued && state.device.expiresAt <= clock.now()) return expired();
    return follow(id, { ...state, device: state.device });
  }

  return {
    begin: (request: DeviceFlowRequest): Promise<DeviceSignIn> => {
      const id = idOf(request.session, request.integrationKey);
      return starts.run(id, () => begin(id, request));
    },
    find: (session: ConnectSession, integrationKey: string): Promise<DeviceSignIn> =>
      find(idOf(session, integrationKey)),
    cancel: (session: ConnectSession, integrationKey: string): Promise<void> =>
      stopAsking(idOf(session, integrationKey)),
    /** Stored sign-ins go on when their page asks again. */
    stop(): void {
      for (const { timer } of polls.values()) timer?.cancel();
      for (const { timer } of ended.values()) timer.cancel();
      polls.clear();
      ended.clear();
    },
  };
}

/** One sign-in at a time for each session and integration. */
function idOf({ lookupHash }: ConnectSession, integrationKey: string): string {
  return `device:${lookupHash}:${integrationKey}`;
}

function shown({ device }: Poll['state']): DeviceSignIn {
  const { expiresAt, userCode, verificationUri, verificationUriComplete } = device;
  return { status: 'pending', userCode, verificationUri, verificationUriComplete, expiresAt };
}

function expired(): Ended {
  return {
    status: 'expired',
    code: 'expired_token',
    message: 'The code expired before it was entered. Ask for a new one.',
  };
}
