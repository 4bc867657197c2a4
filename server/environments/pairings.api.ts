import { empty } from '../contract/fields.ts';
import { type ApiRequest, created, type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateParams, validateQuery } from '../platform/http/validate.ts';
import { isoDate } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { AppPairings } from './app-pairings.ts';
import type { EnvironmentService } from './environment.service.ts';
import { KEY_PRESETS } from './key-scopes.contract.ts';
import {
  askedPairingResponse,
  askPairingBody,
  pairingParams,
  pairingResponse,
  pollPairingBody,
} from './pairings.contract.ts';

export interface PairingsApiDeps {
  environments: EnvironmentService;
  pairings: AppPairings;
  /** Resolves to the program at the other end of a connection, as far as the operating system reports it. */
  findProcess(ends: { remotePort?: number; localPort?: number }): Promise<{ name: string; path: string } | undefined>;
}

/** Short enough to react fast, long enough to cost little. */
const POLL_INTERVAL_MS = 1000;

/** A local app asks for its own key, and the person allows it in the dashboard (http-api.md 12). */
export function pairingsApi(use: PairingsApiDeps): PublicRoute[] {
  return [
    {
      method: 'post',
      path: '/pairings',
      access: 'public',
      handler: createPairing(use),
      openapi: {
        id: 'createPairing',
        tag: 'Environment',
        summary: 'Ask the person for a key',
        details:
          'For apps of this computer, without a key. Show the code: the person compares it in the window and allows. ' +
          'Poll `POST /pairings/{id}` meanwhile. A request waits two minutes. At most 10 a minute and 5 at a time are accepted.',
        query: empty,
        body: askPairingBody,
        responses: { 201: askedPairingResponse },
        errors: ['forbidden', 'unknown_environment', 'too_many_request'],
        example: { body: { name: 'My app', scopes: 'read' } },
      },
    },
    {
      method: 'post',
      path: '/pairings/:id',
      access: 'public',
      handler: pollPairing(use),
      openapi: {
        id: 'pollPairing',
        tag: 'Environment',
        summary: 'Get the decision of the person',
        details:
          'The answer with `allowed` contains the key, once. The request is deleted after that, after five wrong codes, and two minutes after its end.',
        params: pairingParams,
        query: empty,
        body: pollPairingBody,
        responses: { 200: pairingResponse },
        errors: ['forbidden', 'not_found'],
        example: { path: '/pairings/$PAIRING_ID', body: { code: '$PAIRING_CODE' } },
      },
    },
  ];
}

function createPairing({ environments, findProcess, pairings }: PairingsApiDeps): Handler {
  return async (request) => {
    refusePages(request);
    validateQuery(empty, request.query);
    const { environment: name, name: app, scopes } = validateBody(askPairingBody, request.body);
    const environment = name === undefined ? environments.workspaceEnvironment : environments.findByName(name);
    if (!environment) throw new HomeportError('unknown_environment', `There is no environment "${name}".`);
    const { remotePort, localPort } = request.http.socket;
    const process = await findProcess({
      ...(remotePort === undefined ? {} : { remotePort }),
      ...(localPort === undefined ? {} : { localPort }),
    });
    const { id, code, expiresAt } = pairings.create(environment, {
      name: app,
      scopes: typeof scopes === 'string' ? KEY_PRESETS[scopes] : scopes,
      process: process ?? null,
    });
    return created({ data: { id, code, expires_at: isoDate(expiresAt), poll_interval_ms: POLL_INTERVAL_MS } });
  };
}

function pollPairing({ pairings }: PairingsApiDeps): Handler {
  return (request) => {
    refusePages(request);
    validateQuery(empty, request.query);
    const { id } = validateParams(pairingParams, request.params);
    const { code } = validateBody(pollPairingBody, request.body);
    const state = pairings.poll(id, code);
    if (state.status !== 'allowed') return ok({ data: { status: state.status } });
    const { environment, name, scopes, secretKey, status } = state;
    return ok({ data: { status, secret_key: secretKey, environment, display_name: name, scopes } });
  };
}

/** Refuses pages: a browser always sends `Origin` with a POST, other programs do not. */
function refusePages({ http }: ApiRequest): void {
  if (http.headers.origin !== undefined)
    throw new HomeportError('forbidden', 'A page in a browser cannot be paired: ask from a program of this computer.');
}
