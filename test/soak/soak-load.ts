import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { actionSource, saveFunction, syncSource } from '../support/server-workspace.ts';
import type { StartedServer } from '../support/start-server.ts';

export const SOAK_INTEGRATION = 'soak';

export const SOAK_QUERY = 'SELECT text, count(*) AS items FROM soak.Item GROUP BY text';

const HOSTILE_TEXT = 'x'.repeat(200_000);

/** Functions of the soak by path below the integration's folder. */
export const SOAK_FUNCTIONS: Record<string, string> = {
  'actions/noop.ts': actionSource('return input;'),
  'actions/fetch.ts': actionSource(`
    const answers = await Promise.all(['/json', '/gzip', '/big'].map((endpoint) => nango.get({ endpoint })));
    return answers.map(({ status }) => status);`),
  'actions/throw.ts': actionSource(`throw new Error('planned: ' + '${'y'.repeat(500)}');`),
  'actions/chatty.ts': actionSource(`
    for (let line = 0; line < 200; line++) await nango.log('line ' + line, { line, text: 'z'.repeat(200) }, { level: 'error' });
    return null;`),
  'actions/eater.ts': actionSource(`
    const kept = [];
    for (;;) kept.push(new Array(100_000).fill(kept.length));`),
  'actions/large.ts': actionSource(`return { text: 'w'.repeat(500_000) };`),
  'syncs/items.ts': syncSource(`
    const round = Date.now();
    const items = Array.from({ length: 200 }, (_, index) => ({
      id: 'r' + index, text: index % 2 ? 'same' : String(round), filler: 'v'.repeat(300) }));
    await nango.batchSave(items, 'Item');`),
  'syncs/hooks.ts': syncSource(`await nango.log('nothing to fetch');`)
    .replaceAll('Item', 'Hook')
    .replace("frequency: 'every day',", "frequency: 'every day', webhookSubscriptions: ['*'],")
    .replace(
      'exec: async',
      `onWebhook: async (nango, payload) => { await nango.batchSave([{ id: String(payload.n), text: 'hook' }], 'Hook'); },
  exec: async`,
    ),
};

/** The results of one kind of caller. */
export interface CallerCount {
  name: string;
  calls: number;
  /** Responses by status, or by the name of the error when there was no response. */
  responses: Map<string, number>;
  /** The first few unexpected responses, in full. */
  unexpected: string[];
  unexpectedCount: number;
  maxMs: number;
}

interface Caller {
  name: string;
  /** Milliseconds between two calls of one of its loops. */
  pauseMs: number;
  loops: number;
  /** Expected statuses, or `cut` for a connection that breaks off. */
  expects: string[];
  call(): Promise<string>;
}

/** Mixed load on a hub: every kind of call by people and programs, including invalid ones. */
export class SoakLoad {
  readonly counts: CallerCount[] = [];
  readonly #server: StartedServer;
  readonly #webhookPath: string;
  #isStopped = false;
  #number = 0;

  constructor(server: StartedServer, webhookUrl: string) {
    this.#server = server;
    this.#webhookPath = new URL(webhookUrl).pathname;
  }

