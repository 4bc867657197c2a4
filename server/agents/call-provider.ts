import type { z } from 'zod';
import type { Operation } from '../log/operation.ts';
import type { McpContext } from '../mcp/mcp.service.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import { readBody } from '../platform/lib/outbound-exchange.ts';
import { readsOnly } from '../platform/lib/reads-only.ts';
import type { ProxyService } from '../proxy/proxy.service.ts';
import type { proxyInput } from './meta-tools.contract.ts';

export interface ProviderAnswer {
  status: number;
  headers: Record<string, string>;
  /** JSON as a value, other text as text, anything else in base64. */
  body: unknown;
  /** The body as it came, when it is JSON: a value of it loses digits of long numbers. */
  json: string | undefined;
}

/** A model reads no more. */
const MAX_BODY_BYTES = 1_000_000;
/** A cookie is a credential. */
const HIDDEN_HEADERS = new Set(['set-cookie', 'set-cookie2']);

/** Whether the request only reads, as far as its method, its headers and its query say it. */
export function onlyReads({ body, headers = {}, method, path, query = {} }: z.infer<typeof proxyInput>): boolean {
  return readsOnly({
    method,
    path,
    names: [...Object.keys(headers), ...Object.keys(query)],
    hasBody: body !== undefined,
  });
}

/** Sends one request to the provider of the connection, never to another host: a redirect is an answer. */
export async function callProvider(
  proxy: ProxyService,
  {
    context,
    admit,
    operation,
    request,
    signal,
  }: {
    request: z.infer<typeof proxyInput>;
    context: McpContext;
    /** Throws for a host that the limits of the caller exclude. */
    admit(host: string): Promise<void>;
    operation: Operation;
    signal: AbortSignal;
  },
): Promise<ProviderAnswer> {
  const { environment, integration, connection } = context;
  const { body, headers = {}, method, path, query = {} } = request;
  const isText = typeof body === 'string';
  try {
    const response = await proxy.call({
      target: {
        environmentId: environment.id,
        integrationKey: integration.uniqueKey,
        connectionId: connection.connectionId,
      },
      method,
      endpoint: path,
      params: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
      headers,
      ...(body === undefined
        ? {}
        : { body: { kind: isText ? 'text' : 'json', text: isText ? body : JSON.stringify(body) } as const }),
      hidesCredentials: true,
      admit,
      followsRedirects: false,
      log: { operation, context: 'proxy' },
      signal,
    });
    const { tap } = response;
    const bytes = await readBody(response.body, MAX_BODY_BYTES, undefined, (chunk) => tap?.take(chunk));
    tap?.end();
    const json = /\bjson\b/i.test(String(response.headers['content-type'] ?? '')) ? jsonOf(bytes) : undefined;
    const shown: unknown = json === undefined ? shownBody(bytes) : JSON.parse(json);
    return { status: response.status, headers: shownHeaders(response.headers), body: shown, json };
  } catch (error) {
    const failure = proxy.networkFailure(error) ?? (error instanceof OutboundError ? error : undefined);
    if (!failure) throw error;
    throw new HomeportError('provider_unreachable', `The provider did not answer: ${failure.message}`, {
      cause: error,
    });
  }
}

function shownHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HIDDEN_HEADERS.has(name) ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
}

/** Undefined for what is no JSON, whatever its type says. */
function jsonOf(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  try {
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}

function shownBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return null;
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') ? bytes.toString('base64') : text;
}
