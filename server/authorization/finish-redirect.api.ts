import { parseCookie } from 'cookie';
import { landingUrl } from '../contract/callback-page.ts';
import { isLoopbackName } from '../platform/http/host-guard.ts';
import type { ApiRequest, Handler } from '../platform/http/route.ts';
import { validateQuery } from '../platform/http/validate.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { callbackQuery } from './authorization.contract.ts';
import type { AuthorizationService, CallbackOutcome, CallbackQuery } from './authorization.service.ts';
import { sendFailurePage, sendSuccessPage } from './authorization-pages.api.ts';
import { stateCookieName } from './start-redirect.api.ts';

export interface FinishDeps {
  authorization: AuthorizationService;
  logger: Logger;
  /** Origin of the dashboard for people on this computer. */
  dashboardUrl(): string;
}

/** Status of every failed callback (auth-and-connect.md 3.6). */
const FAILED = 400;
/** Status of an installation whose state was never issued (auth-and-connect.md 3.7). */
const UNKNOWN = 404;
const GITHUB = 'https://github.com';

/** `GET /oauth/callback`: the provider sends the end user back (auth-and-connect.md 3.5). */
export function finishRedirect(use: FinishDeps): Handler {
  return async (request) => {
    const query = validateQuery(callbackQuery, request.query);
    if (!namesState(query) && query['installation_id'] && query['setup_action']) return sendBack(request);
    const cookies = parseCookie(request.http.headers.cookie ?? '');
    const isSameBrowser = (state: string): boolean => cookies[stateCookieName(state)] !== undefined;
    send(use, request, await use.authorization.finish(query, isSameBrowser));
    return undefined;
  };
}

/** `GET /app-auth/connect`: the end user returns from installing an app (auth-and-connect.md 3.7). */
export function finishInstallation(use: FinishDeps): Handler {
  return async (request) => {
    const query = validateQuery(callbackQuery, request.query);
    const isPlainSetup = query['setup_action'] === 'install' || query['setup_action'] === 'update';
    if (!query['state'] && isPlainSetup) return sendBack(request);
    const outcome = await use.authorization.finishInstallation(query);
    const isUnknown = !outcome.ok && outcome.callbackUrl === undefined;
    send(use, request, outcome, query['state'] && isUnknown ? UNKNOWN : FAILED);
    return undefined;
  };
}

function namesState(query: CallbackQuery): boolean {
  return Boolean(query['state'] || query['payload'] || query['customField']);
}

/** A change of an installation starts at GitHub, so the browser is sent back to the page that it came from. */
function sendBack({ http, response }: ApiRequest): undefined {
  const referer = URL.parse(http.headers.referer ?? '');
  const target = referer && /^https?:$/.test(referer.protocol) ? referer.href : GITHUB;
  response.status(302).location(target).end();
  return undefined;
}

/**
 * Undefined for a person who came through the public address: the person cannot open the dashboard from another
 * computer.
 */
function doctorOf(dashboardUrl: string, callbackUrl: string): string | undefined {
  if (!isLoopbackName(new URL(landingUrl(callbackUrl)).hostname)) return undefined;
  const asked = `redirect_uri=${callbackUrl}`;
  return `${dashboardUrl}/app/?open=callback&pasted=${encodeURIComponent(asked)}`;
}

function send(
  { logger, dashboardUrl }: FinishDeps,
  { response }: ApiRequest,
  outcome: CallbackOutcome,
  status = FAILED,
): void {
  if (outcome.ok) {
    sendSuccessPage(response, outcome);
    return;
  }
  const { callbackUrl, failure, provider, refusal } = outcome;
  if (failure.fault !== undefined) logger.error({ err: failure.fault }, 'unexpected failure of an authorization');
  const doctorUrl = callbackUrl === undefined ? undefined : doctorOf(dashboardUrl(), callbackUrl);
  sendFailurePage(response, { error: failure.error, refusal, callbackUrl, provider, status, doctorUrl });
}
