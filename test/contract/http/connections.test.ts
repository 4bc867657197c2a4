import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importConnection, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';

const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;
const OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;
const KEY = 'tracker';
const OTHER_KEY = 'tracker-2';

type Connection = Record<string, unknown> & { connection_id: string };

let server: InProcessServer;
let api: ApiCaller;
let number = 0;
let id: string;

beforeAll(async () => {
  server = await startInProcess();
  api = new ApiCaller(server);
  for (const unique_key of [KEY, OTHER_KEY])
    await api.send('POST /integrations', { body: { provider: 'practice', unique_key } });
});
afterAll(() => server?.stop());
beforeEach(() => {
  number += 1;
  id = `c-${number}`;
});

async function make(more: Record<string, unknown> = {}): Promise<void> {
  const response = await importConnection(server, { provider_config_key: KEY, connection_id: id, ...more });
  expect(response.status).toBe(201);
}

async function read(connectionId = id, query = ''): Promise<Connection> {
  const { status, body } = await api.send(
    `GET /connections/${encodeURIComponent(connectionId)}?provider_config_key=${KEY}${query}`,
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Connection;
}

async function list(query: string): Promise<Connection[]> {
  const { status, body } = await api.send(`GET /connections?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { connections: Connection[] }).connections;
}

const idsOf = (connections: Connection[]): string[] => connections.map((connection) => connection.connection_id);

describe('GET /connections', () => {
  it('lists the documented fields, no credentials and no configuration', async () => {
    await make({
      tags: { Team: 'A' },
      end_user: { id: 'u', display_name: 'U' },
      metadata: { a: 1 },
      connection_config: { b: 2 },
    });

    expect(await list(`connectionId=${id}`)).toEqual([
      {
        id: expect.any(Number),
        connection_id: id,
        provider_config_key: KEY,
        provider: 'practice',
        errors: [],
        end_user: { id: 'u', display_name: 'U', email: null, tags: null, organization: null },
        tags: { end_user_id: 'u', end_user_display_name: 'U', team: 'A' },
        metadata: expect.objectContaining({ a: 1 }),
        created: expect.stringMatching(MICROSECONDS),
      },
    ]);
  });

  it('puts the newest first and pages from zero', async () => {
    const ids = [1, 2, 3].map((at) => `page-${number}-${at}`);
    for (const each of ids) await make({ connection_id: each });

    expect(idsOf(await list(`search=page-${number}`))).toEqual([...ids].reverse());
    expect(idsOf(await list(`search=page-${number}&limit=2`))).toEqual([ids[2], ids[1]]);
    expect(idsOf(await list(`search=page-${number}&limit=2&page=1`))).toEqual([ids[0]]);
    expect(await list(`search=page-${number}&limit=2&page=2`)).toEqual([]);
    expect(await list(`limit=2000&page=${Number.MAX_SAFE_INTEGER}`)).toEqual([]);
  });

  it('searches ids, names and addresses without regard to case, and nothing as a pattern', async () => {
    await make({ end_user: { id: 'x', display_name: `Zoë ${number}_Quill`, email: `Mail${number}@example.test` } });

    expect(idsOf(await list(`search=${number}_QUILL`))).toEqual([id]);
    expect(idsOf(await list(`search=mAIL${number}%40`))).toEqual([id]);
    expect(idsOf(await list(`search=C-${number}`))).toContain(id);
    expect(await list(`search=${number}%25quill`)).toEqual([]);
    expect(idsOf(await list(`search=${encodeURIComponent(`ZOË ${number}_qu`)}`))).toEqual([id]);
    for (const signs of ['*', '?', '[Z]']) expect(await list(`search=${encodeURIComponent(`${signs}OË`)}`)).toEqual([]);
  });

  it('joins filters with AND', async () => {
    await make({ end_user: { id: `user-${number}` }, tags: { Team: 'Blue', 'a.b/c-d': 'x y' } });
    await make({ provider_config_key: OTHER_KEY });

    expect(await list(`connectionId=${id}`)).toHaveLength(2);
    expect(await list(`connectionId=${id}&integrationId=${KEY}`)).toHaveLength(1);
    expect(await list(`connectionId=${id}&integrationId=none,%20${KEY},${OTHER_KEY}`)).toHaveLength(2);
    expect(idsOf(await list(`endUserId=user-${number}`))).toEqual([id]);
    expect(await list(`connectionId=${id}&tags[TEAM]=Blue`)).toHaveLength(1);
    expect(await list(`connectionId=${id}&tags%5Bteam%5D=Blue&tags[a.b/c-d]=x%20y`)).toHaveLength(1);
    expect(await list(`connectionId=${id}&tags[team]=blue`)).toEqual([]);
    expect(await list(`endUserId=user-${number}&endUserOrganizationId=none`)).toEqual([]);
  });

  it('filters by tags that are called like members of every JavaScript object', async () => {
    await make({ tags: { constructor: 'x' } });

    expect(idsOf(await list('tags[constructor]=x'))).toEqual([id]);
    expect(await list('tags[hasOwnProperty]=x')).toEqual([]);
    expect(await list('tags[team]=__proto__')).toEqual([]);
  });

  it.each([
    ['limit=0', 'too_small limit'],
    ['limit=2001', 'too_big limit'],
    ['limit=x', 'invalid_type limit'],
    ['page=-1', 'too_small page'],
    ['connectionId=', 'too_small connectionId'],
    [`search=${'x'.repeat(256)}`, 'too_big search'],
    ['integrationId=', 'too_small integrationId'],
    ['endUserId=a&endUserId=b', 'invalid_type endUserId'],
    ['tags=a', 'invalid_type tags'],
    ['tags[1a]=a', 'invalid_key tags.1a'],
    ['connection_id=a', 'unrecognized_keys'],
    ['tags[__proto__]=a', 'unrecognized_keys'],
    ['tags%5b%5F_proto__]=a', 'unrecognized_keys'],
    ['__proto__[tags]=a', 'unrecognized_keys'],
  ])('refuses ?%s', async (query, issue) => {
    expect(await api.refusal(`GET /connections?${query}`)).toEqual({
      status: 400,
      code: 'invalid_query_params',
      issues: [issue],
    });
  });
});

describe('GET /connections/{connectionId}', () => {
  it('answers the whole connection and notes that it was read', async () => {
    await make({ connection_config: { region: 'eu' } });

    const first = await read();

    expect(first).toEqual({
      id: expect.any(Number),
      connection_id: id,
      provider_config_key: KEY,
      provider: 'practice',
      errors: [],
      end_user: null,
      tags: {},
      metadata: expect.any(Object),
      connection_config: { region: 'eu' },
      webhook_url_override: null,
      created_at: expect.stringMatching(OFFSET),
      updated_at: expect.stringMatching(OFFSET),
      last_fetched_at: expect.stringMatching(OFFSET),
      credentials: { type: 'API_KEY', apiKey: PRACTICE_KEY },
    });
    expect(String((await read())['last_fetched_at']) >= String(first['last_fetched_at'])).toBe(true);
  });

  it.each(['force_refresh', 'refresh_token', 'refresh_github_app_jwt_token'])(
    'reads %s in every spelling of a boolean',
    async (flag) => {
      await make();
      for (const value of ['true', 'FALSE', '1', '0', 'Yes', 'no', 'on', 'off', 'y', 'n', 'enabled', 'disabled']) {
        await read(id, `&${flag}=${value}`);
      }

      expect(await api.refusal(`GET /connections/${id}?provider_config_key=${KEY}&${flag}=maybe`)).toEqual({
        status: 400,
        code: 'invalid_query_params',
        issues: [`invalid_value ${flag}`],
      });
    },
  );

  it.each(['a,.;:=+~[]|@${}"\'\\/_ -z', 'user@example.test', '100', '..x'])('finds the id %s', async (odd) => {
    await make({ connection_id: odd });

    expect(await read(odd)).toMatchObject({ connection_id: odd });
  });

  it('checks query, path, integration and connection in that order', async () => {
    expect(await api.refusal('GET /connections/a%23b')).toEqual({
      status: 400,
      code: 'invalid_query_params',
      issues: ['invalid_type provider_config_key'],
    });
    expect(await api.refusal(`GET /connections/a%23b?provider_config_key=none`)).toEqual({
      status: 400,
      code: 'invalid_uri_params',
      issues: ['invalid_format connectionId'],
    });
    expect(await api.refusal('GET /connections/none?provider_config_key=none')).toEqual({
      status: 400,
      code: 'unknown_provider_config',
    });
    expect(await api.refusal(`GET /connections/none?provider_config_key=${KEY}`)).toEqual({
      status: 404,
      code: 'not_found',
    });
    expect(await api.refusal(`GET /connections/none?provider_config_key=${KEY}&other=1`)).toMatchObject({
      code: 'invalid_query_params',
    });
  });
});

describe('PATCH /connections/{connectionId}', () => {
  const patch = async (body: unknown): Promise<void> => {
    const response = await api.send(`PATCH /connections/${id}?provider_config_key=${KEY}`, { body });
    expect([response.status, response.body]).toEqual([200, { success: true }]);
  };

  it('changes nothing for an empty body', async () => {
    await make({ tags: { a: 'b' } });
    const before = await read();

    await patch({});

    expect({ ...(await read()), last_fetched_at: '' }).toEqual({ ...before, last_fetched_at: '' });
  });

  it("keeps the end user as this connection's own copy", async () => {
    await make({ end_user: { id: 'shared', display_name: 'Before' } });
    await make({ connection_id: `${id}-twin`, end_user: { id: 'shared', display_name: 'Before' } });

    await patch({ end_user: { id: 'shared', display_name: 'After' } });

    expect((await read())['end_user']).toMatchObject({ display_name: 'After' });
    expect((await read(`${id}-twin`))['end_user']).toMatchObject({ display_name: 'Before' });
  });

  it('replaces the tags by derived and given ones', async () => {
    await make({ tags: { old: '1' } });

    await patch({ end_user: { id: 'u' }, tags: { New: '2' } });
    expect((await read())['tags']).toEqual({ end_user_id: 'u', new: '2' });
    await patch({ tags: {} });
    expect(await read()).toMatchObject({ tags: {}, end_user: { id: 'u' } });
  });

  it('sets and clears the webhook address', async () => {
    await make();

    await patch({ webhook_url_override: 'http://localhost:4000/hook' });
    expect((await read())['webhook_url_override']).toBe('http://localhost:4000/hook');
    await patch({ webhook_url_override: '' });
    expect((await read())['webhook_url_override']).toBeNull();
  });

  it('loses neither of two changes sent at once', async () => {
    await make();

    await Promise.all([
      patch({ webhook_url_override: 'http://localhost:4000/hook' }),
      ...[1, 2, 3].map(() => patch({ tags: { a: 'b' } })),
      importConnection(server, {
        provider_config_key: KEY,
        connection_id: id,
        credentials: { type: 'API_KEY', apiKey: 'practice-rotated' },
      }),
      ...[1, 2, 3].map((at) => patch({ tags: { a: `b${at}` } })),
    ]);

    expect(await read()).toMatchObject({ credentials: { apiKey: 'practice-rotated' } });
  });

  it('checks query, body, path, integration and connection in that order', async () => {
    const refusal = (path: string, body: unknown = {}) => api.refusal(`PATCH /connections/${path}`, { body });

    expect(await refusal('a%23b', { no: 1 })).toMatchObject({
      code: 'invalid_query_params',
      issues: ['invalid_type provider_config_key'],
    });
    expect(await refusal('a%23b?provider_config_key=none', { no: 1 })).toEqual({
      status: 400,
      code: 'invalid_body',
      issues: ['unrecognized_keys'],
    });
    expect(await refusal('a%23b?provider_config_key=none')).toMatchObject({ code: 'invalid_uri_params' });
    expect(await refusal('none?provider_config_key=none')).toEqual({ status: 400, code: 'unknown_provider_config' });
    expect(await refusal(`none?provider_config_key=${KEY}`)).toEqual({ status: 404, code: 'not_found' });
    expect(await refusal(`none?provider_config_key=${KEY}&force_refresh=true`)).toMatchObject({
      code: 'invalid_query_params',
    });
  });

  it('holds at most ten tags, derived ones included', async () => {
    await make();
    const tags = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`t${at}`, 'x']));

    expect(
      await api.refusal(`PATCH /connections/${id}?provider_config_key=${KEY}`, {
        body: { tags, end_user: { id: 'u' } },
      }),
    ).toEqual({
      status: 400,
      code: 'invalid_body',
    });
  });
});

describe('DELETE /connections/{connectionId}', () => {
  it('removes it and frees the id', async () => {
    await make();
    const before = await read();

    const { status, body } = await api.send(`DELETE /connections/${id}?provider_config_key=${KEY}`);

    expect([status, body]).toEqual([200, { success: true }]);
    expect(await api.refusal(`GET /connections/${id}?provider_config_key=${KEY}`)).toMatchObject({ status: 404 });
    await make();
    expect((await read())['id']).not.toBe(before['id']);
  });

  it('checks the path before the query, and has no message for an unknown connection', async () => {
    expect(await api.refusal('DELETE /connections/a%23b')).toMatchObject({ code: 'invalid_uri_params' });
    expect(await api.refusal('DELETE /connections/none')).toMatchObject({ code: 'invalid_query_params' });
    for (const key of [KEY, 'none']) {
      const { status, body } = await api.send(`DELETE /connections/none?provider_config_key=${key}`);

      expect([status, body]).toEqual([400, { error: { code: 'unknown_connection', docs: expect.any(String) } }]);
    }
  });
});

describe('POST and PATCH /connections/metadata', () => {
  const send = (method: string, metadata: unknown, connection_id: unknown = id, provider_config_key = KEY) =>
    api.send(`${method} /connections/metadata`, { body: { connection_id, provider_config_key, metadata } });

  it('POST replaces and echoes with 201, PATCH merges the top level and echoes with 200', async () => {
    await make({ metadata: { a: { b: 1 }, c: 1 } });

    const merged = await send('PATCH', { a: { d: 2 }, e: [1] });
    expect([merged.status, merged.body]).toEqual([
      200,
      { connection_id: id, provider_config_key: KEY, metadata: { a: { d: 2 }, e: [1] } },
    ]);
    expect((await read())['metadata']).toMatchObject({ a: { d: 2 }, c: 1, e: [1] });

    const replaced = await send('POST', { only: true }, [id]);
    expect([replaced.status, replaced.body]).toEqual([
      201,
      { connection_id: [id], provider_config_key: KEY, metadata: { only: true } },
    ]);
    expect((await read())['metadata']).toEqual({ only: true });
  });

  it('writes either all of several connections or none', async () => {
    await make({ metadata: { a: 1 } });
    await make({ connection_id: `${id}-b`, metadata: { b: 1 } });

    expect((await send('PATCH', { shared: 1 }, [id, `${id}-b`])).status).toBe(200);
    expect((await read(`${id}-b`))['metadata']).toMatchObject({ b: 1, shared: 1 });
    for (const method of ['POST', 'PATCH']) {
      const { status, body } = await send(method, { lost: 1 }, [id, 'none']);
      expect([status, body]).toEqual([
        404,
        { error: { code: 'unknown_connection', message: expect.any(String), docs: expect.any(String) } },
      ]);
    }
    expect((await read())['metadata']).not.toHaveProperty('lost');
    expect((await send('POST', {}, id, 'none')).status).toBe(404);
  });

  it('keeps every one of many concurrent merges', async () => {
    await make();

    await Promise.all(Array.from({ length: 8 }, (_, at) => send('PATCH', { [`key${at}`]: at })));

    expect(Object.keys((await read())['metadata'] as object)).toEqual(
      expect.arrayContaining(Array.from({ length: 8 }, (_, at) => `key${at}`)),
    );
  });

  it.each([
    [{ metadata: {} }, ['invalid_type connection_id', 'invalid_type provider_config_key']],
    [{ connection_id: 'a#b', provider_config_key: KEY, metadata: {} }, ['invalid_format connection_id']],
    [{ connection_id: 'a', provider_config_key: KEY, metadata: [] }, ['invalid_type metadata']],
    [{ connection_id: 'a', provider_config_key: KEY, metadata: {}, other: 1 }, ['unrecognized_keys']],
  ])('refuses %j', async (body, issues) => {
    const refusal = await api.refusal('POST /connections/metadata', { body });

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_body' });
    expect(refusal.issues?.map((issue) => issue.replace('invalid_union', 'invalid_type'))).toEqual(issues);
    expect(await api.refusal('PATCH /connections/metadata?a=1', { body })).toMatchObject({
      code: 'invalid_query_params',
    });
  });
});
