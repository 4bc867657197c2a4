import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { PracticeError } from '../practice-error.ts';

/** A request in the form in which OAuth 1.0a signs it (RFC 5849, 3.4.1). */
export interface SignedRequest {
  method: string;
  /** Without the query. */
  url: string;
  /** Parameters of the `authorization` header without `realm`. */
  oauth: Map<string, string>;
  /** All signed parameters: of the header without the signature, of the query, and of a form. Names may repeat. */
  parameters: Array<[name: string, value: string]>;
}

const SCHEME = /^OAuth\s/i;

export function isSignedRequest(request: Request): boolean {
  return SCHEME.test(request.get('authorization') ?? '');
}

/** For body parsers (`verify`): keeps the original text of a form, because the signature covers it. */
export function keepFormText(request: IncomingMessage, _response: unknown, bytes: Buffer): void {
  Object.assign(request, { formText: bytes.toString('utf8') });
}

export function readSignedRequest(request: Request): SignedRequest {
  const oauth = headerParameters(request.get('authorization') ?? '');
  const [path = '', query = ''] = splitOnce(request.originalUrl, '?');
  const { formText = '' } = request as { formText?: string };
  return {
    method: request.method,
    url: `${request.protocol}://${(request.get('host') ?? '').toLowerCase()}${path}`,
    oauth,
    parameters: [
      ...[...oauth].filter(([name]) => name !== 'oauth_signature'),
      ...new URLSearchParams(query),
      ...new URLSearchParams(formText),
    ],
  };
}

/** A signed parameter from any place: clients also send `oauth_callback` and `oauth_verifier` in a form. */
export function signedParameter({ parameters }: SignedRequest, name: string): string | undefined {
  return parameters.find(([one]) => one === name)?.[1];
}

function headerParameters(header: string): Map<string, string> {
  const pairs = [...header.replace(SCHEME, '').matchAll(/(?<![^\s,="])([^\s,="]+)="([^"]*)"/g)];
  const parameters = new Map<string, string>();
  for (const [, name = '', value = ''] of pairs) {
    if (name === 'realm') continue;
    if (parameters.has(decoded(name))) throw unreadable(`${name} is in the authorization header twice.`);
    parameters.set(decoded(name), decoded(value));
  }
  return parameters;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It throws only for a `%` without an encoded character.
    throw unreadable('The authorization header is not percent-encoded.');
  }
}

function splitOnce(text: string, at: string): [before: string, after: string] {
  const index = text.indexOf(at);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + at.length)];
}

function unreadable(message: string): PracticeError {
  return new PracticeError(400, 'parameter_rejected', message);
}
