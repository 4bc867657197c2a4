import type { GuestHttpRequest, HostMethods } from '../../../functions/runtime/bridge.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import { namesOtherMethod } from '../../platform/lib/reads-only.ts';
import { REDACTED } from '../../platform/lib/secret-replacer.ts';
import { ByteReplacer } from '../../platform/lib/secret-stream.ts';
import type { HostGuard, RunRequest } from './run-request.ts';
import { namesOf } from './write-notes.ts';

type HttpAnswer = HostMethods['http.request']['result'];

/** What the provider would answer to a write, which is not sent. */
export interface PreparedAnswer {
  method: string;
  /** Path below the base URL, without the query. */
  path: string;
  /** Default 200. */
  status?: number | undefined;
  body?: unknown;
}

/** A request that a run made and the hub did not send. */
export interface HeldWrite {
  method: string;
  path: string;
  body: unknown;
  /** False: the function got 200 with an empty object. */
  hadAnswer: boolean;
}

/**
 * Limits of a run whose code no person has read (agents.md 13): it sends no write, sees no credential, and uses no
 * connection but its own; the function gets answers without the secrets of its connection.
 */
export interface DraftGuard extends HostGuard {
  readonly held: HeldWrite[];
}

/** HTTP methods that change nothing at the provider. */
const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT'];
const WITHHELD = 'WITHHELD';
const MAX_HELD = 1_000;

export function createDraftGuard(secrets: readonly string[], answers: readonly PreparedAnswer[]): DraftGuard {
  const held: HeldWrite[] = [];
  const left = [...answers];
  const bytes = new ByteReplacer(secrets.map((secret) => [secret, REDACTED] as const));
  const cleanText = (text: string): string => fromBytes(bytes.replace(toBytes(text)));

  function cleanBody<T extends HttpAnswer['body']>(body: T): string | T {
    if (typeof body === 'string') return cleanText(body);
    return Buffer.from(bytes.replace(Buffer.from(body).toString('latin1')), 'latin1') as unknown as T;
  }

  /** The answer to a write: the next prepared one that fits, else an empty object. */
  function answerTo(request: GuestHttpRequest): HttpAnswer {
    if (held.length >= MAX_HELD) throw refusal(`A dry run holds back at most ${MAX_HELD} writes.`);
    const { endpoint, method } = request;
    const path = pathOf(endpoint);
    const at = left.findIndex((one) => one.method.toUpperCase() === method.toUpperCase() && pathOf(one.path) === path);
    const [found] = at === -1 ? [] : left.splice(at, 1);
    held.push({ method: method.toUpperCase(), path, body: bodyOf(request), hadAnswer: found !== undefined });
    const isText = typeof found?.body === 'string';
    const text = isText ? String(found.body) : JSON.stringify(found?.body ?? {});
    return {
      status: found?.status ?? 200,
      statusText: 'not sent',
      headers: { 'content-type': isText ? 'text/plain' : 'application/json' },
      body: request.expect === 'bytes' ? Buffer.from(text) : text,
      config: { method: method.toUpperCase(), url: path, headers: {} },
    };
  }

  return {
    held,
    clean: (answer) => ({
      ...answer,
      headers: cleanAll(answer.headers, cleanText),
      body: cleanBody(answer.body),
      config: cleanAll(answer.config, cleanText),
    }),
    methods: (table, run) => ({
      ...table,
      'http.request': async (args, signal) => {
        requireOwn(args, run);
        if (isRead(args.method, args.endpoint, namesOf(args))) return table['http.request'](args, signal);
        const answer = answerTo(args);
        run.recorder?.note(args, answer);
        if (answer.status < 400) return answer;
        throw refusal(`The prepared answer to ${args.method} ${args.endpoint} refuses the request: ${answer.status}.`);
      },
      'http.uncontrolledFetch': async (args, signal) => {
        if (isRead(args.method, args.url, Object.keys(args.headers)))
          return table['http.uncontrolledFetch'](args, signal);
        throw refusal('A dry run of an agent sends no write by uncontrolledFetch. Use the methods of nango.');
      },
      'connection.get': async (args, signal) => {
        requireOwn(args, run);
        const { forceRefresh: _forced, refreshToken: _token, ...asked } = args;
        const connection = await table['connection.get'](asked, signal);
        return {
          ...cleanAll(connection, cleanText),
          credentials: withheld(connection['credentials']),
        };
      },
      'integration.get': async (args, signal) => {
        const include = args.include.filter((one) => one !== 'credentials');
        return cleanAll(await table['integration.get']({ ...args, include }, signal), cleanText);
      },
      'environment.variables': async (args, signal) => {
        const variables = await table['environment.variables'](args, signal);
        return variables.map(({ name }) => ({ name, value: WITHHELD }));
      },
      'action.trigger': async () => {
        throw refusal('A dry run of an agent runs no other function, because that would not be a dry run.');
      },
    }),
  };
}

/** Another method can stand in a header or in the query. */
const isRead = (method: string, path: string, names: string[]): boolean =>
  READS.includes(method.toUpperCase()) && !namesOtherMethod({ path, names });

/** One character per byte, as `ByteReplacer` reads it. */
const toBytes = (text: string): string => Buffer.from(text).toString('latin1');
const fromBytes = (text: string): string => Buffer.from(text, 'latin1').toString();

function requireOwn(
  { connectionId, providerConfigKey }: { connectionId?: string; providerConfigKey?: string },
  run: RunRequest,
): void {
  const { connection, integration } = run;
  const isOwn =
    (connectionId ?? connection.connectionId) === connection.connectionId &&
    (providerConfigKey ?? integration.uniqueKey) === integration.uniqueKey;
  if (!isOwn) throw refusal('A dry run of an agent uses its own connection only.');
}

const refusal = (message: string): HomeportError => new HomeportError('forbidden', message);

const pathOf = (endpoint: string): string => `/${endpoint.replace(/[?#].*$/s, '').replace(/^\/+/, '')}`;

function bodyOf({ body }: GuestHttpRequest): unknown {
  if (!body) return undefined;
  if (body.kind === 'bytes') return `${body.bytes.byteLength} bytes`;
  if (body.kind === 'multipart') return `${body.parts.length} parts`;
  return body.kind === 'json' ? (parseJson(body.text) ?? body.text) : body.text;
}

function cleanAll<T>(value: T, clean: (text: string) => string): T {
  if (typeof value === 'string') return clean(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => cleanAll(one, clean)) as T;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [clean(name), cleanAll(member as unknown, clean)]),
  ) as T;
}

/** Keeps the members, so that code reads a text where there would be one. */
function withheld(credentials: unknown): unknown {
  if (typeof credentials === 'string') return WITHHELD;
  if (typeof credentials !== 'object' || credentials === null) return credentials;
  if (Array.isArray(credentials)) return credentials.map(withheld);
  return Object.fromEntries(
    Object.entries(credentials).map(([name, member]) => [name, name === 'type' ? member : withheld(member)]),
  );
}
