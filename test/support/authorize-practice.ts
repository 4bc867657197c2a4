import { createHash } from 'node:crypto';
import { PRACTICE_CLIENT } from '../../server/practice/authorization/practice-client.ts';

const VERIFIER = 'v'.repeat(48);
export const CALLBACK = 'http://localhost:3003/oauth/callback';

export interface ConsentAnswer {
  decision?: 'allow' | 'deny';
  /** Id of the practice person. */
  person?: string;
}

/** Opens a consent page of the practice provider and answers it as a person would; returns the address it leads to. */
export async function answerConsent(pageUrl: string, answer: ConsentAnswer = {}): Promise<URL> {
  const page = await fetch(pageUrl, { redirect: 'manual' });
  const ticket = /name="ticket" value="([^"]+)"/.exec(await page.text())?.[1];
  if (!ticket) throw new Error(`There is no consent page at ${pageUrl}: status ${page.status}.`);
  const { decision = 'allow', person = 'user-admin' } = answer;
  const response = await fetch(new URL('/oauth/consent', pageUrl), {
    method: 'POST',
    body: new URLSearchParams({ ticket, person, decision }),
    redirect: 'manual',
  });
  const target = response.headers.get('location');
  if (target === null) throw new Error(`The answer led nowhere: status ${response.status}.`);
  return new URL(target);
}

/** An authorization request as the hub sends it; `undefined` omits a parameter. */
export function authorizeUrl(address: string, changes: Record<string, string | undefined> = {}): string {
  const url = new URL('/oauth/authorize', address);
  const parameters = {
    response_type: 'code',
    client_id: PRACTICE_CLIENT.id,
    redirect_uri: CALLBACK,
    scope: 'issues:read directory:read',
    state: 'the-state',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** A token request with the client in its form. */
export function requestToken(address: string, parameters: Record<string, string>): Promise<Response> {
  const client = { client_id: PRACTICE_CLIENT.id, client_secret: PRACTICE_CLIENT.secret };
  return fetch(new URL('/oauth/token', address), {
    method: 'POST',
    body: new URLSearchParams({ ...client, ...parameters }),
  });
}

export interface TokenResponse {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
}

/** The code of a new consent. */
export async function obtainCode(address: string, changes: Record<string, string> = {}): Promise<string> {
  return (await answerConsent(authorizeUrl(address, changes))).searchParams.get('code') ?? '';
}

export function exchangeCode(
  address: string,
  code: string,
  changes: Record<string, string | undefined> = {},
): Promise<Response> {
  const parameters = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    ...changes,
  };
  const sent = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return requestToken(address, Object.fromEntries(sent));
}

/** The whole authorization; `changes` apply to the authorization request. */
export async function authorizePractice(address: string, changes: Record<string, string> = {}): Promise<TokenResponse> {
  const response = await exchangeCode(address, await obtainCode(address, changes));
  return (await response.json()) as TokenResponse;
}
