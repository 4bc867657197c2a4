import { writtenHosts } from '../platform/lib/address-guard.ts';
import { asSentence } from '../platform/lib/as-sentence.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import { readBody } from '../platform/lib/outbound-exchange.ts';
import { type OutboundHttp, OwnAddressError } from '../platform/lib/outbound-http.ts';
import { type HubCallRequest, type HubCalls, whyRefused } from './transfer/hub-calls.ts';

interface JsonResponse {
  status: number;
  text: string;
}

type Send = (
  method: string,
  url: URL,
  headers: Record<string, string>,
  body: string | undefined,
) => Promise<JsonResponse>;

const MAX_BYTES = 256 * 1_048_576;
const SILENCE_MS = 60_000;

/**
 * Calls of another server with the same API. A person wrote its address, so it may be in the local network (design.md
 * 7.4). Throws `invalid_body` for an invalid address; calls throw `other_server_unreachable`.
 */
export function callServer(http: Pick<OutboundHttp, 'request'>, address: string, key: string): HubCalls {
  const url = URL.parse(address.trim());
  if (!url || !/^https?:$/.test(url.protocol))
    throw new HomeportError('invalid_body', 'Write the address of the server with http:// or https://.');
  // A copied key often has spaces or a line break around it.
  const secretKey = key.trim();
  const baseUrl = `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
  return createCalls(baseUrl, secretKey, async (method, target, headers, body) => {
    try {
      const response = await http.request({
        method,
        url: target,
        headers,
        ...(body === undefined ? {} : { body }),
        allowedHosts: writtenHosts(url),
        maxRedirects: 0,
        silenceMs: SILENCE_MS,
      });
      return { status: response.status, text: (await readBody(response.body, MAX_BYTES)).toString('utf8') };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error instanceof OwnAddressError) throw new HomeportError('invalid_body', asSentence(error.message));
      throw new HomeportError('other_server_unreachable', asSentence(`${url.host} does not answer: ${error.message}`));
    }
  });
}

/** Calls of this hub's own API. */
export function callOwnHub(baseUrl: string, secretKey: string, send: typeof fetch): HubCalls {
  return createCalls(baseUrl, secretKey, async (method, url, headers, body) => {
    const response = await send(url, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: response.status, text: await response.text() };
  });
}

function createCalls(baseUrl: string, secretKey: string, sendRequest: Send): HubCalls {
  const send: HubCalls['send'] = async (method, path, { query = {}, body }: HubCallRequest = {}) => {
    const url = new URL(`${baseUrl}${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const headers = {
      authorization: `Bearer ${secretKey}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const { status, text } = await sendRequest(
      method,
      url,
      headers,
      body === undefined ? undefined : JSON.stringify(body),
    );
    return { status, body: parseOrText(text) };
  };
  return {
    baseUrl,
    send,
    call: async <T>(method: string, path: string, request: HubCallRequest = {}): Promise<T> => {
      const response = await send(method, path, request);
      const problem = whyRefused(response);
      const { host } = new URL(baseUrl);
      if (problem === undefined) {
        // A website without this API answers with an HTML page.
        if (typeof response.body === 'string') throw incompatible(host, method, path);
        return response.body as T;
      }
      const reason = asSentence(`${host} refused ${method} ${path}: ${problem}`);
      throw response.status === 401
        ? new HomeportError('other_server_refused_key', `${reason} Check the secret key.`)
        : new HomeportError('other_server_refused', reason);
    },
  };
}

/**
 * Resolves when the server has this API and accepts the key. Throws `other_server_refused_key`,
 * `other_server_refused` or `other_server_incompatible`.
 */
export async function checkServer(hub: HubCalls): Promise<void> {
  const response = await hub.call<{ data?: unknown } | null | undefined>('GET', '/integrations');
  if (!Array.isArray(response?.data)) throw incompatible(new URL(hub.baseUrl).host, 'GET', '/integrations');
}

function incompatible(host: string, method: string, path: string): HomeportError {
  const message = `${host} does not answer ${method} ${path} as this API does. Check the address.`;
  return new HomeportError('other_server_incompatible', message);
}

function parseOrText(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so the text is returned.
    return text;
  }
}
