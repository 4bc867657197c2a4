import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { TokenAnswer, TokenContext } from '../token-context.ts';

/** A server that sends nothing for this long is given up. */
const TIMEOUT_MS = 10_000;
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * `fetch` for a library, over the guarded sender. `check` sees every address, including those of redirects, and throws
 * for forbidden ones. Redirects are returned, not followed.
 */
export function sendAsFetch({ send }: Pick<TokenContext, 'send'>, check: (url: string) => void): FetchLike {
  return async (url, init = {}) => {
    check(String(url));
    const answer = await send({
      method: init.method === 'POST' ? 'POST' : 'GET',
      url: String(url),
      headers: { 'user-agent': 'Homeport', ...Object.fromEntries(new Headers(init.headers)) },
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      timeoutMs: TIMEOUT_MS,
      isProbe: true,
    });
    return toResponse(answer);
  };
}

function toResponse({ status, headers, text }: TokenAnswer): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return new Response(WITHOUT_BODY.has(status) ? null : text, { status, headers: pairs });
}
