import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Machine } from '../machine.ts';
import { APP_PORT, PROVIDER_PORT, SECRET_MARK } from './constants.ts';

/** What happens to the next response of an endpoint: `lost`: the work is done, and nobody hears of it. */
export type Mishap = 'reset' | 'lost' | 'half' | 'slow' | 'busy' | 'broken';

export interface Account {
  readonly name: string;
  /** A new one with each refresh; the old one is refused. */
  generation: number;
  /** The functions of the hub must not accept it. */
  readonly isRefused: boolean;
  /** Why the hub cannot know the newest refresh token; undefined when it must. */
  lostBecause: string | undefined;
  /** An import has copied its tokens: of two connections that renew them, one loses. */
  isShared: boolean;
  /** Time awake of its newest token. */
  renewedAt: number;
  /** How much work the machine had done when a person took the hub's access away; undefined while it has access. */
  revokedAt: number | undefined;
  /** Refresh tokens that the hub sent twice. */
  readonly reused: number[];
  readonly items: Map<string, string>;
  readonly changes: Array<{ id: string; text: string | null }>;
  /** Everything that was ever removed, so that no other removal is right. */
  readonly removed: Set<string>;
  /** When the access token of each generation ends, by the true time. */
  readonly endsAt: number[];
}

/** The hub can renew its tokens, whatever happened to it. */
export function isRenewable({ isShared, lostBecause, revokedAt }: Account): boolean {
  return !isShared && lostBecause === undefined && revokedAt === undefined;
}

interface Delivery {
  type: string;
  connectionId: string;
  isSigned: boolean;
  body: Record<string, unknown>;
}

const LIFETIME_MS = 3_600_000;
/** Many times as long as the hub waits between two looks, and shorter than any limit of a request. */
const SLOW_MS = 20_000;

/** The provider, and the application to which the hub sends its webhooks. Both keep true time. */
export class SimulatedProvider {
  readonly accounts = new Map<string, Account>();
  readonly notes: string[] = [];
  /** The account of each note, and the version of the function that wrote it. */
  readonly noteWriters = new Map<string, { account: string; version: number }>();
  readonly deliveries: Delivery[] = [];
  readonly codes = new Map<string, string>();
  tokenMishaps: Mishap[] = [];
  apiMishaps: Mishap[] = [];
  appMishaps: Mishap[] = [];
  /** Bad responses so far. */
  mishaps = 0;
  /** Called when the hub has got the last byte of a new token. */
  onTokenRead: (account: Account) => void = () => {};
  readonly #machine: Machine;
  readonly #trueNow: () => number;

