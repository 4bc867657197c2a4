import type { GuestHttpBody, GuestHttpRequest, HostMethods } from '../../../functions/runtime/bridge.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import { readsOnly } from '../../platform/lib/reads-only.ts';

/** A request of a run that can have changed something. */
export interface WrittenRequest {
  method: string;
  /** Null until there was an answer, and when there was none. */
  host: string | null;
  path: string;
  /** Shortened; null without a body, and for bytes. */
  body: string | null;
  status: number | null;
}

interface OpenNote {
  answered(status: number, url: string): void;
}

/** In characters of each body. */
const MAX_BODY = 2_000;
const MAX_REQUESTS = 50;

/** What a run writes, and what it keeps for its undo. */
export class WriteNotes {
  readonly requests: WrittenRequest[] = [];
  /** JSON text; null when it was too long. */
  kept: string | null | undefined;
  /** More requests were sent than are noted. */
  hasMore = false;

  /** Whether something can have changed: a request that was refused has changed nothing. */
  get hasEffect(): boolean {
    return this.hasMore || this.requests.some(({ status }) => status === null || status < 400 || status >= 500);
  }

  /** Notes a request before it is sent, because one without an answer may have had its effect. Undefined for reads. */
  note(request: GuestHttpRequest): OpenNote | undefined {
    const { body, endpoint, method } = request;
    return isReading(request) ? undefined : this.#add({ method, path: endpoint, body: sentText(body) });
  }

  noteFetch({ body, headers, method, url }: HostMethods['http.uncontrolledFetch']['args']): OpenNote | undefined {
    const isRead = readsOnly({ method, path: url, names: Object.keys(headers), hasBody: body !== null });
    return isRead ? undefined : this.#add({ method, path: url, body: body ?? undefined });
  }

  #add({ body, method, path }: { method: string; path: string; body: string | undefined }): OpenNote {
    const shownBody = body === undefined ? null : shortened(body, MAX_BODY);
    const written = { method: method.toUpperCase(), host: null, path, body: shownBody, status: null };
    if (this.requests.length < MAX_REQUESTS) this.requests.push(written);
    else this.hasMore = true;
    return {
      answered: (status, url) => {
        const { host, pathname, search } = new URL(url);
        Object.assign(written, { status, host, path: `${pathname}${search}` });
      },
    };
  }
}

/** For people: a longer text ends with its length. */
export function shortened(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}… (${text.length} characters)` : text;
}

/** Whether the request of a function only reads. A GraphQL query is sent by POST. */
export function isReading(request: GuestHttpRequest): boolean {
  const { body, endpoint, method } = request;
  if (readsOnly({ method, path: endpoint, names: namesOf(request), hasBody: body !== undefined })) return true;
  return method.toUpperCase() === 'POST' && /graphql(\.json)?$/i.test(endpoint) && isGraphQlQuery(body);
}

/** Of its headers and of the members of its query. */
export function namesOf({ headers = {}, params }: Pick<GuestHttpRequest, 'headers' | 'params'>): string[] {
  const query = typeof params === 'string' ? [...new URLSearchParams(params).keys()] : Object.keys(params ?? {});
  return [...Object.keys(headers), ...query];
}

/** The text of a body; undefined for bytes and without one. */
export function sentText(body: GuestHttpBody | undefined): string | undefined {
  if (body === undefined || body.kind === 'bytes') return undefined;
  if (body.kind !== 'multipart') return body.text;
  return body.parts.map(({ filename, name, text }) => `${name}: ${text ?? filename ?? 'bytes'}`).join('\n');
}

/** Any mention of another operation counts as one. */
function isGraphQlQuery(body: GuestHttpBody | undefined): boolean {
  const query = body?.kind === 'json' ? parseJson(body.text) : undefined;
  return (
    isJsonObject(query) && typeof query['query'] === 'string' && !/\b(mutation|subscription)\b/.test(query['query'])
  );
}
