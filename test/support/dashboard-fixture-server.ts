import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import {
  type DashboardEvent,
  type DashboardEventName,
  dashboardEvents,
} from '../../server/contract/dashboard/dashboard-events.ts';
import {
  type DashboardRoute,
  type DashboardRouteKey,
  dashboardRoutes,
} from '../../server/contract/dashboard/dashboard-routes.ts';
import { PAGE_POLICY } from '../../server/dashboard/api/dashboard-pages.ts';
import { contentPolicy } from '../../server/platform/http/page-folder.ts';
import { fixtureDocs } from './dashboard-fixture-docs.ts';
import { fixtureHandlers } from './dashboard-fixture-handlers.ts';
import { FixtureRefusal } from './dashboard-fixture-lists.ts';
import { createFixtureState, type FixtureOptions, type FixtureState } from './dashboard-fixture-state.ts';
import { createOpenApiDocument } from './public-document.ts';

/** Folder of the built dashboard. */
export const DASHBOARD_DIST = new URL('../../dist/renderer/', import.meta.url).pathname;
/** A page of the same origin that runs nothing. */
export const BLANK_PATH = '/blank';
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};

export interface DashboardFixture {
  url: string;
  state: FixtureState;
  emit: <Name extends DashboardEventName>(name: Name, data: DashboardEvent<Name>) => void;
  /** Ends every open event stream, as a restart of the server does. */
  dropStreams: () => void;
  /** The number of open event streams. */
  streamCount: () => number;
  /** While true, new event streams fail, as while a server restarts. */
  refuseStreams: (refuse: boolean) => void;
  /** Serves another state at the same address; requests that are already running are answered from this one. */
  renew: (options: FixtureOptions) => DashboardFixture;
  stop: () => Promise<void>;
}

interface Match {
  key: DashboardRouteKey;
  params: Record<string, string>;
}

/** Literal routes come before those with parameters of the same length, because more of their segments are fixed. */
function findRoute(method: string, path: string): Match | undefined {
  const parts = path.split('/');
  const fixed = (key: string): number => (key.match(/:/g) ?? []).length;
  for (const key of (Object.keys(dashboardRoutes) as DashboardRouteKey[]).sort((a, b) => fixed(a) - fixed(b))) {
    const [routeMethod, routePath = ''] = key.split(' ');
    const names = routePath.split('/');
    if (routeMethod !== method || names.length !== parts.length) continue;
    if (!names.every((name, index) => name.startsWith(':') || name === parts[index])) continue;
    const pairs = names.map((name, index) => [name.slice(1), decodeURIComponent(parts[index] ?? '')] as const);
    return { key, params: Object.fromEntries(pairs.filter((_, index) => names[index]?.startsWith(':'))) };
  }
  return undefined;
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { code, message } }));
}

async function answerApi(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  state: FixtureState,
): Promise<void> {
  const method = request.method ?? 'GET';
  const isExport = url.pathname.startsWith('/api/v1/export/');
  const match = findRoute(method, url.pathname.replace('/api/v1/export/', '/api/v1/'));
  if (!match) return refuse(response, 404, 'not_found', 'No such route.');
  if (state.isLocked && match.key !== 'POST /api/v1/session')
    return refuse(response, 401, 'unauthorized', 'Sign in first.');
  if (method !== 'GET' && !request.headers['x-homeport-csrf'])
    return refuse(response, 403, 'forbidden', 'The CSRF header is missing.');
  const route: DashboardRoute = dashboardRoutes[match.key];
  const query = route.query?.safeParse(Object.fromEntries(url.searchParams));
  const body = route.body?.safeParse(await readBody(request));
  if (query?.success === false) return refuse(response, 400, 'invalid_query_params', query.error.message);
  if (body?.success === false) return refuse(response, 400, 'invalid_body', body.error.message);
  if (isExport && query?.success) Object.assign(query.data as object, { offset: 0, limit: Number.POSITIVE_INFINITY });
  try {
    const handler = fixtureHandlers[match.key] as (input: object, state: FixtureState) => unknown;
    const result = route.response.parse(handler({ params: match.params, query: query?.data, body: body?.data }, state));
    if (isExport) {
      const { data, total } = result as { data: unknown[]; total: number };
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'x-total-count': total });
      response.end(data.map((row) => `${JSON.stringify(row)}\n`).join(''));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  } catch (error) {
    if (error instanceof FixtureRefusal) return refuse(response, error.status, error.code, error.message);
    refuse(response, 500, 'server_error', String(error));
  }
}

