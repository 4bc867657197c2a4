import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovableClock } from '../../support/movable-clock.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller, type ApiResponse } from './api-caller.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const WEBHOOK_URL = 'http://localhost:9/hook';

const clock = new MovableClock();
let server: InProcessServer;
let api: ApiCaller;

beforeAll(async () => {
  server = await startInProcess({ clock, env: { HOMEPORT_WEBHOOK_URL: WEBHOOK_URL } });
  api = new ApiCaller(server);
  await api.send('POST /integrations', { body: { provider: 'practice', unique_key: 'practice' } });
});
afterAll(() => server?.stop());

interface Key {
  id: number;
  uuid: string;
  display_name: string;
  scopes: string[];
  secret: string;
  created_at: string;
}

/** In the environment of the caller unless `id` names another one. */
async function createKey(name: string, scopes?: string[], id?: number): Promise<Key> {
  const body = {
    display_name: name,
    ...(scopes ? { scopes } : {}),
    ...(id === undefined ? {} : { environment_id: id }),
  };
  const { status, body: response } = await api.send('POST /environment/api-keys', { body });
  expect([status, response]).toEqual([200, { data: expect.anything() }]);
  return (response as { data: Key }).data;
}

const caller = (secretKey: string): ApiCaller => new ApiCaller({ url: server.url, secretKey });

async function patch(body: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { status, body: response } = await api.send('PATCH /environment/settings', { body });
  expect([status, response]).toEqual([200, { data: expect.anything() }]);
  return (response as { data: Record<string, unknown> }).data;
}

