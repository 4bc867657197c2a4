import type { GuestHttpRequest, HostTable } from '../../../functions/runtime/bridge.ts';
import type { Fixture, FixtureApi, FixtureContext, FixtureEntry } from '../../../functions/testing/fixture-file.ts';
import { identifyRequest } from '../../../functions/testing/request-identity.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import type { CollectedRecords } from './collected-records.ts';
import { type ProviderRequestSender, type ProviderResponse, toRequestParts } from './provider-request-sender.ts';
import type { SecretScrubber } from './secret-scrubber.ts';

/** Response headers that functions read. Other headers change with every response or identify the caller. */
const KEPT_HEADERS = /^(?:content-type|content-disposition|link|location|retry-after|last-modified|x-.+)$/;
const SECRET_HEADERS = /cookie|token|key|auth|signature|secret|session|request-id|trace/;

/** Host methods whose responses are stored in fixtures. */
type RecordedMethods = Pick<
  HostTable,
  'connection.get' | 'metadata.update' | 'integration.get' | 'environment.variables'
>;

/** Records a run as a fixture (functions.md 8.3). */
export class Recorder {
  readonly scrubber: SecretScrubber;
  readonly #maxBytes: number;
  #bytes = 0;
  readonly #exchanges: Array<{ request: GuestHttpRequest; response: ProviderResponse }> = [];
  readonly #context: FixtureContext = {};

  /** Nothing is kept of a run whose requests and responses are longer than `maxBytes`. Default: no limit. */
  constructor(scrubber: SecretScrubber, { maxBytes = Number.POSITIVE_INFINITY }: { maxBytes?: number } = {}) {
    this.scrubber = scrubber;
    this.#maxBytes = maxBytes;
  }

