import { z } from 'zod';
import {
  type DashboardEvent,
  type DashboardEventName,
  dashboardEvents,
} from '../../server/contract/dashboard/dashboard-events.ts';
import {
  type DashboardRouteKey,
  type DashboardRoutes,
  dashboardRoutes,
} from '../../server/contract/dashboard/dashboard-routes.ts';

export type SessionResponse<K extends DashboardRouteKey> = z.output<DashboardRoutes[K]['response']>;

export interface HubCall {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  /** Time limit of the response, in milliseconds. */
  limitMs?: number;
}

/** The hub answered with an error. */
export class HubError extends Error {
  override readonly name = 'HubError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const RESPONSE_LIMIT_MS = 10_000;
/** The sessions page recognises the app by this text. */
const USER_AGENT = `Homeport Electron/shell (${
  { darwin: 'Mac OS X', win32: 'Windows' }[process.platform as string] ?? 'Linux'
})`;

/**
 * Client of the dashboard's API for the shell, with its own session in memory. When a session has ended, the server
 * gives this process a new link.
 */
export class HubSession {
  readonly #requestLoginLink: () => Promise<string>;
  #session: Promise<{ origin: string; headers: Record<string, string> }> | undefined;

  constructor({ requestLoginLink }: { requestLoginLink: () => Promise<string> }) {
    this.#requestLoginLink = requestLoginLink;
  }

  /** Throws `HubError` for an error response, and the error of `fetch` when the server cannot be reached. */
  async call<K extends DashboardRouteKey>(key: K, parts: HubCall = {}): Promise<SessionResponse<K>> {
    const [method = 'GET', path = ''] = key.split(' ');
    const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parts.params?.[name] ?? ''));
    const response = await this.#send(`${filled}${parts.query ? `?${new URLSearchParams(parts.query)}` : ''}`, {
      method,
      headers: { 'content-type': 'application/json' },
      // A hub that hangs must not delay the end of the app.
      signal: AbortSignal.timeout(parts.limitMs ?? RESPONSE_LIMIT_MS),
      ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
    });
    return dashboardRoutes[key].response.parse(await response.json()) as SessionResponse<K>;
  }

  /** Reads the events of an environment until the stream ends. Calls `onOpen` when it is open. */
  async followEvents(
    env: string,
    use: { onOpen: () => void; onEvent: (event: HubEvent) => void; signal: AbortSignal },
  ): Promise<void> {
    const response = await this.#send(`/api/v1/events?${new URLSearchParams({ env })}`, { signal: use.signal });
    use.onOpen();
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of response.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const event of blocks.flatMap((block) => readEvent(block) ?? [])) use.onEvent(event);
    }
  }

  /** Ends the session. Does nothing when the server is gone. */
  async signOut(): Promise<void> {
    if (this.#session === undefined) return;
    await this.call('DELETE /api/v1/session').catch((error: unknown) => {
      if (!(error instanceof Error)) throw error;
    });
    this.#session = undefined;
  }

  /** Call it when the server has restarted at another address. */
  reset(): void {
    this.#session = undefined;
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const first = await this.#sendOnce(path, init);
    if (first.status !== 401) return ensureOk(first);
    await first.body?.cancel();
    this.#session = undefined;
    return ensureOk(await this.#sendOnce(path, init));
  }

  async #sendOnce(path: string, init: RequestInit): Promise<Response> {
    this.#session ??= this.#logIn();
    const { origin, headers } = await this.#session.catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return fetch(`${origin}${path}`, { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) } });
  }

  async #logIn(): Promise<{ origin: string; headers: Record<string, string> }> {
    const link = new URL(await this.#requestLoginLink());
    const response = await ensureOk(
      await fetch(`${link.origin}/api/v1/session`, {
        method: 'POST',
        headers: {
          origin: link.origin,
          'x-homeport-csrf': 'none',
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
        },
        body: JSON.stringify({ code: link.hash.replace(/^#code=/, '') }),
      }),
    );
    const { csrfToken } = dashboardRoutes['POST /api/v1/session'].response.parse(await response.json());
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return {
      origin: link.origin,
      headers: { cookie, origin: link.origin, 'x-homeport-csrf': csrfToken, 'user-agent': USER_AGENT },
    };
  }
}

export type HubEvent = { [Name in DashboardEventName]: { name: Name; data: DashboardEvent<Name> } }[DashboardEventName];

/** Undefined for comments, and for events of a newer server that this shell does not know. */
function readEvent(block: string): HubEvent | undefined {
  const field = (name: string): string | undefined =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const name = field('event');
  if (name === undefined || !Object.hasOwn(dashboardEvents, name)) return undefined;
  const data = dashboardEvents[name as DashboardEventName].safeParse(JSON.parse(field('data') ?? 'null'));
  return data.success ? ({ name, data: data.data } as HubEvent) : undefined;
}

const refusal = z.object({ error: z.object({ message: z.string() }) });

async function ensureOk(response: Response): Promise<Response> {
  if (response.ok) return response;
  const body = refusal.safeParse(await response.json().catch(() => null));
  throw new HubError(response.status, body.data?.error.message ?? `The hub answered ${response.status}.`);
}