describe('/environment/settings', () => {
  const webhook = {
    primary_url: WEBHOOK_URL,
    secondary_url: null,
    on_auth_creation: true,
    on_auth_refresh_error: true,
    on_sync_completion_always: true,
    on_sync_error: true,
    on_async_action_completion: true,
    on_connection_deletion: false,
  };
  const retention = {
    logs_days: 15,
    logs_megabytes: 1024,
    webhooks_days: 7,
    records_prune_days: null,
    records_delete_days: null,
  };
  let initial: ApiResponse;
  beforeAll(async () => {
    initial = await api.send('GET /environment/settings');
  });

  it('GET answers all of them; the primary webhook address comes from the variable', () => {
    expect(initial.status).toBe(200);
    expect(initial.body).toEqual({
      data: {
        callback_url: null,
        public_url: null,
        log_level: null,
        allowed_hosts: [],
        allow_base_url_override: true,
        agents_may_build: false,
        approvals: { url: null, kind: 'ntfy', token: null, public: false },
        rate_limit_per_minute: null,
        webhook,
        variables: [],
        retention,
        otlp_endpoint: null,
        otlp_headers: [],
      },
    });
  });

  it('PATCH changes what it names and answers all', async () => {
    await patch({ webhook, retention });
    const settings = await patch({
      log_level: 'debug',
      webhook: { secondary_url: 'https://second.test/x', on_sync_error: false },
      retention: { records_prune_days: 30 },
    });

    expect(settings).toMatchObject({
      log_level: 'debug',
      webhook: { ...webhook, secondary_url: 'https://second.test/x', on_sync_error: false },
      retention: { ...retention, records_prune_days: 30 },
    });
    expect((await api.send('GET /environment/settings')).body).toEqual({ data: settings });
    expect(await patch({})).toEqual(settings);
  });

  it('PATCH replaces the variables, which functions and callers read', async () => {
    const variables = [
      { name: 'B', value: 'two' },
      { name: 'A', value: '' },
    ];
    await patch({ variables: [{ name: 'OLD', value: 'x' }] });

    expect((await patch({ variables }))['variables']).toEqual(variables);
    expect((await api.send('GET /environment-variables')).body).toEqual(variables);
    expect((await patch({ log_level: null }))['variables']).toEqual(variables);
  });

  it('clears addresses with null or an empty text', async () => {
    await patch({
      webhook: { primary_url: 'https://a.test', secondary_url: 'https://b.test' },
      callback_url: 'https://c.test/cb',
      public_url: 'https://d.test',
    });
    const cleared = { webhook: { primary_url: null, secondary_url: '' }, callback_url: '', public_url: '' };

    expect(await patch(cleared)).toMatchObject({
      webhook: { primary_url: null, secondary_url: null },
      callback_url: null,
      public_url: null,
    });
  });

  it('takes every setting, and answers it', async () => {
    const all = {
      callback_url: 'https://hub.example.com/oauth/callback',
      public_url: 'https://hub.example.com',
      log_level: 'error',
      allowed_hosts: ['intranet.local', '10.0.0.1:8080', '::1', '[::1]:3000', 'my_box'],
      allow_base_url_override: false,
      agents_may_build: true,
      approvals: { url: 'https://ntfy.example.com/topic', kind: 'ntfy', token: '••••••••', public: true },
      rate_limit_per_minute: null,
      webhook: {
        primary_url: 'http://localhost:4000/hook',
        secondary_url: 'https://user:pw@second.test/x?y=1',
        on_auth_creation: false,
        on_auth_refresh_error: false,
        on_sync_completion_always: false,
        on_sync_error: false,
        on_async_action_completion: false,
        on_connection_deletion: true,
      },
      variables: [{ name: 'A', value: 'ü "quoted"\nline' }],
      retention: {
        logs_days: null,
        logs_megabytes: 1024,
        webhooks_days: 3650,
        records_prune_days: 30,
        records_delete_days: 60,
      },
      otlp_endpoint: 'http://localhost:4318/otlp',
      otlp_headers: [{ name: 'X-Api-Key', value: 'k 1' }],
    };
    const before = await patch({});

    await patch({ approvals: { url: all.approvals.url, token: 'tk_1' } });
    expect(await patch(all)).toEqual(all);
    expect((await api.send('GET /environment/settings')).body).toEqual({ data: all });
    expect(await patch(before)).toEqual(before);
  });

  it.each([
    'http://127.0.0.1:PORT/hook',
    'http://localhost:PORT',
    'http://[::1]:PORT/',
    'http://anything.localhost:PORT/',
    'https://hub.example.com/hook',
  ])('refuses the hub itself (%s) as a webhook address', async (address) => {
    await patch({ public_url: 'https://hub.example.com' });
    const url = address.replace('PORT', new URL(server.url).port);

    for (const name of ['primary_url', 'secondary_url'])
      expect(await api.refusal('PATCH /environment/settings', { body: { webhook: { [name]: url } } })).toEqual({
        status: 400,
        code: 'invalid_body',
        issues: [`custom webhook.${name}`],
      });
    await patch({ public_url: '' });
  });

  it('takes another program of this computer as a webhook address', async () => {
    const other = `http://localhost:${Number(new URL(server.url).port) + 1}/hook`;

    expect(await patch({ webhook: { secondary_url: other } })).toMatchObject({ webhook: { secondary_url: other } });
    await patch({ webhook: { secondary_url: '' } });
  });

  it('the public address is where providers call, at once, and nothing else', async () => {
    await patch({ public_url: 'https://hub.example.com/' });

    // Images and the connect page are served only on this computer.
    const { body } = await api.send('GET /providers/practice');
    expect(body).toMatchObject({ data: { logo_url: expect.stringMatching(/^http:\/\/localhost:\d+\/images\//) } });
    const integration = await api.send('GET /integrations/practice');
    expect(integration.body).toMatchObject({ data: { logo: expect.stringMatching(/^http:\/\/localhost:\d+\//) } });
    const session = await api.send('POST /connect/sessions', { body: { end_user: { id: 'u' } } });
    expect(session.body).toMatchObject({
      data: { connect_link: expect.stringMatching(/^http:\/\/localhost:\d+\/connect\//) },
    });
    // Now known as a host, and still closed to the API.
    expect(await api.refusal('GET /connections', { headers: { host: 'hub.example.com' } })).toMatchObject({
      status: 421,
    });
    await patch({ public_url: null });
  });

  it.each([
    [{ other: 1 }, 'unrecognized_keys'],
    [{ webhook: { other: 1 } }, 'unrecognized_keys webhook'],
    [{ webhook: { primary_url: 'ftp://a.test' } }, 'custom webhook.primary_url'],
    [{ callback_url: 5 }, 'invalid_union callback_url'],
    [{ webhook: { secondary_url: 'localhost:4000/hook' } }, 'custom webhook.secondary_url'],
    [{ webhook: { on_sync_error: 'yes' } }, 'invalid_type webhook.on_sync_error'],
    [{ public_url: 'https://a.test/path' }, 'custom public_url'],
    [{ public_url: 'hub' }, 'custom public_url'],
    [{ log_level: 'loud' }, 'invalid_value log_level'],
    [{ allowed_hosts: ['http://nas.local/'] }, 'invalid_format allowed_hosts.0'],
    [{ allowed_hosts: ['nas.local', '*.local'] }, 'invalid_format allowed_hosts.1'],
    [{ allowed_hosts: ['nas.local:port'] }, 'invalid_format allowed_hosts.0'],
    [{ rate_limit_per_minute: 0 }, 'too_small rate_limit_per_minute'],
    [{ retention: { logs_days: 0 } }, 'too_small retention.logs_days'],
    [{ retention: { webhooks_days: 0.5 } }, 'invalid_type retention.webhooks_days'],
    [{ retention: { webhooks_days: 0 } }, 'too_small retention.webhooks_days'],
    [{ retention: { records_prune_days: 0 } }, 'too_small retention.records_prune_days'],
    [{ retention: { records_delete_days: 1.5 } }, 'invalid_type retention.records_delete_days'],
    [{ variables: [{ name: '', value: 'x' }] }, 'too_small variables.0.name'],
    [
      {
        variables: [
          { name: 'A', value: 'x' },
          { name: 'A', value: 'y' },
        ],
      },
      'custom variables.1.name',
    ],
    [{ otlp_endpoint: 'ftp://a.test' }, 'custom otlp_endpoint'],
    [{ otlp_endpoint: 'https://user:pw@a.test' }, 'custom otlp_endpoint'],
    [{ otlp_endpoint: 'https://a.test/?key=1' }, 'custom otlp_endpoint'],
    [{ otlp_endpoint: 'https://a.test/v1/traces' }, 'custom otlp_endpoint'],
    [{ otlp_headers: [{ name: 'two words', value: 'x' }] }, 'invalid_format otlp_headers.0.name'],
    [{ otlp_headers: [{ name: 'Content-Type', value: 'x' }] }, 'custom otlp_headers.0.name'],
    [{ otlp_headers: [{ name: 'x-a', value: '' }] }, 'too_small otlp_headers.0.value'],
    [{ otlp_headers: [{ name: 'x-a', value: 'a\nb' }] }, 'invalid_format otlp_headers.0.value'],
    [{ otlp_headers: [{ name: 'x-a' }] }, 'invalid_type otlp_headers.0.value'],
    [
      {
        otlp_headers: [
          { name: 'x-a', value: '1' },
          { name: 'X-A', value: '2' },
        ],
      },
      'custom otlp_headers.1.name',
    ],
    [
      { otlp_headers: Array.from({ length: 101 }, (_, index) => ({ name: `x-${index}`, value: '1' })) },
      'too_big otlp_headers',
    ],
  ])('PATCH refuses %j', async (body, issue) => {
    expect(await api.refusal('PATCH /environment/settings', { body })).toEqual({
      status: 400,
      code: 'invalid_body',
      issues: [issue],
    });
  });

  it('takes no query', async () => {
    expect(await api.refusal('GET /environment/settings?a=1')).toMatchObject({ code: 'invalid_query_params' });
    expect(await api.refusal('PATCH /environment/settings?a=1', { body: {} })).toMatchObject({
      code: 'invalid_query_params',
    });
  });
});

describe('POST /environment/webhook-signing-key/rotate', () => {
  /** An environment with a key of its own, in which nothing was rotated. */
  const fresh = async (name: string): Promise<ApiCaller> => {
    const { body } = await api.send('POST /environments', { body: { name } });
    return caller((await createKey('own', undefined, (body as { data: { id: number } }).data.id)).secret);
  };

  it('answers with a new key; two keys are valid then, so a third is refused for five minutes', async () => {
    const rotating = await fresh('rotated-once');
    const { status, body } = await rotating.send('POST /environment/webhook-signing-key/rotate');

    expect([status, body]).toEqual([200, { data: { webhook_signing_key: expect.stringMatching(UUID_V4) } }]);
    expect(await rotating.refusal('POST /environment/webhook-signing-key/rotate')).toEqual({
      status: 409,
      code: 'multiple_webhook_signing_keys',
    });
  });

  it('takes neither a query nor a body', async () => {
    const path = 'POST /environment/webhook-signing-key/rotate';
    expect(await api.refusal(`${path}?x=1`)).toEqual({
      status: 400,
      code: 'invalid_query_params',
      issues: ['unrecognized_keys'],
    });
    expect(await api.refusal(path, { body: { key: 'mine' } })).toEqual({
      status: 400,
      code: 'invalid_body',
      issues: ['unrecognized_keys'],
    });
    const other = await fresh('rotated-with-body');
    expect((await other.send(path, { body: {} })).status).toBe(200);
  });
});

describe('/environments', () => {
  it('POST makes one with data of its own', async () => {
    const { status, body } = await api.send('POST /environments', {
      body: { name: 'staging', callback_url: 'https://cb.test/x' },
    });
    expect([status, body]).toEqual([
      200,
      { data: { id: expect.any(Number), uuid: expect.stringMatching(UUID_V4), name: 'staging' } },
    ]);

    const { id } = (body as { data: { id: number } }).data;
    const staging = caller((await createKey('mine', undefined, id)).secret);
    expect((await staging.send('GET /integrations')).body).toEqual({ data: [] });
    expect((await staging.send('GET /environment/settings')).body).toMatchObject({
      data: { callback_url: 'https://cb.test/x' },
    });
  });

  it.each([
    [{ name: 'dev' }, { status: 409, code: 'conflict' }],
    [{ name: 'Dev' }, { status: 400, code: 'invalid_body', issues: ['invalid_format name'] }],
    [{ name: 'connections' }, { status: 400, code: 'invalid_body', issues: ['custom name'] }],
    [{}, { status: 400, code: 'invalid_body', issues: ['invalid_type name'] }],
    [
      { name: 'live', is_production: true },
      { status: 400, code: 'invalid_is_prod_flag' },
    ],
    [
      { name: 'prod', is_production: false },
      { status: 400, code: 'invalid_is_prod_flag' },
    ],
  ])('POST refuses %j', async (body, refusal) => {
    expect(await api.refusal('POST /environments', { body })).toEqual(refusal);
  });

  it('POST makes one environment of a name, also for calls at the same time', async () => {
    const responses = await Promise.all(
      Array.from({ length: 3 }, () => api.send('POST /environments', { body: { name: 'at-once' } })),
    );

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });
});

describe('/environment/api-keys', () => {
  it('GET lists the keys of the caller, oldest first, with their last use and without their secrets', async () => {
    const key = await createKey('listed', ['environment:records:read']);
    const list = async (): Promise<Array<Record<string, unknown>>> => {
      const { status, body } = await api.send('GET /environment/api-keys');
      expect(status).toBe(200);
      return (body as { data: Array<Record<string, unknown>> }).data;
    };

    expect((await list())[0]).toEqual({
      id: expect.any(Number),
      uuid: expect.any(String),
      display_name: 'default',
      scopes: ['environment:*'],
      created_at: expect.stringMatching(ISO),
      last_used_at: expect.stringMatching(ISO),
    });
    expect(await list()).toContainEqual({
      id: key.id,
      uuid: key.uuid,
      display_name: 'listed',
      scopes: ['environment:records:read'],
      created_at: key.created_at,
      last_used_at: null,
    });
    await caller(key.secret).send('GET /records?model=Any');
    const used = await waitFor(
      async () => (await list()).find(({ id, last_used_at }) => id === key.id && last_used_at),
      { what: 'the last use of the key' },
    );
    expect(used['last_used_at']).toMatch(ISO);
  });

  it('GET lists the keys of another environment by its id', async () => {
    const { body } = await api.send('POST /environments', { body: { name: 'listed' } });
    const { id } = (body as { data: { id: number } }).data;

    expect((await api.send(`GET /environment/api-keys?environment_id=${id}`)).body).toMatchObject({
      data: [{ display_name: 'default', last_used_at: null }],
    });
    expect((await api.send('GET /environments')).body).toMatchObject({
      data: expect.arrayContaining([
        { id: expect.any(Number), uuid: expect.any(String), name: 'dev', is_production: false },
        { id, uuid: expect.any(String), name: 'listed', is_production: false },
      ]),
    });
    expect((await api.send('GET /environment/api-keys?environment_id=99999')).status).toBe(404);
    expect((await api.send('GET /environment/api-keys?environment_id=dev')).status).toBe(400);
  });

  it('are found by the UUID of the environment and of the key', async () => {
    const { body } = await api.send('POST /environments', { body: { name: 'by-uuid' } });
    const { id, uuid } = (body as { data: { id: number; uuid: string } }).data;
    expect((await api.send('GET /environments?name=by-uuid')).body).toEqual({
      data: [{ id, uuid, name: 'by-uuid', is_production: false }],
    });
    expect((await api.send('GET /environments?name=none')).body).toEqual({ data: [] });

    const made = await api.send(`POST /environments/${uuid}/api-keys`, { body: { display_name: 'worker' } });
    const { secret, ...key } = (made.body as { data: { id: number; uuid: string; secret: string } }).data;
    expect((await caller(secret).send('GET /connections')).status).toBe(200);
    // The use of a key is written a moment after its call.
    await expect
      .poll(async () => (await api.send(`GET /environments/${uuid}/api-keys?display_name=worker`)).body)
      .toEqual({ data: [{ ...key, last_used_at: expect.anything() }] });
    for (const path of [`${uuid}/api-keys/${key.uuid.toUpperCase()}`, `${id}/api-keys/${key.id}`])
      expect((await api.send(`GET /environments/${path}`)).body).toEqual({
        data: { ...key, last_used_at: expect.anything() },
      });

    expect((await api.send(`DELETE /environments/${uuid}/api-keys/${key.uuid}`)).body).toEqual({ success: true });
    expect((await caller(secret).send('GET /connections')).status).toBe(401);
    const gone = { status: 404, code: 'not_found' };
    expect(await api.refusal(`GET /environments/${uuid}/api-keys/${key.uuid}`)).toEqual(gone);
    expect(await api.refusal(`GET /environments/${randomUUID()}/api-keys`)).toEqual(gone);
    expect((await api.send(`GET /environments/by-uuid/api-keys`)).status).toBe(400);
    expect((await api.send(`DELETE /environments/${uuid}`)).status).toBe(204);
    expect(await api.refusal(`DELETE /environments/${uuid}`)).toEqual(gone);
  });

  it('POST makes a key that works until DELETE', async () => {
    const key = await createKey('temporary');
    expect(key).toEqual({
      id: expect.any(Number),
      uuid: expect.any(String),
      display_name: 'temporary',
      scopes: ['environment:*'],
      secret: expect.stringMatching(UUID_V4),
      created_at: expect.stringMatching(ISO),
    });
    expect((await caller(key.secret).send('GET /connections')).status).toBe(200);

    const { status, body } = await api.send('DELETE /environment/api-keys', { body: { key_id: key.id } });
    expect([status, body]).toEqual([200, { success: true }]);
    expect(await caller(key.secret).refusal('GET /connections')).toEqual({ status: 401, code: 'unknown_account' });
  });

  it('gives no new key the id of a revoked one, by which uses and limits are counted', async () => {
    const revoked = await createKey('soon revoked');
    await api.send('DELETE /environment/api-keys', { body: { key_id: revoked.id } });

    expect((await createKey('created next')).id).toBeGreaterThan(revoked.id);
  });

  it('keeps names unique within an environment', async () => {
    await createKey('twice');

    expect(await api.refusal('POST /environment/api-keys', { body: { display_name: 'twice' } })).toEqual({
      status: 409,
      code: 'conflict',
    });
  });

  it.each([
    ['POST', { environment_id: 999, display_name: 'x' }, { status: 404, code: 'not_found' }],
    ['POST', {}, { status: 400, code: 'invalid_body', issues: ['invalid_type display_name'] }],
    ['POST', { display_name: '' }, { status: 400, code: 'invalid_body', issues: ['too_small display_name'] }],
    [
      'POST',
      { display_name: 'x', scopes: ['nope'] },
      { status: 400, code: 'invalid_body', issues: ['custom scopes.0'] },
    ],
    ['DELETE', { key_id: 999 }, { status: 404, code: 'not_found' }],
    ['DELETE', {}, { status: 400, code: 'invalid_body', issues: ['invalid_type key_id'] }],
  ])('%s refuses %j', async (method, body, refusal) => {
    expect(await api.refusal(`${method} /environment/api-keys`, { body })).toEqual(refusal);
  });

  it('has between 1 and 50', async () => {
    const { body } = await api.send('POST /environments', { body: { name: 'full' } });
    const { id } = (body as { data: { id: number } }).data;
    // One was created with the environment.
    const keys: Key[] = [];
    for (let index = 0; index < 49; index += 1) keys.push(await createKey(`key ${index}`, undefined, id));

    expect(
      await api.refusal('POST /environment/api-keys', { body: { environment_id: id, display_name: 'one more' } }),
    ).toEqual({
      status: 400,
      code: 'resource_capped',
    });
    const first = Math.min(...keys.map((key) => key.id)) - 1;
    for (const keyId of [first, ...keys.slice(1).map((key) => key.id)]) {
      await api.send('DELETE /environment/api-keys', { body: { environment_id: id, key_id: keyId } });
    }
    expect(
      await api.refusal('DELETE /environment/api-keys', { body: { environment_id: id, key_id: keys[0]?.id } }),
    ).toEqual({
      status: 400,
      code: 'invalid_body',
    });
    expect((await caller(keys[0]?.secret ?? '').send('GET /connections')).status).toBe(200);
  });
});

describe('scopes', () => {
  /** Every route that takes a key, with the scopes of which any one is sufficient (http-api.md). */
  const ROUTES: Array<[string, string[]]> = [
    ['GET /integrations', ['integrations:list', 'integrations:list_credentials']],
    ['POST /integrations', ['integrations:create']],
    ['POST /integrations/quickstart', ['integrations:create']],
    ['GET /integrations/none', ['integrations:read', 'integrations:read_credentials']],
    ['PATCH /integrations/none', ['integrations:update']],
    ['DELETE /integrations/none', ['integrations:delete']],
    ['GET /integrations/none/functions', ['functions:list']],
    ['GET /integrations/none/functions/f', ['functions:read']],
    ['GET /integrations/none/functions/f/code', ['functions:read']],
    ['DELETE /integrations/none/functions/f', ['functions:delete']],
    ['GET /connections', ['connections:list', 'connections:list_credentials']],
    ['GET /connections/none', ['connections:read', 'connections:read_credentials']],
    ['POST /connections', ['connections:create']],
    ['PATCH /connections/none', ['connections:update']],
    ['DELETE /connections/none', ['connections:delete']],
    ['POST /connections/metadata', ['connections:update']],
    ['PATCH /connections/metadata', ['connections:update']],
    ['GET /connection', ['connections:list', 'connections:list_credentials']],
    ['GET /connection/none', ['connections:read', 'connections:read_credentials']],
    ['POST /connection', ['connections:create']],
    ['DELETE /connection/none', ['connections:delete']],
    ['POST /connection/metadata', ['connections:update']],
    ['PATCH /connection/metadata', ['connections:update']],
    ['POST /connection/none/metadata', ['connections:update']],
    ['PATCH /connection/none/metadata', ['connections:update']],
    ['GET /config/none', ['integrations:read', 'integrations:read_credentials']],
    ['POST /connect/sessions', ['connect_sessions:write']],
    ['POST /connect/sessions/reconnect', ['connect_sessions:write']],
    ['GET /proxy/x', ['proxy']],
    ['POST /action/trigger', ['actions:execute']],
    ['GET /action/x', ['actions:execute']],
    ['POST /sync/trigger', ['syncs:execute']],
    ['POST /sync/start', ['syncs:execute']],
    ['POST /sync/pause', ['syncs:execute']],
    ['GET /sync/status', ['syncs:read']],
    ['PUT /sync/update-connection-frequency', ['syncs:update']],
    ['POST /sync/s/variant/v', ['syncs:variant:create']],
    ['DELETE /sync/s/variant/v', ['syncs:variant:delete']],
    ['GET /records', ['records:read']],
    ['PATCH /records/prune', ['records:write']],
    ['GET /environment-variables', ['variables:read']],
    ['POST /environment/webhook-signing-key/rotate', ['webhook_signing_key:rotate']],
    ['GET /environment/settings', ['settings:read']],
    ['PATCH /environment/settings', ['settings:write']],
    ['GET /scripts/config', ['integrations:list_functions']],
  ];
  const SCOPES = [...new Set(ROUTES.flatMap(([, scopes]) => scopes))];
  const WHOLE_ONLY = [
    'GET /environments',
    'POST /environments',
    'GET /environment/api-keys',
    'POST /environment/api-keys',
    'DELETE /environment/api-keys',
  ];

  const isForbidden = async (secret: string, route: string): Promise<boolean> => {
    const { status, body } = await caller(secret).send(route);
    return status === 403 && (body as { error?: { code?: string } }).error?.code === 'forbidden';
  };

  it.each(SCOPES)('environment:%s opens its routes and no other', async (scope) => {
    const { id, secret } = await createKey(`only ${scope}`, [`environment:${scope}`]);

    const open: string[] = [];
    for (const route of [...ROUTES.map(([path]) => path), ...WHOLE_ONLY])
      if (!(await isForbidden(secret, route))) open.push(route);
    expect(open).toEqual(ROUTES.filter(([, scopes]) => scopes.includes(scope)).map(([route]) => route));
    await api.send('DELETE /environment/api-keys', { body: { key_id: id } });
  });

  it('a group grants the scopes that begin with it', async () => {
    const { secret } = await createKey('a group', ['environment:syncs:*']);

    expect(await isForbidden(secret, 'POST /sync/s/variant/v')).toBe(false);
    expect(await isForbidden(secret, 'GET /connections')).toBe(true);
  });

  it('providers are open to every key', async () => {
    const { secret } = await createKey('hardly anything', ['environment:proxy']);

    for (const route of ['GET /providers', 'GET /providers/practice', 'GET /providers/practice/templates']) {
      expect((await caller(secret).send(route)).status).toBe(200);
    }
  });
});

describe('rate limit', () => {
  it('is off, and says nothing then', async () => {
    expect((await api.send('GET /integrations')).headers).not.toHaveProperty('x-ratelimit-limit');
  });

  it('counts calls per minute and refuses those above the limit', async () => {
    await patch({ rate_limit_per_minute: 2 });
    const first = await api.send('GET /integrations');
    const second = await api.send('GET /integrations');
    const third = await api.send('GET /connections?x=1');

    expect([first.status, first.headers['x-ratelimit-limit'], first.headers['x-ratelimit-remaining']]).toEqual([
      200,
      '2',
      '1',
    ]);
    expect([second.status, second.headers['x-ratelimit-remaining']]).toEqual([200, '0']);
    const secondsLeft = Number(second.headers['x-ratelimit-reset']) - clock.now() / 1000;
    expect(secondsLeft).toBeGreaterThan(50);
    expect(secondsLeft).toBeLessThanOrEqual(61);
    expect([third.status, third.body]).toEqual([
      429,
      { error: { code: 'too_many_request', method: 'GET', path: '/connections', docs: expect.any(String) } },
    ]);
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(50);
    expect((await api.send('GET /health')).status).toBe(200);

    clock.skip(60_000);
    expect((await api.send('GET /integrations')).headers['x-ratelimit-remaining']).toBe('1');
    await patch({ rate_limit_per_minute: null });
  });
});
