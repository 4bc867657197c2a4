import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lookInto } from '../../support/look-into.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import { RotatingProvider } from '../../support/rotating-provider.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { WebhookReceiver } from '../webhooks/webhook-receiver.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let home: TempHome;
let provider: RotatingProvider;
let receiver: WebhookReceiver;
let clock: MovableClock;
let server: InProcessServer;
let api: ApiCaller;
let count = 0;

beforeAll(async () => {
  home = await createTempHome();
  receiver = await WebhookReceiver.start();
  provider = await RotatingProvider.start();
  await mkdir(join(home.path, 'functions'));
  await writeFile(
    join(home.path, 'functions', 'providers.yaml'),
    provider.entry('rotating') + provider.entry('hasty', 'token_expiration_buffer: 60') + keyedEntry(),
  );
  clock = new MovableClock();
  await start();
  for (const key of ['rotating', 'hasty']) {
    const credentials = { type: 'OAUTH2', client_id: 'client-1', client_secret: 'secret-1' };
    await api.send('POST /integrations', { body: { provider: key, unique_key: key, credentials } });
  }
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
  await receiver?.stop();
  await home?.remove();
});
beforeEach(() => {
  provider.refusal = undefined;
  provider.isRotating = true;
  provider.lifetimeSeconds = 3600;
  provider.gate = undefined;
  provider.server.requests.length = 0;
  receiver.server.requests.length = 0;
});

/** A provider whose keys can only be verified. */
function keyedEntry(): string {
  const { address } = provider.server;
  return `
keyed:
  display_name: Keyed
  auth_mode: API_KEY
  credentials: { apiKey: { type: string, title: Key, description: The key, secret: true } }
  proxy: { base_url: "${address}", headers: { x-key: "\${apiKey}" }, verification: { endpoints: [/check] } }
`;
}

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

async function start(): Promise<void> {
  const env = { HOMEPORT_WEBHOOK_URL: receiver.address(), HOMEPORT_MASTER_KEY: MASTER_KEY };
  server = await startInProcess({ home: home.path, clock, env });
  api = new ApiCaller(server);
}

/** A connection whose token expires in the given number of milliseconds; returns the path to read it. */
async function connect(endsInMs: number | undefined, credentials: object = {}, key = 'rotating'): Promise<string> {
  count += 1;
  const connectionId = `c${count}`;
  const expiry =
    endsInMs === undefined ? { no_expiration: true } : { expires_at: new Date(clock.now() + endsInMs).toISOString() };
  const made = await api.send('POST /connections', {
    body: {
      provider_config_key: key,
      connection_id: connectionId,
      credentials: {
        type: 'OAUTH2',
        access_token: 'imported',
        refresh_token: provider.refreshToken,
        ...expiry,
        ...credentials,
      },
    },
  });
  expect(made.status).toBe(201);
  return `GET /connections/${connectionId}?provider_config_key=${key}`;
}

interface Shown {
  last_fetched_at: string | null;
  errors: Array<{ type: string; log_id: string }>;
  credentials: { access_token?: string; refresh_token?: string; expires_at?: string };
}
const read = async (path: string): Promise<{ status: number; body: Shown }> => {
  const { status, body } = await api.send(path);
  return { status, body: body as Shown };
};

interface Failure {
  code: string;
  message: string;
  payload: { reason: string; connection: Shown };
}
const failure = async (path: string): Promise<{ status: number; error: Failure }> => {
  const { status, body } = await api.send(path);
  return { status, error: (body as { error: Failure }).error };
};

