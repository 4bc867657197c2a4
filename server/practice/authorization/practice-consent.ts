import express, { type Request, type Response, Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import { PracticeError } from '../practice-error.ts';
import {
  newSecret,
  PRACTICE_CLIENT,
  PRACTICE_PEOPLE,
  PRACTICE_SCOPES,
  type PracticePerson,
  type PracticeScope,
} from './practice-client.ts';
import { type Html, html, sendPage, sendProblem } from './practice-pages.ts';

const CONSENT_PATH = '/oauth/consent';
const TIME_TO_ANSWER_MS = 600_000;
const MAX_OPEN = 1000;
/** Browsers apply `form-action` to redirects too, and a hub may use another loopback name. */
const HUB_ADDRESSES = 'http://localhost:* http://127.0.0.1:*';

/** The request of an app for consent, in either protocol. */
export interface ConsentRequest {
  scopes: readonly PracticeScope[];
  /** Target of both responses. The page shows its host. */
  redirect: URL;
  /** Records the consent and returns the address for the browser. */
  allow: (person: PracticePerson) => URL;
  deny: () => URL;
}

export type PracticeConsent = ReturnType<typeof createPracticeConsent>;

/**
 * The consent page and its response. A page contains a random ticket that stands for its request and is valid once and
 * for ten minutes. Another site can neither read nor guess one, so it cannot answer for a person.
 */
export function createPracticeConsent({ clock, ids }: { clock: Clock; ids: Ids }) {
  const open = new LRUCache<string, ConsentRequest & { expiresAtMs: number }>({ max: MAX_OPEN });

  function take(ticket: string): ConsentRequest | undefined {
    const request = open.get(ticket);
    open.delete(ticket);
    return request && request.expiresAtMs > clock.now() ? request : undefined;
  }

  const router = Router();
  router.post(CONSENT_PATH, express.urlencoded({ extended: false }), (request, response) => {
    refuseForeignForm(request);
    const { ticket, person: id, decision } = (request.body ?? {}) as Record<string, unknown>;
    const asked = typeof ticket === 'string' ? take(ticket) : undefined;
    const person = PRACTICE_PEOPLE.find((one) => one.id === id);
    if (!asked) return sendProblem(response, 'This page is not valid any more', TOO_LATE);
    if (decision === 'allow' && person) return response.redirect(303, asked.allow(person).href);
    // Anything other than a clear yes counts as a no.
    response.redirect(303, asked.deny().href);
  });

  return {
    router,

    ask(response: Response, request: ConsentRequest): void {
      const ticket = newSecret(ids, 'practice_ticket');
      open.set(ticket, { ...request, expiresAtMs: clock.now() + TIME_TO_ANSWER_MS });
      sendPage(response, {
        title: `Allow “${PRACTICE_CLIENT.name}” to use your account?`,
        content: question(request, ticket),
        formTargets: `${sourceOf(request.redirect)} ${HUB_ADDRESSES}`,
      });
    },
  };
}

/** A policy cannot name an IPv6 address, only its scheme (CSP 3, 2.3.1). */
function sourceOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.protocol : url.origin;
}

const TOO_LATE = html`<p>It was answered before, or it stayed open for more than ten minutes. Go back to the app and connect again.</p>`;

/** Browsers send the origin of a form; other programs need not. */
function refuseForeignForm(request: Request): void {
  const origin = request.get('origin');
  if (origin !== undefined && origin !== `${request.protocol}://${request.get('host')}`)
    throw new PracticeError(403, 'foreign_form', 'Answer on the consent page itself.');
}

function question({ scopes, redirect }: ConsentRequest, ticket: string): Html {
  return html`<form method="post" action="${CONSENT_PATH}">
<p>The app at <code>${redirect.host}</code> asks for it. You return there with your answer.</p>
<h2>It will be able to</h2>
<ul class="scopes">
${scopes.map((scope) => html`<li>${PRACTICE_SCOPES[scope]} <code>${scope}</code></li>\n`)}</ul>
<input type="hidden" name="ticket" value="${ticket}">
<fieldset>
<legend>Continue as</legend>
${PRACTICE_PEOPLE.map(
  ({ id, name, email }, index) =>
    html`<label><input type="radio" name="person" value="${id}"${index === 0 ? html` checked` : ''}><span>${name}<small>${email}</small></span></label>\n`,
)}</fieldset>
<p class="note">For practice: these accounts and their data exist on this computer only.</p>
<div class="buttons">
<button name="decision" value="deny">Deny</button>
<button name="decision" value="allow" class="primary">Allow</button>
</div>
</form>`;
}
