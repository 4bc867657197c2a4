import { encodeBody } from '../runtime/context/http-body.ts';
import type { FixtureApi, FixtureEntry } from './fixture-file.ts';
import { legacyPath } from './legacy-fixture.ts';
import { identifyData, identifyRequest, type RequestIdentity, type RequestParts } from './request-identity.ts';

/** The recorded responses of one run. It sends no requests: a request that was not recorded is an error. */
export class Cassette {
  readonly #api: FixtureApi;
  readonly #legacyName: string | undefined;
  /** Responses that were already returned. A request that was recorded several times gets its responses in their order. */
  readonly #used = new Set<FixtureEntry>();
  readonly #answered = new Set<FixtureEntry>();

  /** `legacyName` belongs to recordings in older folders. */
  constructor(api: FixtureApi = {}, legacyName?: string) {
    this.#api = api;
    this.#legacyName = legacyName;
  }

  /** Throws an Error that starts with "No mock found for" when the request was not recorded. */
  find(request: RequestParts): FixtureEntry {
    const call = identifyRequest(request);
    const recorded = this.#entriesFor(call);
    const found =
      this.#inOrder(recorded.filter(({ hash }) => hash === call.hash)) ??
      recorded.find((entry) => entry.request !== undefined && fits(entry.request, call, request)) ??
      recorded.find(({ isForAll }) => isForAll) ??
      onlyResponse(recorded, call);
    if (found) {
      this.#answered.add(found);
      return found;
    }
    const place = this.#legacyName === undefined ? '' : ` Its place is ${legacyPath(call, this.#legacyName)}.`;
    throw new Error(
      `No mock found for ${call.method.toUpperCase()} ${call.endpoint}${explain(recorded, call)}${place}`,
    );
  }

  /** Recorded requests that were not sent: `GET /items`. */
  get unsent(): string[] {
    return Object.entries(this.#api).flatMap(([method, paths]) =>
      Object.entries(paths).flatMap(([path, entries]) =>
        [entries].flat().flatMap((entry) => (this.#answered.has(entry) ? [] : [`${method.toUpperCase()} ${path}`])),
      ),
    );
  }

  #entriesFor({ method, endpoint }: RequestIdentity): FixtureEntry[] {
    const paths = this.#api[method] ?? this.#api[method.toUpperCase()];
    return [paths?.[`/${endpoint}`] ?? paths?.[endpoint] ?? []].flat();
  }

  /** The first response that was not returned yet; afterwards always the last one. */
  #inOrder(entries: FixtureEntry[]): FixtureEntry | undefined {
    const next = entries.find((entry) => !this.#used.has(entry)) ?? entries.at(-1);
    if (next) this.#used.add(next);
    return next;
  }
}

function fits(recorded: NonNullable<FixtureEntry['request']>, call: RequestIdentity, request: RequestParts): boolean {
  const params = Object.entries(recorded.params ?? {});
  const sent = new Map(call.params);
  if (params.length !== call.params.length) return false;
  if (!params.every(([key, value]) => sent.get(key) === String(value))) return false;
  if (!sameHeaders(recorded.headers ?? {}, call)) return false;
  return recorded.data === undefined || sendsNoBody(call) || sameData(recorded.data, call, request);
}

/** A GET is sent without its `data`, which recordings keep. */
function sendsNoBody({ method, data }: RequestIdentity): boolean {
  return method === 'get' && data === undefined;
}

function sameHeaders(recorded: Record<string, unknown>, call: RequestIdentity): boolean {
  const known = identifyRequest({ method: 'get', endpoint: '/', headers: recorded }).headers;
  const sent = new Map(call.headers.map(([name, value]) => [name.toLowerCase(), value]));
  return known.length === sent.size && known.every(([name, value]) => sent.get(name.toLowerCase()) === value);
}

function sameData(recorded: unknown, call: RequestIdentity, { data }: RequestParts): boolean {
  if (identifyData(recorded) === call.data) return true;
  // A form is an object in the author's code, which the mocks see, and a text when it is sent.
  return isSameForm(recorded, data) || isSameForm(data, recorded);
}

function isSameForm(written: unknown, sent: unknown): boolean {
  if (typeof written !== 'object') return false;
  const form = encodeBody(written, 'application/x-www-form-urlencoded');
  return form?.kind === 'form' && form.text === sent;
}

/** Fixtures of older versions contain no requests: the only response of a path is used for any call without params. */
function onlyResponse(recorded: FixtureEntry[], call: RequestIdentity): FixtureEntry | undefined {
  const [only, ...others] = recorded;
  return only && others.length === 0 && only.request === undefined && call.params.length === 0 ? only : undefined;
}

function explain(recorded: FixtureEntry[], { params, headers, data }: RequestIdentity): string {
  if (recorded.length === 0) return ': nothing was recorded for this path.';
  const asked = JSON.stringify({ params: Object.fromEntries(params), headers: Object.fromEntries(headers), data });
  return `: ${recorded.length} recorded for this path, none with ${asked}.`;
}