describe('an expired token', () => {
  it('is answered with the time of this very read, be it refreshed or not', async () => {
    const path = await connect(-MINUTE_MS);
    const before = clock.now();
    const timeOf = ({ last_fetched_at: time }: Shown): number => Date.parse(time ?? '');

    provider.refusal = { status: 400, body: { error: 'invalid_grant' } };
    const { error } = await failure(path);
    expect(timeOf(error.payload.connection)).toBeGreaterThanOrEqual(before);

    provider.refusal = undefined;
    clock.skip(MINUTE_MS);
    const refreshed = await read(path);
    expect(refreshed.status).toBe(200);
    expect(timeOf(refreshed.body)).toBeGreaterThanOrEqual(before + MINUTE_MS);
  });

  it('is refreshed exactly once for fifty concurrent readers on any route', async () => {
    const path = await connect(-MINUTE_MS);
    const headers = { 'provider-config-key': 'rotating', 'connection-id': path.split(/[/?]/)[2] };
    const readers = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? api.send(path) : api.send('GET /proxy/me', { headers }),
    );
    const responses = await Promise.all(readers);

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(provider.refreshCount).toBe(1);
    const { body } = await read(`${path}&refresh_token=true`);
    expect(body.credentials).toMatchObject({
      access_token: provider.accessToken,
      refresh_token: provider.refreshToken,
    });
    expect(provider.refreshCount).toBe(1);
  });

  it.each([
    ['rotating', 16, 0],
    ['rotating', 14, 1],
    ['hasty', 2, 0],
    ['hasty', 0.5, 1],
  ])('of %s with %d minutes left costs %d refreshes', async (key, minutes, refreshes) => {
    const { status } = await read(await connect(minutes * MINUTE_MS, {}, key));

    expect([status, provider.refreshCount]).toEqual([200, refreshes]);
  });

  it('keeps the refresh token that the answer does not name', async () => {
    provider.isRotating = false;
    const { body } = await read(`${await connect(-MINUTE_MS)}&refresh_token=true`);

    expect(body.credentials).toMatchObject({ access_token: provider.accessToken, refresh_token: 'refresh-0' });
    expect(body.errors).toEqual([]);
    provider.isRotating = true;
  });

  it('is handed out as it is without a refresh token, also when a refresh is forced', async () => {
    const path = await connect(-MINUTE_MS, { refresh_token: undefined });

    expect((await read(path)).body.credentials.access_token).toBe('imported');
    expect((await read(`${path}&force_refresh=true`)).status).toBe(200);
    expect(provider.refreshCount).toBe(0);
  });
});

describe('a token without expiry', () => {
  it('is refreshed only when a caller forces it, each time again', async () => {
    const path = await connect(undefined);
    await read(path);
    expect(provider.refreshCount).toBe(0);

    await read(`${path}&force_refresh=true`);
    const { body } = await read(`${path}&force_refresh=true`);
    expect(provider.refreshCount).toBe(2);
    expect(body.credentials.access_token).toBe(provider.accessToken);
  });
});

