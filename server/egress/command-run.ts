import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Operation } from '../log/operation.ts';
import { bareHost, portOf } from '../platform/lib/address-guard.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import type { OutboundHttp } from '../platform/lib/outbound-http.ts';
import { ByteReplacer } from '../platform/lib/secret-stream.ts';
import type { RequestCredential } from '../proxy/proxy.service.ts';
import { type HostRules, ruleFor } from './host-rules.ts';
import { nameOf, type PlacedConnection, type Placeholders } from './placeholders.ts';
import { passExchange, passedHeaders, relayExchange } from './relay-exchange.ts';

export interface CommandRunOptions {
  http: Pick<OutboundHttp, 'request'>;
  clock: Clock;
  operation: Operation;
  placeholders: Placeholders;
  hosts: HostRules;
  /** Setting `allowed_hosts` of the environment. */
  allowedHosts(): readonly string[];
  /** The fresh credential. Throws when the run may not use the connection any more. */
  credentialOf(connection: PlacedConnection): Promise<RequestCredential>;
  /** Whether a person allows a host; undefined when nobody answered. */
  ask(host: string, signal: AbortSignal): Promise<boolean | undefined>;
  /** Throws `call_rate_reached` and `call_limit_reached`. Requests to providers are counted, others only checked. */
  admit(request: { host: string; method: string | undefined; isOwn: boolean }): Promise<void>;
  /** Tells the person at the terminal of the command. */
  note(text: string): void;
  silenceMs: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** In the place of a secret in a response. */
const WITHHELD = 'hp_withheld';

/** What one run does with the requests of its command. */
export class CommandRun {
  readonly #options: CommandRunOptions;
  /** Read at the start, and again with each use. */
  readonly #credentials = new Map<PlacedConnection, RequestCredential>();
  /** Every secret that was read, with what takes its place in responses. */
  readonly #secrets = new Map<string, () => string>();
  readonly #hosts = new Map<string, Promise<boolean | undefined>>();
  #replacer: ByteReplacer | undefined;
  requests = 0;
  refusals = 0;

  constructor(options: CommandRunOptions) {
    this.#options = options;
  }