  constructor(machine: Machine, trueNow: () => number) {
    this.#machine = machine;
    this.#trueNow = trueNow;
    createServer((request, response) => void this.#answer(request, response)).listen(PROVIDER_PORT, '127.0.0.1');
    createServer((request, response) => void this.#take(request, response)).listen(APP_PORT, '127.0.0.1');
  }

  newAccount(isRefused = false): Account {
    const account: Account = {
      name: `n${this.accounts.size}`,
      generation: 0,
      isRefused,
      lostBecause: undefined,
      isShared: false,
      renewedAt: this.#machine.clock.awakeMs,
      revokedAt: undefined,
      reused: [],
      items: new Map(),
      changes: [],
      removed: new Set(),
      endsAt: [this.#trueNow() + LIFETIME_MS],
    };
    for (let id = 0; id < 6; id++) account.items.set(`i${id}`, 'first');
    this.accounts.set(account.name, account);
    return account;
  }

  /** A person takes the hub's access away: no token of the account is accepted any more. */
  revoke(account: Account): void {
    account.revokedAt ??= this.#machine.done;
  }

  accessToken({ name, generation }: Account): string {
    return `${SECRET_MARK}access-${name}-${generation}`;
  }

  refreshToken({ name, generation }: Account): string {
    return `${SECRET_MARK}refresh-${name}-${generation}`;
  }

  accountOf(token: string): { account: Account; generation: number } | undefined {
    const [, name = '', generation = ''] = /-(n\d+)-(\d+)$/.exec(token) ?? [];
    const account = this.accounts.get(name);
    return account && { account, generation: Number(generation) };
  }

  /** Adds, changes or removes something, in the list and in the changes. */
  change(account: Account): string {
    const { random } = this.#machine;
    const id = `i${random.below(9)}`;
    const text = random.chance(0.3) ? null : `t${account.changes.length}`;
    const isThere = account.items.has(id);
    if (text === null && !isThere) return 'nothing';
    if (text === null) account.removed.add(id);
    if (text === null) account.items.delete(id);
    else account.items.set(id, text);
    account.changes.push({ id, text });
    return `${id} → ${text ?? 'removed'}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const url = new URL(request.url ?? '', 'http://provider');
    const isToken = url.pathname === '/token';
    const mishap = (isToken ? this.tokenMishaps : this.apiMishaps).shift();
    if (mishap) this.mishaps += 1;
    if (mishap === 'reset') return void request.socket.destroy();
    if (mishap === 'busy') return send(response, 429, { error: 'busy' }, { 'retry-after': '1' });
    if (mishap === 'broken') return send(response, 500, { error: 'broken' });
    const [status, content, account] = isToken ? this.#token(new URLSearchParams(body)) : this.#api(request, url, body);
    // Until the last byte was read; the process may end before that.
    if (account) account.lostBecause = 'its response was not delivered';
    if (mishap === 'slow') await this.#machine.clock.sleep(SLOW_MS);
    if (mishap === 'lost' || mishap === 'half') {
      if (account) account.lostBecause = `its response was ${mishap}`;
      if (mishap === 'half')
        response.writeHead(status, { 'content-type': 'application/json', 'content-length': 1000 }).write('{"acc');
      return void this.#machine.clock.after(10, () => request.socket.destroy());
    }
    if (account) {
      const socket = request.socket as unknown as { whenDelivered?: () => void };
      response.on('finish', () => {
        socket.whenDelivered = () => {
          socket.whenDelivered = undefined as never;
          account.lostBecause = undefined;
          this.onTokenRead(account);
        };
      });
    }
    send(response, status, content);
  }

  #token(form: URLSearchParams): [number, unknown, Account?] {
    const code = form.get('code');
    const account =
      code === null
        ? this.accountOf(form.get('refresh_token') ?? '')?.account
        : this.accounts.get(this.codes.get(code) ?? '');
    if (code !== null) this.codes.delete(code);
    if (!account || account.revokedAt !== undefined) return [400, { error: 'invalid_grant' }];
    if (code === null) {
      const sent = this.accountOf(form.get('refresh_token') ?? '')?.generation ?? -1;
      if (sent !== account.generation) {
        account.reused.push(sent);
        return [400, { error: 'invalid_grant', error_description: 'used before' }];
      }
      account.generation += 1;
      account.renewedAt = this.#machine.clock.awakeMs;
      account.endsAt.push(this.#trueNow() + LIFETIME_MS);
    }
    return [
      200,
      {
        access_token: this.accessToken(account),
        refresh_token: this.refreshToken(account),
        expires_in: LIFETIME_MS / 1000,
        token_type: 'Bearer',
      },
      account,
    ];
  }

  #api(request: IncomingMessage, url: URL, body: string): [number, unknown] {
    const found = this.accountOf((request.headers.authorization ?? '').replace('Bearer ', ''));
    const isOver = (found?.account.endsAt[found.generation] ?? 0) < this.#trueNow();
    if (!found || isOver || found.account.revokedAt !== undefined) return [401, { error: 'who are you' }];
    const { account } = found;
    switch (url.pathname) {
      case '/account':
        return [200, { name: account.name, isRefused: account.isRefused }];
      case '/items': {
        const page = Number(url.searchParams.get('page'));
        const items = [...account.items].filter(([id]) => Number(id.slice(1)) % 3 === page);
        return [200, { items: items.map(([id, text]) => ({ id, text })) }];
      }
      case '/changes': {
        const newest = new Map(
          account.changes.slice(Number(url.searchParams.get('since'))).map(({ id, text }) => [id, text]),
        );
        const saved = [...newest].flatMap(([id, text]) => (text === null ? [] : [{ id, text }]));
        const deleted = [...newest].flatMap(([id, text]) => (text === null ? [id] : []));
        return [200, { saved, deleted, until: account.changes.length }];
      }
      case '/notes':
        if (body === '') return [400, {}];
        {
          const { key, version } = JSON.parse(body) as { key: string; version: number };
          this.notes.push(key);
          this.noteWriters.set(key, { account: account.name, version });
        }
        return [200, { count: this.notes.length }];
      default:
        return [404, { error: 'nothing here' }];
    }
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    const mishap = this.appMishaps.shift();
    if (mishap === 'reset') return void request.socket.destroy();
    if (mishap === 'broken' || mishap === 'busy') return send(response, 503, {});
    // The connection broke before everything was there.
    if (!text.endsWith('}')) return void request.socket.destroy();
    const body = JSON.parse(text) as Record<string, unknown>;
    const isSigned = typeof request.headers['x-nango-hmac-sha256'] === 'string';
    this.deliveries.push({
      type: `${body['type']} ${body['operation'] ?? ''}`.trim(),
      connectionId: String(body['connectionId']),
      isSigned,
      body,
    });
    if (mishap === 'lost' || mishap === 'half') return void request.socket.destroy();
    send(response, 200, {});
  }
}

function send(response: ServerResponse, status: number, content: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(content));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of request) text += String(chunk);
  } catch {
    // The hub has gone away.
  }
  return text;
}