describe('a refused refresh', () => {
  it('is reported to the caller, stored on the connection and sent to the application', async () => {
    const path = await connect(-MINUTE_MS);
    provider.refusal = { status: 400, body: { error: 'invalid_grant', error_description: 'revoked by the user' } };
    const { status, error } = await failure(path);

    expect([status, error.code, error.payload.reason]).toEqual([
      400,
      'invalid_credentials',
      'refresh_token_external_error',
    ]);
    expect(error.message).toContain('revoked by the user');
    expect(error.payload.connection).toMatchObject({ credentials: {}, errors: [{ type: 'auth' }] });
    const [webhook] = await receiver.webhooks(1, ({ operation }) => operation === 'refresh');
    expect(webhook).toMatchObject({
      operation: 'refresh',
      success: false,
      providerConfigKey: 'rotating',
      authMode: 'OAUTH2',
      error: { type: 'refresh_token_external_error' },
    });
  });

  it('is not tried again for thirty seconds, unless it is forced; success clears everything', async () => {
    const path = await connect(-MINUTE_MS);
    provider.refusal = { status: 503, body: 'down' };
    await failure(path);
    const second = await failure(path);
    expect([second.status, second.error.code, second.error.payload.reason]).toEqual([
      424,
      'invalid_credentials',
      'connection_refresh_backoff',
    ]);
    expect(provider.refreshCount).toBe(1);
    const proxied = await api.refusal('GET /proxy/me', {
      headers: { 'provider-config-key': 'rotating', 'connection-id': path.split(/[/?]/)[2] },
    });
    expect(proxied).toEqual({ status: 424, code: 'connection_refresh_backoff' });

    clock.skip(31_000);
    expect((await failure(path)).error.payload.reason).toBe('refresh_token_external_error');
    expect(provider.refreshCount).toBe(2);

    provider.refusal = undefined;
    const { body } = await read(`${path}&force_refresh=true`);
    expect(body.errors).toEqual([]);
    expect((await read(path)).status).toBe(200);
  });

  it('is tried again when the token came while the clock was ahead', async () => {
    const path = await connect(-MINUTE_MS);
    clock.skip(365 * DAY_MS);
    expect((await read(path)).status).toBe(200);
    clock.skip(-365 * DAY_MS);
    provider.refusal = { status: 503, body: 'down' };
    await failure(path);
    expect(provider.refreshCount).toBe(2);

    provider.refusal = undefined;
    clock.skip(31_000);
    const { body } = await read(path);

    expect(provider.refreshCount).toBe(3);
    expect(body.credentials.access_token).toBe(provider.accessToken);
  });

  it('ends after failures on four days; a forced one still goes through', async () => {
    const path = await connect(-MINUTE_MS);
    provider.refusal = { status: 400, body: { error: 'invalid_grant' } };
    for (let day = 1; day <= 4; day += 1) {
      expect((await failure(path)).error.payload.reason).toBe('refresh_token_external_error');
      clock.skip(MINUTE_MS);
      if (day < 4) expect((await failure(path)).error.payload.reason).toBe('refresh_token_external_error');
      clock.skip(DAY_MS);
    }
    const before = provider.refreshCount;
    const { status, error } = await failure(path);
    expect([status, error.payload.reason]).toEqual([424, 'connection_refresh_exhausted']);
    expect(provider.refreshCount).toBe(before);

    provider.refusal = undefined;
    expect((await read(`${path}&force_refresh=true`)).status).toBe(200);
    expect((await read(path)).body.errors).toEqual([]);
  });

  it('uses up no attempt while the provider cannot be reached', async () => {
    const path = await connect(-MINUTE_MS);
    provider.refusal = { drop: true };
    for (let day = 1; day <= 5; day += 1) {
      const { status, error } = await failure(path);
      expect([status, error.payload.reason]).toEqual([400, 'provider_unreachable']);
      clock.skip(DAY_MS);
    }
    provider.refusal = undefined;
    expect((await read(path)).status).toBe(200);
  });

  it('is one failure for fifty readers', async () => {
    const path = await connect(-MINUTE_MS);
    provider.refusal = { status: 400, body: { error: 'invalid_grant' } };
    const responses = await Promise.all(Array.from({ length: 50 }, () => failure(path)));

    expect(provider.refreshCount).toBe(1);
    // A reader that comes after the failure is refused because of it: for thirty seconds there is no other attempt.
    const statuses = responses.map(({ status }) => status);
    expect(statuses).toContain(400);
    expect(statuses.filter((status) => status !== 400 && status !== 424)).toEqual([]);
  });
});

describe('a renewal that several callers force', () => {
  const proxied = (path: string) => {
    const [, , connectionId = ''] = path.split(/[/?]/);
    return api.send('GET /proxy/me', { headers: { 'provider-config-key': 'rotating', 'connection-id': connectionId } });
  };

  it('is one failure when the endpoint answers 500 once to several callers, and the next one renews', async () => {
    const path = await connect(-MINUTE_MS);
    const open = Promise.withResolvers<void>();
    provider.gate = open.promise;
    provider.refusal = { status: 500, body: 'down' };
    const callers = [1, 2].map(() => read(`${path}&force_refresh=true`));
    await waitFor(() => provider.refreshCount === 1, { what: 'the renewal' });
    open.resolve();
    expect((await Promise.all(callers)).map(({ status }) => status)).toEqual([400, 400]);
    expect(provider.refreshCount).toBe(1);

    provider.refusal = undefined;
    const next = await Promise.all([
      read(`${path}&force_refresh=true`),
      read(`${path}&force_refresh=true`),
      read(`${path}&refresh_token=true`),
      proxied(path),
    ]);
    // The read without force may come first, and then shares the backoff of the failure.
    expect(next.slice(0, 2).map(({ status }) => status)).toEqual([200, 200]);
    expect(await read(`${path}&refresh_token=true`)).toMatchObject({
      status: 200,
      body: {
        credentials: { access_token: provider.accessToken, refresh_token: provider.refreshToken },
        errors: [],
      },
    });
    expect((await proxied(path)).status).toBe(200);
  });
});

