import { expect } from 'vitest';
import type { z } from 'zod';
import {
  type DashboardRouteKey,
  type DashboardRoutes,
  dashboardRoutes,
} from '../../../server/contract/dashboard/dashboard-routes.ts';
import { requestLoginLink } from '../../../server/running-file.ts';

export interface CallParts {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** A server, and the way to sign a browser in to it. */
export interface DashboardAddress {
  url: string;
  signIn: { issueLinkCode(): string };
}

type RouteResponse<K extends DashboardRouteKey> = z.output<DashboardRoutes[K]['response']>;

/** A signed-in page: calls rows of the route table as the dashboard does and checks every response against the contract. */
export class DashboardClient {
  readonly url: string;
  readonly cookie: string;
  /** The second secret, which the page stores. */
  readonly csrfToken: string;

  private constructor(url: string, cookie: string, csrfToken: string) {
    this.url = url;
    this.cookie = cookie;
    this.csrfToken = csrfToken;
  }

  /** The headers of every request of the page. */
  get headers(): { cookie: string; 'x-homeport-csrf': string } {
    return { cookie: this.cookie, 'x-homeport-csrf': this.csrfToken };
  }

  static async signIn({ url, signIn }: DashboardAddress): Promise<DashboardClient> {
    const response = await fetch(`${url}/api/v1/session`, {
      method: 'POST',
      headers: { origin: url, 'x-homeport-csrf': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ code: signIn.issueLinkCode() }),
    });
    const { csrfToken } = (await response.json()) as { csrfToken: string };
    return new DashboardClient(url, (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '', csrfToken);
  }

  /** With a link of the command line: also in to a hub in another process. */
  static async signInByLink({ home, url }: { home: string; url: string }): Promise<DashboardClient> {
    const link = new URL((await requestLoginLink(home)) ?? '');
    return DashboardClient.signIn({ url, signIn: { issueLinkCode: () => link.hash.replace('#code=', '') } });
  }

  /** The response of a call that succeeds; it may contain only members that the contract names. */
  async call<K extends DashboardRouteKey>(key: K, parts: CallParts = {}): Promise<RouteResponse<K>> {
    const response = await this.send(key, parts);
    const body: unknown = await response.json();
    if (response.status !== 200) throw new Error(`${key} answered ${response.status}: ${JSON.stringify(body)}`);
    const parsed = dashboardRoutes[key].response.parse(body);
    expect(body).toEqual(parsed);
    return parsed as RouteResponse<K>;
  }

  /** Status and code of a call that fails. */
  async refusal(key: DashboardRouteKey, parts: CallParts = {}): Promise<{ status: number; code: string }> {
    const response = await this.send(key, parts);
    const body = (await response.json()) as { error?: { code: string } };
    return { status: response.status, code: body.error?.code ?? '' };
  }

  send(key: DashboardRouteKey, { params = {}, query = {}, body }: CallParts = {}): Promise<Response> {
    const [method = '', path = ''] = key.split(' ');
    const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const takesEnvironment = 'query' in dashboardRoutes[key];
    const search = new URLSearchParams(takesEnvironment ? { env: 'dev', ...query } : query);
    return fetch(`${this.url}${filled}?${search}`, {
      method,
      headers: {
        ...this.headers,
        ...(method === 'GET' ? {} : { origin: this.url }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}