async function answerFile(response: ServerResponse, dist: string, path: string): Promise<void> {
  const name = normalize(path.replace(/^\/app\/?/, ''));
  const isAsset = name.startsWith('assets/');
  try {
    const content = await readFile(join(dist, isAsset ? name : 'index.html'));
    const type = TYPES[extname(isAsset ? name : 'index.html')] ?? 'application/octet-stream';
    response.writeHead(200, {
      'content-type': type,
      // As in the hub: a browser caches the compiled form of a script.
      ...(isAsset
        ? { 'cache-control': 'public, max-age=31536000, immutable' }
        : { 'content-security-policy': contentPolicy(content.toString(), PAGE_POLICY) }),
    });
    response.end(content);
  } catch {
    // Not built, or an asset of another build.
    refuse(response, 404, 'not_found', 'Build the dashboard first.');
  }
}

function answerDocument({ headers }: IncomingMessage, response: ServerResponse): void {
  const document = createOpenApiDocument({ serverUrl: `http://${headers.host}`, version: '0.0.0' });
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}

function answerDocs(response: ServerResponse, path: string): void {
  const content = fixtureDocs(path.replace('/docs/', ''));
  if (content === undefined) return refuse(response, 404, 'not_found', 'There is no such page.');
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}

/** The state of the fixture server and its event streams. */
interface Session {
  state: FixtureState;
  streams: Set<ServerResponse>;
  /** Events before the first stream, for it: as in the hub, a page misses none after its first response. */
  early: string[] | undefined;
  isRefusing: boolean;
}

function answerEvents(request: IncomingMessage, response: ServerResponse, session: Session): void {
  const { streams, early = [] } = session;
  if (session.isRefusing) {
    request.socket.destroy();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write([': open\n\n', ...early].join(''));
  session.early = undefined;
  streams.add(response);
  response.on('close', () => streams.delete(response));
}

/** Serves the built dashboard and answers its API from memory; every response is checked against the contract. */
export async function startDashboardFixture(options: FixtureOptions = {}): Promise<DashboardFixture> {
  const startSession = (how: FixtureOptions): Session => ({
    state: createFixtureState(how),
    streams: new Set(),
    early: [],
    isRefusing: false,
  });
  let session = startSession(options);
  let eventId = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fixture');
    if (url.pathname === '/api/v1/events') answerEvents(request, response, session);
    else if (url.pathname === '/openapi.json') answerDocument(request, response);
    else if (url.pathname.startsWith('/docs/')) answerDocs(response, url.pathname);
    else if (url.pathname.startsWith('/api/')) void answerApi(request, response, url, session.state);
    else if (url.pathname === '/app' || url.pathname.startsWith('/app/'))
      void answerFile(response, DASHBOARD_DIST, url.pathname);
    else if (url.pathname === BLANK_PATH)
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    else refuse(response, 404, 'not_found', 'Nothing is here.');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that lasts as long as its test process does not keep that one running.
  server.unref();
  const dropStreams = ({ streams }: Session): void => {
    for (const stream of streams) stream.destroy();
  };
  const show = (shown: Session): DashboardFixture => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state: shown.state,
    emit: (name, data) => {
      eventId += 1;
      const text = `id: ${eventId}\nevent: ${name}\ndata: ${JSON.stringify(dashboardEvents[name].parse(data))}\n\n`;
      shown.early?.push(text);
      for (const stream of shown.streams) stream.write(text);
    },
    dropStreams: () => dropStreams(shown),
    streamCount: () => shown.streams.size,
    refuseStreams: (refuse) => {
      shown.isRefusing = refuse;
    },
    renew: (how) => {
      dropStreams(session);
      session = startSession(how);
      return show(session);
    },
    stop: async () => {
      dropStreams(session);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return show(session);
}