  /** Reads the credential of a connection; a renewed one is a secret beside those before it. */
  readonly read = async (connection: PlacedConnection): Promise<RequestCredential> => {
    const credential = await this.#options.credentialOf(connection);
    this.#credentials.set(connection, credential);
    const fresh = credential.secrets.filter((secret) => !this.#secrets.has(secret));
    for (const secret of fresh) this.#secrets.set(secret, () => WITHHELD);
    for (const [part, secret] of credential.parts)
      if (fresh.includes(secret))
        this.#secrets.set(secret, () => this.#options.placeholders.textOf(connection, part) ?? WITHHELD);
    if (fresh.length > 0) {
      this.#replacer = undefined;
      this.#options.operation.redactSecrets(fresh);
    }
    return credential;
  };

  /** Whether a credential of the run may go there. */
  readonly isOwn = (url: URL): boolean => [...this.#credentials.values()].some((one) => one.isOwn(url));

  #secretReplacer(): ByteReplacer {
    this.#replacer ??= new ByteReplacer([...this.#secrets].map(([secret, by]) => [secret, by()]));
    return this.#replacer;
  }

  /** Answers one request of the command. */
  readonly forward = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const { allowedHosts, clock, http, placeholders, silenceMs } = this.#options;
    const startedAt = clock.now();
    const method = request.method ?? 'GET';
    const shown = `${method} ${url.href}`;
    this.requests += 1;
    let used: readonly PlacedConnection[] = [];
    try {
      const isOwn = this.isOwn(url);
      await this.#options.admit({ host: bareHost(url.hostname), method, isOwn });
      const placed = await placeholders.place({ url, headers: passedHeaders(request) }, this.read);
      used = placed.connections;
      if (/\bwebsocket\b/i.test(request.headers.upgrade ?? ''))
        throw new HomeportError('unsupported_upgrade', 'WebSockets do not work through this proxy without a tunnel.');
      if (!isOwn) {
        await this.#requireHost(url, response);
        const status = await passExchange({ request, response, url });
        this.#log(shown, { request: { method, url: url.href }, response: { code: status }, startedAt });
        return;
      }
      const credentials = used.map((connection) => this.#credentials.get(connection));
      const status = await relayExchange(http, {
        request,
        response,
        exchange: {
          url,
          path: placed.path,
          headers: placed.headers,
          carriesCredential: used.length > 0,
          allowedHosts: [
            ...allowedHosts(),
            ...[...this.#credentials.values()].flatMap(({ literalHosts }) => literalHosts),
          ],
          tls: credentials.find((one) => one?.tls)?.tls,
          silenceMs,
          replacer: () => this.#secretReplacer(),
        },
      });
      this.#log(shown, { request: { method, url: url.href }, response: { code: status }, used, startedAt });
    } catch (error) {
      this.#log(shown, { request: { method, url: url.href }, error, used, startedAt });
      throw error;
    }
  };

  /** Connects to a host whose TLS is not opened. */
  readonly connect = async (url: URL, signal: AbortSignal): Promise<Socket> => {
    const startedAt = this.#options.clock.now();
    const shown = `CONNECT ${bareHost(url.hostname)}:${portOf(url)}`;
    this.requests += 1;
    try {
      await this.#options.admit({ host: bareHost(url.hostname), method: undefined, isOwn: false });
      await this.#requireAllowed(url, signal);
      const socket = await open(url, signal);
      socket.once('close', () =>
        this.#log(`${shown}, ${socket.bytesWritten} bytes sent, ${socket.bytesRead} received`, { startedAt }),
      );
      return socket;
    } catch (error) {
      this.#log(shown, { error, startedAt });
      throw error;
    }
  };

  async #requireHost(url: URL, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    await this.#requireAllowed(url, gone.signal);
  }

  /** Throws `host_refused`. */
  async #requireAllowed(url: URL, signal: AbortSignal): Promise<void> {
    const host = `${url.hostname}:${portOf(url)}`;
    const rule = ruleFor(url, this.#options.hosts);
    if (rule === 'pass') return;
    if (rule === 'ask') {
      // One question for each host, however many requests wait for it.
      const asked = this.#hosts.get(host) ?? this.#ask(host, signal);
      if (await asked) return;
    }
    throw new HomeportError(
      'host_refused',
      rule === 'ask'
        ? `Nobody allowed this run to reach ${host}.`
        : `This run may not reach ${host}. Start it with --allow-host ${url.hostname} to allow that.`,
    );
  }

  /** An answer holds for the run. Without one the next request asks again. */
  #ask(host: string, signal: AbortSignal): Promise<boolean | undefined> {
    this.#options.note(`waits for your permission to reach ${host}: answer in Homeport.`);
    const asked = this.#options.ask(host, signal);
    this.#hosts.set(host, asked);
    const forget = (): boolean => this.#hosts.delete(host);
    asked.then((answer) => answer === undefined && forget(), forget);
    return asked;
  }

  #log(
    message: string,
    {
      error,
      request,
      response,
      startedAt,
      used = [],
    }: {
      error?: unknown;
      request?: { method: string; url: string };
      response?: { code: number };
      startedAt: number;
      used?: readonly PlacedConnection[];
    },
  ): void {
    const { clock, note, operation } = this.#options;
    const refusal = error === undefined ? undefined : described(error);
    const isRefused = refusal !== undefined && REFUSALS.has(refusal.type ?? '');
    if (isRefused) {
      this.refusals += 1;
      note(refusal.message);
    }
    operation.log({
      level: refusal ? (isRefused ? 'warn' : 'error') : (response?.code ?? 0) >= 400 ? 'error' : 'info',
      type: 'http',
      context: 'proxy',
      message: used.length === 0 ? message : `${message} with ${used.map(nameOf).join(', ')}`,
      durationMs: clock.now() - startedAt,
      ...(request ? { request } : {}),
      ...(response ? { response } : {}),
      ...(refusal ? { error: refusal } : {}),
    });
  }
}

const REFUSALS: ReadonlySet<string> = new Set([
  'placeholder_refused',
  'host_refused',
  'call_limit_reached',
  'call_rate_reached',
]);

function described(error: unknown): { message: string; type?: string } {
  if (error instanceof HomeportError) return { message: error.message, type: error.code };
  // The command closed its connection, or the provider did while the response was passed on.
  if (error instanceof Error && 'code' in error) return { message: error.message, type: String(error.code) };
  return { message: UNEXPECTED_ERROR };
}

function open(url: URL, signal: AbortSignal): Promise<Socket> {
  const host = bareHost(url.hostname);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: portOf(url), signal });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(
        new HomeportError('provider_unreachable', `${url.host} cannot be reached: ${error.message}`, {
          status: 502,
          cause: error,
        }),
      );
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => fail(new Error('no connection within 10 s')));
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
