import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importConnection } from '../../support/import-practice-connection.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';

const KEY = 'tracker';
/** The second request is answered from the cache. */
const PLAIN = `GET /connections/one?provider_config_key=${KEY}`;
const LAYERED = `${PLAIN}&force_refresh=false`;

let server: InProcessServer;
let api: ApiCaller;

beforeAll(async () => {
  server = await startInProcess();
  api = new ApiCaller(server);
  await api.send('POST /integrations', { body: { provider: 'practice', unique_key: KEY } });
});
afterAll(() => server?.stop());

beforeEach(async () => {
  const config = { region: 'ä', refresh_token: 'kept back' };
  const body = { provider_config_key: KEY, connection_id: 'one', metadata: { a: 1 }, connection_config: config };
  expect((await importConnection(server, body)).status).toBe(201);
  await api.send(PLAIN);
});
afterEach(() => api.send(`DELETE /connections/one?provider_config_key=${KEY}`));

describe('a connection that is read again', () => {
  it('is answered with the headers and the body of the first time', async () => {
    const [layered, plain] = [await api.send(LAYERED), await api.send(PLAIN)];

    const timeless = ({ body }: typeof plain) => ({ ...(body as object), last_fetched_at: expect.any(String) });
    expect(plain.body).toEqual(timeless(layered));
    expect(Object.keys(plain.body as object)).toEqual(Object.keys(layered.body as object));
    expect(plain.bytes.length).toBe(layered.bytes.length);
    const { date: _date, ...headers } = layered.headers;
    expect(plain.headers).toMatchObject(headers);
    expect(plain.body).toMatchObject({ connection_config: { region: 'ä' }, credentials: { type: 'API_KEY' } });
    expect(plain.bytes.toString()).not.toContain('kept back');
  });

  it('notes each time that it was read', async () => {
    const readAt = async () =>
      Date.parse(((await api.send(PLAIN)).body as { last_fetched_at: string }).last_fetched_at);
    const first = await readAt();
    await expect.poll(readAt).toBeGreaterThan(first);
  });

  it('shows a change at once', async () => {
    const change = { connection_id: 'one', provider_config_key: KEY, metadata: { a: 2 } };
    expect((await api.send('POST /connections/metadata', { body: change })).status).toBe(201);

    expect((await api.send(PLAIN)).body).toMatchObject({ metadata: { a: 2 } });
  });

  it('is found by its own id when others are asked with the same query, and a wrong query stays refused', async () => {
    expect((await api.send(PLAIN.replace('/one?', '/other?'))).status).toBe(404);
    expect((await api.send(PLAIN)).body).toMatchObject({ connection_id: 'one' });
    for (const query of ['&force_refresh=maybe', '&unknown=1', `&provider_config_key=${KEY}`])
      for (let round = 0; round < 2; round += 1)
        expect([query, (await api.send(PLAIN + query)).status]).toEqual([query, 400]);
    const whole = await api.send(`${PLAIN}&refresh_token=true`);
    expect(whole.bytes.toString()).toContain('kept back');
    expect((await api.send(PLAIN)).bytes.toString()).not.toContain('kept back');
  });

  it('is refused to foreign hosts, tunnels, unknown and revoked keys, and keys without credentials', async () => {
    const made = async (scopes: string[]) => {
      const { body } = await api.send('POST /environment/api-keys', { body: { display_name: scopes.join(), scopes } });
      const { data } = body as { data: { id: number; secret: string } };
      const headers = { authorization: `Bearer ${data.secret}` };
      return { ...data, headers };
    };
    const reader = await made(['environment:connections:read']);
    const full = await made(['environment:connections:*']);
    for (const { headers } of [reader, full]) await api.send(PLAIN, { headers });

    expect((await api.send(PLAIN, { headers: reader.headers })).body).toMatchObject({ credentials: {} });
    expect((await api.send(PLAIN, { headers: full.headers })).status).toBe(200);
    await api.send('DELETE /environment/api-keys', { body: { key_id: full.id } });
    expect((await api.refusal(PLAIN, { headers: full.headers })).status).toBe(401);
    expect((await api.refusal(PLAIN, { headers: { host: 'evil.example' } })).status).toBe(421);
    expect((await api.refusal(PLAIN, { headers: { 'x-forwarded-for': '1.2.3.4' } })).status).toBe(421);
    expect((await api.refusal(PLAIN, { headers: { authorization: undefined } })).status).toBe(401);
    expect((await api.refusal(PLAIN, { headers: { 'content-type': 'text/plain' } })).code).toBe('invalid_content_type');
  });

  it('is counted where calls are limited', async () => {
    const limit = (rate_limit_per_minute: number | null) =>
      api.send('PATCH /environment/settings', { body: { rate_limit_per_minute } });
    expect((await limit(100)).status).toBe(200);
    expect((await api.send(PLAIN)).headers['x-ratelimit-limit']).toBe('100');
    await limit(null);

    expect((await api.send(PLAIN)).headers['x-ratelimit-limit']).toBeUndefined();
  });

  it('is not found once it is deleted', async () => {
    expect((await api.send(`DELETE /connections/one?provider_config_key=${KEY}`)).status).toBe(200);

    expect((await api.refusal(PLAIN)).status).toBe(404);
  });
});
