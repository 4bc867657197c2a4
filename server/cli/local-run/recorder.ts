import type { GuestHttpRequest } from '../../../functions/runtime/bridge.ts';
import type { Fixture, FixtureApi, FixtureContext, FixtureEntry } from '../../../functions/testing/fixture-file.ts';
import { identifyRequest } from '../../../functions/testing/request-identity.ts';
import type { CollectedRecords } from '../../dry-run/collected-records.ts';
import { parseHubJson } from '../hub/hub-client.ts';
import type { LocalMethods } from './local-host.ts';
import { type ExitAnswer, type ProviderExit, toRequestParts } from './provider-exit.ts';
import type { SecretScrubber } from './secret-scrubber.ts';

/** Response headers that functions read; others change with every answer or say who asked. */
const KEPT_HEADERS = /^(?:content-type|content-disposition|link|location|retry-after|last-modified|x-.+)$/;
const SECRET_HEADERS = /cookie|token|key|auth|signature|secret|session|request-id|trace/;

/** Writes down a run as a fixture (functions.md 8.3). */
export class Recorder {
  readonly #scrubber: SecretScrubber;
  readonly #exchanges: Array<{ request: GuestHttpRequest; answer: ExitAnswer }> = [];
  readonly #context: FixtureContext = {};

  constructor(scrubber: SecretScrubber) {
    this.#scrubber = scrubber;
  }

  exit(behind: ProviderExit): ProviderExit {
    return {
      send: async (request, signal) => {
        const answer = await behind.send(request, signal);
        this.#exchanges.push({ request, answer });
        return answer;
      },
    };
  }

  /** The same methods; what a fixture holds of their answers is written down. */
  methods(behind: LocalMethods): LocalMethods {
    const noted = async <T>(member: string, asked: Promise<T>, keep: (value: T) => unknown): Promise<T> => {
      const value = await asked;
      this.#context[member] = keep(value);
      return value;
    };
    const whole = (value: unknown): unknown => value;
    return {
      ...behind,
      'connection.get': async (...asked) => {
        const connection = await noted('getConnection', behind['connection.get'](...asked), keepOfConnection);
        this.#scrubber.learnConnection(connection);
        if (hasMembers(connection['metadata'])) this.#context.getMetadata = connection['metadata'];
        return connection;
      },
      'metadata.update': (...asked) => noted('updateMetadata', behind['metadata.update'](...asked), whole),
      'integration.get': (...asked) => noted('getIntegration', behind['integration.get'](...asked), whole),
      'environment.variables': (...asked) =>
        noted('getEnvironmentVariables', behind['environment.variables'](...asked), hideValues),
    };
  }

  /** The fixture of an action or on-event handler (`output`), or of a sync (`records`); without any secret. */
  finish(run: {
    input?: unknown;
    output?: unknown;
    records?: CollectedRecords;
    /** Where the run started; beyond the stock format, which knows no checkpoints. */
    checkpoint?: Record<string, unknown>;
  }): Fixture {
    const answers = this.#exchanges.map(({ request, answer }) => ({ request, body: readBody(answer), answer }));
    for (const { body, request } of answers) {
      this.#scrubber.learnMembers(body);
      this.#scrubber.learnMembers(request.headers);
      if (request.body?.kind === 'json') this.#scrubber.learnMembers(parseHubJson(request.body.text));
    }
    this.#scrubber.learnMembers(run.input);
    const { records, checkpoint, ...rest } = run;
    const batches = records ? { batchSave: records.saved, batchDelete: records.deleted } : {};
    const nango = { ...this.#context, ...(checkpoint ? { getCheckpoint: checkpoint } : {}), ...batches };
    const fixture: Fixture = { ...rest, ...(hasMembers(nango) ? { nango } : {}) };
    return { ...this.#scrubber.scrub(fixture), api: this.#api(answers) };
  }

  #api(answers: Array<{ request: GuestHttpRequest; body: unknown; answer: ExitAnswer }>): FixtureApi {
    const api: FixtureApi = {};
    for (const { request, body, answer } of answers) {
      const { entry, method, path } = this.#entry(request, body, answer);
      const paths = api[method] ?? {};
      api[method] = paths;
      const known = [paths[path] ?? []].flat();
      // The same question with the same answer is one entry; with another answer it is asked in this order.
      const last = known.findLast(({ hash }) => hash === entry.hash);
      if (last && JSON.stringify(last) === JSON.stringify(entry)) continue;
      paths[path] = known.length === 0 ? entry : [...known, entry];
    }
    return api;
  }

  #entry(request: GuestHttpRequest, body: unknown, answer: ExitAnswer) {
    const parts = toRequestParts(request);
    const call = identifyRequest({
      method: parts.method,
      endpoint: this.#scrubber.scrubText(parts.endpoint),
      params: this.#scrubber.scrub(parts.params),
      headers: this.#scrubber.scrub(parts.headers),
      data: this.#scrubData(parts.data),
    });
    const entry: FixtureEntry = {
      response: this.#scrubber.scrub(body),
      status: answer.status,
      headers: this.#scrubber.scrub(keptHeaders(answer.headers)),
      hash: call.hash,
      request: {
        params: Object.fromEntries(call.params),
        headers: Object.fromEntries(call.headers),
        ...(call.data === undefined ? {} : { data: parseHubJson(call.data) }),
      },
    };
    return { entry, method: call.method, path: `/${call.endpoint}` };
  }

  /** A JSON body is scrubbed member by member and keeps its order. */
  #scrubData(data: unknown): unknown {
    if (typeof data !== 'string') return this.#scrubber.scrub(data);
    const parsed = parseHubJson(data);
    return typeof parsed === 'object' && parsed !== null
      ? JSON.stringify(this.#scrubber.scrub(parsed))
      : this.#scrubber.scrubText(data);
  }
}

function readBody({ body }: ExitAnswer): unknown {
  if (typeof body !== 'string') return Buffer.from(body).toJSON();
  return body === '' ? '' : parseHubJson(body);
}

/** Never the credentials; what the connection is set up with is needed to run again. */
function keepOfConnection(connection: Record<string, unknown>): Record<string, unknown> {
  const { connection_id: connectionId, provider, connection_config: config } = connection;
  return { connectionId, provider, ...(hasMembers(config) ? { connection_config: config } : {}) };
}

function hideValues(variables: Array<{ name: string }>): Array<{ name: string; value: string }> {
  return variables.map(({ name }) => ({ name, value: 'REDACTED' }));
}

function hasMembers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function keptHeaders(headers: ExitAnswer['headers']): ExitAnswer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name) && !SECRET_HEADERS.test(name)),
  );
}
