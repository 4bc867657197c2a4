import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { Admission } from '../../../server/platform/http/admission.ts';
import { createHttpApp } from '../../../server/platform/http/http-app.ts';
import type { Route } from '../../../server/platform/http/route.ts';
import { RunningRequests } from '../../../server/platform/http/running-requests.ts';
import { randomIds } from '../../../server/platform/lib/ids.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';

const open = {
  enter: () => false,
  identify: () => ({}),
  perform: (route: Route, request: Parameters<Route['handler']>[0]) => route.handler(request),
} as unknown as Admission;
const late: Route = {
  method: 'get',
  path: '/later/here',
  access: 'public',
  handler: () => ({ status: 200, body: 'here' }),
};

let server: ReturnType<typeof createServer> | undefined;
afterEach(() => server?.close());

it('loads routes again after they could not be loaded', async () => {
  let tries = 0;
  const app = createHttpApp({
    admission: open,
    routes: [],
    pages: [],
    running: new RunningRequests(),
    ids: randomIds,
    logger: silentLogger,
    laterRoutes: {
      below: '/later/',
      load: async () => {
        tries += 1;
        if (tries === 1) throw new Error('too many open files');
        return [late];
      },
    },
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server?.once('listening', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/later/here`;

  expect((await fetch(address)).status).toBe(500);
  const second = await fetch(address);
  expect([second.status, await second.json()]).toEqual([200, 'here']);
  await fetch(address);
  expect(tries).toBe(2);
});
