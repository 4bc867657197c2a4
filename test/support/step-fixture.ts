import { UnsecuredJWT } from 'jose';
import type { StepContext } from '../../server/lifecycle/provider-steps/step-context.ts';
import { createPlainRequests } from '../../server/lifecycle/provider-steps-runner.ts';
import { OutboundHttp } from '../../server/platform/lib/outbound-http.ts';
import { FakeProvider, type RecordedRequest, type ScriptedResponse } from './fake-provider.ts';

/** One expected request of a step, and its response. */
export interface Exchange {
  /** Method and whole address with query; the provider's own base is https://api.test. */
  ask: string;
  /** Without the connection's credentials. */
  plain?: true;
  /** Decoded from JSON or a form. */
  body?: unknown;
  /** The relevant headers, in lower case. */
  headers?: Record<string, unknown>;
  response: ScriptedResponse;
}

export interface Setting {
  provider?: string;
  app?: StepContext['app'];
  credentials?: StepContext['connection']['credentials'];
  config?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
}

export const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const OWN_BASE = 'https://api.test';

/** A token in the usual form, with a signature that is not checked. */
export const tokenWith = (claims: Record<string, unknown>): string => new UnsecuredJWT(claims).encode();

/** Runs steps against a real server that serves every host: `https://host/path` is requested as `/host/path`. */
export class StepFixture {
  readonly #server: FakeProvider;
  readonly #http = new OutboundHttp({ ownPort: () => undefined });

  private constructor(server: FakeProvider) {
    this.#server = server;
  }

  static async start(): Promise<StepFixture> {
    return new StepFixture(await FakeProvider.start());
  }

  async stop(): Promise<void> {
    await this.#http.stop();
    await this.#server.stop();
  }

  /** The responses of the hosts. `instead` replaces every response. */
  script(exchanges: Exchange[], instead?: ScriptedResponse): void {
    for (const { ask, response } of exchanges) {
      const [method, address = ''] = ask.split(' ');
      this.#server.on(`${method} ${pathOf(address).split('?')[0]}`, instead ?? response);
    }
  }

  context(setting: Setting = {}): StepContext {
    const { provider = 'acme', app = {}, credentials = {}, config = {}, metadata = {} } = setting;
    const send = createPlainRequests({ http: this.#http, allowedHosts: 'all' });
    const sendTo = (url: string) => `${this.#server.address}${pathOf(url)}`;
    return {
      provider,
      app,
      connection: { connectionId: 'c-1', credentials, connectionConfig: config, metadata },
      request: ({ endpoint, baseUrl = OWN_BASE, headers, ...rest }) =>
        send({ ...rest, url: sendTo(`${baseUrl}${endpoint}`), headers: { 'x-connection': 'c-1', ...headers } }),
      requestPlain: ({ url, ...rest }) => send({ ...rest, url: sendTo(url) }),
      now: () => NOW,
    };
  }

  /** The requests, in the form of the expected exchanges. */
  asked(expected: Exchange[]): Array<Omit<Exchange, 'response'>> {
    return this.#server.requests.map((request, at) => describeRequest(request, expected[at]?.headers));
  }
}

function pathOf(address: string): string {
  return address.replace(/^https:\//, '');
}

function describeRequest(request: RecordedRequest, wanted: Exchange['headers']): Omit<Exchange, 'response'> {
  const names = Object.keys(wanted ?? {});
  const body = decodeBody(request);
  return {
    ask: `${request.method} https:/${request.url}`,
    ...(request.headers['x-connection'] === undefined ? { plain: true } : {}),
    ...(body === undefined ? {} : { body }),
    ...(wanted ? { headers: Object.fromEntries(names.map((name) => [name, request.headers[name]])) } : {}),
  };
}

function decodeBody({ headers, body }: RecordedRequest): unknown {
  if (body.length === 0) return undefined;
  return headers['content-type'] === 'application/json'
    ? JSON.parse(body.toString())
    : Object.fromEntries(new URLSearchParams(body.toString()));
}