  /** Resolves once the time is over and every call has its response. */
  async run(durationMs: number): Promise<void> {
    const end = Date.now() + durationMs;
    await Promise.all(this.#callers().map((caller) => this.#runCaller(caller, end)));
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #runCaller(caller: Caller, end: number): Promise<void> {
    const count: CallerCount = {
      name: caller.name,
      calls: 0,
      responses: new Map(),
      unexpected: [],
      unexpectedCount: 0,
      maxMs: 0,
    };
    this.counts.push(count);
    const loop = async (): Promise<void> => {
      while (Date.now() < end && !this.#isStopped) {
        const startedAt = performance.now();
        const result = await caller.call().catch(describeError);
        const status = result.split(' ', 1)[0] ?? result;
        count.calls += 1;
        count.maxMs = Math.max(count.maxMs, performance.now() - startedAt);
        count.responses.set(status, (count.responses.get(status) ?? 0) + 1);
        if (!caller.expects.includes(status)) {
          count.unexpectedCount += 1;
          if (count.unexpected.length < 5) count.unexpected.push(result.slice(0, 500));
        }
        await sleep(caller.pauseMs);
      }
    };
    await Promise.all(Array.from({ length: caller.loops }, loop));
  }

  #callers(): Caller[] {
    const connection = `provider_config_key=${SOAK_INTEGRATION}`;
    const paths = ['json', 'gzip', 'big', 'slow'];
    return [
      this.#caller('health', 1, 250, ['200'], () => this.#send('GET /health')),
      this.#caller('connection', 2, 10, ['200'], () => this.#send(`GET /connections/one?${connection}`)),
      this.#caller('proxy', 2, 10, ['200'], () => this.#send(`GET /proxy/${paths[randomInt(paths.length)]}`)),
      this.#caller('proxy, provider fails', 1, 200, ['500'], () => this.#send('GET /proxy/error?retries=0')),
      this.#caller('proxy, provider breaks off', 1, 200, ['502', 'cut'], () => this.#send('GET /proxy/cut')),
      this.#caller('proxy, caller leaves', 1, 200, ['left'], () => this.#leave('/proxy/slow')),
      this.#caller('action', 2, 20, ['200'], () => this.#action('noop', { n: 1 })),
      this.#caller('action, requests', 1, 100, ['200'], () => this.#action('fetch')),
      this.#caller('action, large', 1, 500, ['200'], () => this.#action('large', { text: HOSTILE_TEXT })),
      this.#caller('action, throws', 1, 200, ['500'], () => this.#action('throw')),
      this.#caller('action, chatty', 1, 2000, ['200'], () => this.#action('chatty')),
      this.#caller('action, memory', 1, 20_000, ['500'], () => this.#action('eater')),
      this.#caller('action, in background', 1, 500, ['200'], () => this.#background()),
      this.#caller('sync', 1, 3000, ['200'], () =>
        this.#send('POST /sync/trigger', {
          provider_config_key: SOAK_INTEGRATION,
          connection_id: 'one',
          syncs: ['items'],
        }),
      ),
      this.#caller('records', 1, 200, ['200'], () => this.#send('GET /records?model=Item&limit=100')),
      this.#caller('query', 1, 1000, ['200'], () => this.#send('POST /records/query', { sql: SOAK_QUERY })),
      this.#caller('webhook', 1, 200, ['200'], () =>
        this.#send(`POST ${this.#webhookPath}`, { n: this.#number++ % 500, connectionId: 'one', type: 'changed' }),
      ),
      this.#caller('connection, made and deleted', 1, 500, ['200'], () => this.#makeAndDelete()),
      this.#caller('connect session', 1, 1000, ['201'], () =>
        this.#send('POST /connect/sessions', { end_user: { id: `u${this.#number++ % 50}` } }),
      ),
      this.#caller('save of a function', 1, 5000, ['200'], () => this.#saveAndCall()),
      this.#caller('bad request', 1, 500, ['400', '401', '404', '413'], () => this.#bad()),
    ];
  }

  #caller(name: string, loops: number, pauseMs: number, expects: string[], call: () => Promise<string>): Caller {
    return { name, loops, pauseMs, expects, call };
  }

  async #send(route: string, body?: unknown, headers: Record<string, string> = {}): Promise<string> {
    const response = await this.#fetch(route, body, headers);
    const text = await response.text();
    return `${response.status} ${text}`;
  }

  #fetch(route: string, body?: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    const [method = 'GET', path = '/'] = route.split(' ');
    return fetch(this.#server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#server.secretKey}`,
        'provider-config-key': SOAK_INTEGRATION,
        'connection-id': 'one',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  }

  #action(name: string, input: unknown = null, headers: Record<string, string> = {}): Promise<string> {
    return this.#send('POST /action/trigger', { action_name: name, input }, headers);
  }

  /** The result of an asynchronous action, polled until it exists. */
  async #background(): Promise<string> {
    const started = await this.#fetch(
      'POST /action/trigger',
      { action_name: 'noop', input: { n: 1 } },
      { 'x-async': 'true' },
    );
    const { statusUrl } = (await started.json()) as { statusUrl?: string };
    if (statusUrl === undefined) return `${started.status} no statusUrl`;
    const end = Date.now() + 120_000;
    for (;;) {
      const response = await this.#send(`GET ${statusUrl}`);
      if (!response.startsWith('404') || Date.now() > end) return response;
      await sleep(200);
    }
  }

  async #leave(path: string): Promise<string> {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    try {
      await this.#fetch(`GET ${path}`, undefined, {}, controller.signal);
      return 'answered';
    } catch (error) {
      if (controller.signal.aborted) return 'left';
      throw error;
    }
  }

  async #makeAndDelete(): Promise<string> {
    const id = `made-${this.#number++}`;
    const made = await this.#send('POST /connections', {
      provider_config_key: SOAK_INTEGRATION,
      connection_id: id,
      credentials: { type: 'API_KEY', apiKey: 'key' },
    });
    if (!made.startsWith('201')) return made;
    return this.#send(`DELETE /connections/${id}?provider_config_key=${SOAK_INTEGRATION}`);
  }

  /** Saves a new version of a function and calls it until it answers. */
  async #saveAndCall(): Promise<string> {
    const version = this.#number++;
    await saveFunction(
      this.#server.workspace,
      `${SOAK_INTEGRATION}/actions/saved.ts`,
      actionSource(`return ${version};`),
    );
    const end = Date.now() + 60_000;
    for (;;) {
      const response = await this.#action('saved');
      if (response === `200 ${version}` || Date.now() > end) return response;
      await sleep(100);
    }
  }

  async #bad(): Promise<string> {
    switch (randomInt(4)) {
      case 0:
        return this.#send('GET /nothing/here');
      case 1:
        return this.#send('POST /action/trigger', '{', { authorization: 'Bearer wrong' });
      case 2:
        return this.#send('POST /sync/trigger', { syncs: 'no list' });
      default:
        return this.#send('GET /connections/nobody?provider_config_key=nothing');
    }
  }
}

/** A provider that breaks off shows as a connection that breaks off. */
function describeError(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  if (message === 'terminated' || cause?.code === 'UND_ERR_SOCKET' || cause?.code === 'ECONNRESET') return 'cut';
  return `error ${message} ${cause?.message ?? ''}`;
}
