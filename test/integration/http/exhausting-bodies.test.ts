// @module-tag slow
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { residentMegabytes } from '../../bench/process-memory.ts';
import { ApiCaller } from '../../contract/http/api-caller.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { watchHealth } from '../../support/watch-health.ts';

const SIZE = 75_000_000;
/** Parsing any of them took gigabytes and blocked the event loop for seconds. */
const SHAPES = {
  'empty objects': Buffer.from(`[${'{},'.repeat(SIZE / 3 - 1)}{}]`),
  'nested lists': Buffer.from('['.repeat(SIZE / 2) + ']'.repeat(SIZE / 2)),
};
/** Memory that a healthy server may need meanwhile, in MB; far less than one of the inflated bodies. */
const MAY_GROW_MB = 60;
const AT_ONCE = 8;

let server: StartedServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.stop());

describe.each(Object.entries(SHAPES))('a small gzip of 75 MB of %s', (_name, shape) => {
  const body = gzipSync(shape);

  it.each([
    ['POST /connections', 401],
    ['POST /oauth/callback', 404],
    ['POST /nowhere', 404],
    ['GET /health', 415],
    ['POST /connect/telemetry', 415],
    ['POST /api/v1/session', 415],
    ['POST /webhook/7f1e8c1c-6b1a-4f0e-9c55-111111111111/x', 404],
  ])('is neither inflated nor parsed for a stranger: %s', async (route, status) => {
    const api = new ApiCaller(server);
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip', authorization: undefined };
    const before = (await residentMegabytes(server.pid)) ?? 0;
    const health = watchHealth(server);

    const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => api.send(route, { body, headers })));

    const { failures } = await health.finish();
    expect(responses.map((response) => response.status)).toEqual(Array(AT_ONCE).fill(status));
    expect(failures).toEqual([]);
    expect(((await residentMegabytes(server.pid)) ?? 0) - before).toBeLessThan(MAY_GROW_MB);
  });
});