/** Two days pass without a request; then the hub starts again and checks its connections. */
async function twoDaysLater(): Promise<void> {
  clock.skip(2 * DAY_MS);
  await server.stop();
  provider.server.requests.length = 0;
  await start();
}

describe('the upkeep', () => {
  it('verifies keys that cannot be renewed, reports refused ones and clears the error when they work again', async () => {
    provider.server.on('GET /check', { status: 200, body: {} });
    await api.send('POST /integrations', { body: { provider: 'keyed', unique_key: 'keyed' } });
    const body = {
      provider_config_key: 'keyed',
      connection_id: 'k1',
      credentials: { type: 'API_KEY', apiKey: 'key-1' },
    };
    expect((await api.send('POST /connections', { body })).status).toBe(201);
    const path = 'GET /connections/k1?provider_config_key=keyed';
    const checks = (): number => provider.server.requestsTo('/check').length;

    provider.server.on('GET /check', { drop: true });
    await twoDaysLater();
    await waitFor(() => checks() > 0);
    expect((await read(path)).body.errors).toEqual([]);

    provider.server.on('GET /check', { status: 401, body: {} });
    await twoDaysLater();
    const [webhook] = await receiver.webhooks(
      1,
      ({ providerConfigKey, operation }) => providerConfigKey === 'keyed' && operation === 'refresh',
    );
    expect(webhook).toMatchObject({ operation: 'refresh', success: false, error: { type: 'connection_test_failed' } });
    // The connection is still returned, with the error on it.
    const refused = await read(path);
    expect([refused.status, refused.body.errors.map(({ type }) => type)]).toEqual([200, ['auth']]);

    provider.server.on('GET /check', { status: 200, body: {} });
    await twoDaysLater();
    await waitFor(async () => (await read(path)).body.errors.length === 0);
  });

  it('renews connections that were not read for a day at the next start, which does not count as use (design.md 7.46)', async () => {
    // Connections of earlier tests are renewed as well; none of them may use our refresh token.
    provider.isRotating = false;
    const path = await connect(DAY_MS);
    await read(path);
    await twoDaysLater();

    await waitFor(async () => provider.refreshCount > 0);
    await waitFor(async () => {
      const { fetchedAt, usedAt } = await storedTimes(`c${count}`);
      return fetchedAt - usedAt > DAY_MS;
    });
    // Clears the cache, so that the next read uses the database.
    await api.send(path.replace('GET', 'PATCH'), { body: { tags: { changed: 'yes' } } });
    const { fetchedAt } = await storedTimes(`c${count}`);
    expect(fetchedAt - (await readTimeWithoutCredentials(path))).toBeGreaterThan(DAY_MS);
    const { body } = await read(path);
    expect(body.credentials.access_token).not.toBe('imported');
  });
});

/** The response to a key without the scope for credentials: its reads do not count as use. */
async function readTimeWithoutCredentials(path: string): Promise<number> {
  const body = { display_name: 'reader', scopes: ['environment:connections:read'] };
  const { body: made } = await api.send('POST /environment/api-keys', { body });
  const { secret } = (made as { data: { secret: string } }).data;
  const response = await api.send(path, { headers: { authorization: `Bearer ${secret}` } });
  return Date.parse((response.body as Shown).last_fetched_at ?? '');
}

function storedTimes(connectionId: string): Promise<{ fetchedAt: number; usedAt: number }> {
  return lookInto(home.path, async ({ reader }) => {
    const times = await reader.get<{ fetchedAt: number; usedAt: number }>(
      'SELECT last_fetched_at AS fetchedAt, last_used_at AS usedAt FROM connections WHERE connection_id = ?',
      [connectionId],
    );
    if (!times) throw new Error(`There is no connection ${connectionId}.`);
    return times;
  });
}
