import type { Response } from 'express';
import type { PracticeClient } from './practice-client.ts';
import { type Html, html } from './practice-html.ts';
import { sendPage } from './practice-page.ts';
import { CALLBACK_PATH } from './practice-redirects.ts';

/** Sends a page with the problem and its solution, for failures that must not be sent to a redirect address. */
export function sendProblem(response: Response, title: string, content: Html): void {
  sendPage(response, { status: 400, title, content });
}

export function sendUnknownClient(response: Response, client: PracticeClient): void {
  sendProblem(
    response,
    'The app is not registered',
    html`<p>The client id it sent is not registered. Enter <code>${client.id}</code> as the client id of the integration.</p>`,
  );
}

export function sendRedirectMismatch(response: Response, address: string | undefined): void {
  sendProblem(
    response,
    'The redirect address does not match',
    html`<p>${address === undefined ? 'The app sent none.' : html`The app asked to return to <code>${address}</code>, which is not registered.`}</p>
<h2>Registered are</h2>
<ul><li>every address of this computer that ends in <code>${CALLBACK_PATH}</code></li>
<li>the callback address that the hub is set to use elsewhere</li></ul>
<p>At other providers, register the address exactly as the app sends it: scheme, host, port, path and the slash at the end count.</p>`,
  );
}