  get isTooLarge(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  /** Returns a sender that also records every request and its response. */
  record(sender: ProviderRequestSender): ProviderRequestSender {
    return {
      send: async (request, signal) => {
        const response = await sender.send(request, signal);
        this.note(request, response);
        return response;
      },
    };
  }

  /** Records a response of the provider, also one that the function gets as an error. */
  note(request: GuestHttpRequest, response: ProviderResponse): void {
    this.#bytes += response.body.length + sizeOf(request);
    if (this.isTooLarge) this.#exchanges.length = 0;
    // A copy, because the bytes are transferred to the process that runs the function.
    else this.#exchanges.push({ request, response: { ...response, body: copyOf(response.body) } });
  }

  /** Returns the same methods; responses that fixtures contain are recorded. */
  methods<T extends RecordedMethods>(inner: T): T {
    const record = async <V>(member: string, response: Promise<V>, toStored: (value: V) => unknown): Promise<V> => {
      const value = await response;
      this.#context[member] = toStored(value);
      return value;
    };
    const unchanged = (value: unknown): unknown => value;
    return {
      ...inner,
      'connection.get': async (...args) => {
        const connection = await record('getConnection', inner['connection.get'](...args), withoutCredentials);
        this.scrubber.learnConnection(connection);
        if (hasMembers(connection['metadata'])) this.#context.getMetadata = connection['metadata'];
        return connection;
      },
      'metadata.update': (...args) => record('updateMetadata', inner['metadata.update'](...args), unchanged),
      'integration.get': async (...args) => {
        const integration = await record('getIntegration', inner['integration.get'](...args), unchanged);
        this.scrubber.learnMembers(integration);
        return integration;
      },
      'environment.variables': async (...args) => {
        const variables = await record('getEnvironmentVariables', inner['environment.variables'](...args), hideValues);
        this.scrubber.learnTexts(variables.map(({ value }) => value));
        return variables;
      },
    };
  }

  /** Returns the fixture of an action or on-event handler (`output`) or of a sync (`records`), without secrets. */
  finish(run: {
    input?: unknown;
    output?: unknown;
    records?: CollectedRecords;
    /** Checkpoint from which the run started. An extension: the stock format has no checkpoints. */
    checkpoint?: Record<string, unknown>;
  }): Fixture {
    const exchanges = this.#exchanges.map((exchange) => ({ ...exchange, body: readBody(exchange.response) }));
    for (const { body, request } of exchanges) {
      this.scrubber.learnMembers(body);
      this.scrubber.learnMembers(request.headers);
      if (request.body?.kind === 'json') this.scrubber.learnMembers(jsonOrText(request.body.text));
    }
    this.scrubber.learnMembers(run.input);
    const { records, checkpoint, ...rest } = run;
    const batches = records ? { batchSave: records.saved, batchDelete: records.deleted } : {};
    const nango = { ...this.#context, ...(checkpoint ? { getCheckpoint: checkpoint } : {}), ...batches };
    const fixture: Fixture = { ...rest, ...(hasMembers(nango) ? { nango } : {}) };
    return { ...this.scrubber.scrub(fixture), api: this.#api(exchanges) };
  }

  #api(exchanges: Array<{ request: GuestHttpRequest; body: unknown; response: ProviderResponse }>): FixtureApi {
    const api: FixtureApi = {};
    for (const { request, body, response } of exchanges) {
      const { entry, method, path } = this.#entry(request, body, response);
      const paths = api[method] ?? {};
      api[method] = paths;
      const known = [paths[path] ?? []].flat();
      // The same request with the same response is stored once; different responses are stored in their order.
      const last = known.findLast(({ hash }) => hash === entry.hash);
      if (last && JSON.stringify(last) === JSON.stringify(entry)) continue;
      paths[path] = known.length === 0 ? entry : [...known, entry];
    }
    return api;
  }

  #entry(request: GuestHttpRequest, body: unknown, response: ProviderResponse) {
    const parts = toRequestParts(request);
    const call = identifyRequest({
      method: parts.method,
      endpoint: this.scrubber.scrubText(parts.endpoint),
      params: this.scrubber.scrub(parts.params),
      headers: this.scrubber.scrub(parts.headers),
      data: this.#scrubData(parts.data),
    });
    const entry: FixtureEntry = {
      response: this.scrubber.scrub(body),
      status: response.status,
      headers: this.scrubber.scrub(keptHeaders(response.headers)),
      hash: call.hash,
      request: {
        params: Object.fromEntries(call.params),
        headers: Object.fromEntries(call.headers),
        ...(call.data === undefined ? {} : { data: jsonOrText(call.data) }),
      },
    };
    return { entry, method: call.method, path: `/${call.endpoint}` };
  }

  /** Removes the secrets of a body. A JSON body is parsed for that, and keeps the order of its members. */
  #scrubData(data: unknown): unknown {
    if (typeof data !== 'string') return this.scrubber.scrub(data);
    const parsed = jsonOrText(data);
    return typeof parsed === 'object' && parsed !== null
      ? JSON.stringify(this.scrubber.scrub(parsed))
      : this.scrubber.scrubText(data);
  }
}

/** Parses JSON; other texts are returned unchanged. */
function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

function copyOf(body: ProviderResponse['body']): ProviderResponse['body'] {
  return typeof body === 'string' ? body : body.slice();
}

function sizeOf({ body }: GuestHttpRequest): number {
  if (!body) return 0;
  if (body.kind === 'bytes') return body.bytes.byteLength;
  if (body.kind !== 'multipart') return body.text.length;
  return body.parts.reduce((sum, { text, bytes }) => sum + (text?.length ?? 0) + (bytes?.byteLength ?? 0), 0);
}

function readBody({ body }: ProviderResponse): unknown {
  if (typeof body !== 'string') return Buffer.from(body).toJSON();
  return body === '' ? '' : jsonOrText(body);
}

/** The parts of a connection that a replay needs. */
function withoutCredentials(connection: Record<string, unknown>): Record<string, unknown> {
  const { connection_id: connectionId, provider, connection_config: config } = connection;
  return { connectionId, provider, ...(hasMembers(config) ? { connection_config: config } : {}) };
}

function hideValues(variables: Array<{ name: string }>): Array<{ name: string; value: string }> {
  return variables.map(({ name }) => ({ name, value: 'REDACTED' }));
}

function hasMembers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function keptHeaders(headers: ProviderResponse['headers']): ProviderResponse['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name) && !SECRET_HEADERS.test(name)),
  );
}
