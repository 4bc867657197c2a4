import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, type HubResponse, startFunctionHub } from '../../support/function-hub.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';

const FILES = {
  // One added, one updated, one deleted, one with an unusual id.
  'syncs/fill.ts': syncSource(`
    const rows = ['added', 'updated', 'deleted', 'a b&c/ä'].map((id) => ({ id, text: '1' }));
    await nango.batchSave(rows, 'Item');
    await nango.batchSave([{ id: 'updated', text: '2' }], 'Item');
    await nango.batchDelete([{ id: 'deleted' }], 'Item');`),
  'syncs/many.ts': syncSource(`
    await nango.batchSave(Array.from({ length: 250 }, (_, n) => ({ id: String(n), text: 'x' })), 'Many');`).replace(
    'Item:',
    'Many:',
  ),
};

let hub: FunctionHub;
const headers = { 'provider-config-key': 'acme', 'connection-id': 'c1' };

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
  await hub.connection.nango.triggerSync('acme', ['fill', 'many'], 'c1');
  await waitForSync(hub.connection, 'fill', hasSucceeded);
  await waitForSync(hub.connection, 'many', hasSucceeded);
});
afterAll(() => hub?.stop());

const ids = ({ body }: HubResponse): string[] => body.records.map(({ id }: { id: string }) => id);

describe('GET /records', () => {
  it('gives the stream of changes, deleted records included', async () => {
    const { status, body } = await hub.records('model=Item');

    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['next_cursor', 'records']);
    expect(
      body.records.map((one: { id: string; _nango_metadata: { last_action: string } }) => [
        one.id,
        one._nango_metadata.last_action,
      ]),
    ).toEqual([
      ['added', 'ADDED'],
      ['a b&c/ä', 'ADDED'],
      ['updated', 'UPDATED'],
      ['deleted', 'DELETED'],
    ]);
    expect(body.records[3]).toMatchObject({ text: '1', _metadata: { deleted: true } });
    expect(body.next_cursor).toBeNull();
  });

  it('answers with a slash before the query too', async () => {
    expect((await hub.call('GET', '/records/?model=Item', { headers })).status).toBe(200);
  });

  it.each([
    ['added', ['added', 'a b&c/ä']],
    ['UPDATED', ['updated']],
    ['deleted', ['deleted']],
    ['added,updated', ['added', 'a b&c/ä', 'updated']],
    ['ADDED,DELETED', ['added', 'a b&c/ä', 'deleted']],
    ['updated,deleted', ['updated', 'deleted']],
  ])('filters by %s', async (filter, expected) => {
    expect(ids(await hub.records(`model=Item&filter=${filter}`))).toEqual(expected);
  });

  it.each([
    ['ids=added&ids=unknown&ids=deleted', ['added', 'deleted']],
    ['ids=updated', ['updated']],
    ['ids[]=updated&ids[]=added', ['added', 'updated']],
    [`ids=${encodeURIComponent('a b&c/ä')}`, ['a b&c/ä']],
  ])('finds %s', async (query, expected) => {
    expect(ids(await hub.records(`model=Item&${query}`))).toEqual(expected);
  });

  it('pages one by one without losing or repeating a record', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: HubResponse = await hub.records(
        `model=Many&limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      seen.push(...ids(page));
      expect(
        page.body.next_cursor === null || page.body.next_cursor === page.body.records[0]._nango_metadata.cursor,
      ).toBe(true);
      cursor = page.body.next_cursor;
    }

    expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => String(n)));
  });

  it('gives 100 by default, and nothing after the last cursor', async () => {
    const first = await hub.records('model=Many');
    const all = await hub.records('model=Many&limit=10000');
    const last = all.body.records.at(-1)._nango_metadata.cursor;

    expect(ids(first)).toHaveLength(100);
    expect(ids(all)).toHaveLength(250);
    expect((await hub.records(`model=Many&cursor=${encodeURIComponent(last)}`)).body).toEqual({
      records: [],
      next_cursor: null,
    });
  });

  it('reads from a moment on, in each form of it; delta wins', async () => {
    const { body } = await hub.records('model=Item');
    const at: string = body.records[2]._nango_metadata.last_modified_at;

    const since = (name: string, value: string): Promise<HubResponse> =>
      hub.records(`model=Item&${name}=${encodeURIComponent(value)}`);
    expect(ids(await since('modified_after', at))).toEqual(['updated', 'deleted']);
    expect(ids(await since('modified_after', at.replace('+00:00', 'Z')))).toEqual(['updated', 'deleted']);
    expect(ids(await since('delta', at))).toEqual(['updated', 'deleted']);
    // A plus sign that is not encoded in a query means a space.
    expect(ids(await hub.records(`model=Item&modified_after=${at}`))).toEqual(['updated', 'deleted']);
    expect(ids(await since('modified_after', '2001-01-01T00:00:00Z'))).toHaveLength(4);
    expect(
      ids(await hub.records(`model=Item&modified_after=2001-01-01T00:00:00Z&delta=${encodeURIComponent(at)}`)),
    ).toEqual(['updated', 'deleted']);
  });

  it('is empty for an unknown model and for an unknown variant', async () => {
    expect((await hub.records('model=Nothing')).body).toEqual({ records: [], next_cursor: null });
    expect((await hub.records('model=Item&variant=eu')).body).toEqual({ records: [], next_cursor: null });
    expect(ids(await hub.records('model=Item&variant=base'))).toHaveLength(4);
  });

  it.each([
    ['', ['model']],
    ['model=lower', ['model']],
    ['model=Item&limit=0', ['limit']],
    ['model=Item&limit=10001', ['limit']],
    ['model=Item&limit=many', ['limit']],
    ['model=Item&modified_after=2024-01-01', ['modified_after']],
    ['model=Item&delta=yesterday', ['delta']],
    ['model=Item&cursor=', ['cursor']],
    ['model=Item&cursor=nonsense', ['cursor']],
    [`model=Item&cursor=${'x'.repeat(1001)}`, ['cursor']],
    [`model=Item&cursor=${btoa('2026-01-01T00:00:00Z||x')}`, ['cursor']],
    ['model=Item&filter=added,Updated', ['filter', '1']],
    ['model=Item&more=1', []],
  ])('refuses %s', async (query, path) => {
    const { status, body } = await hub.records(query);

    expect({ status, code: body.error.code, path: body.error.errors?.[0].path }).toEqual({
      status: 400,
      code: 'invalid_query_params',
      path,
    });
  });

  it.each([[`ids=${'x'.repeat(2049)}`], ['ids='], [Array.from({ length: 101 }, (_, n) => `ids=${n}`).join('&')]])(
    'refuses ids (%#)',
    async (query) => {
      expect(await hub.records(`model=Item&${query}`)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_query_params' } },
      });
    },
  );

  it('checks the query before the headers, and the headers before the connection', async () => {
    expect(await hub.call('GET', '/records')).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_query_params' } },
    });
    expect(await hub.call('GET', '/records?model=Item')).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_headers' } },
    });
    const unknown = await hub.call('GET', '/records?model=Item', { headers: { ...headers, 'connection-id': 'none' } });
    expect(unknown).toMatchObject({ status: 400, body: { error: { code: 'unknown_connection' } } });
  });
});

describe('PATCH /records/prune', () => {
  const prune = (body: unknown, path = '/records/prune', to: Record<string, string> = headers): Promise<HubResponse> =>
    hub.call('PATCH', path, { body, headers: to });

  it('empties payloads up to the cursor and moves nothing', async () => {
    const before = (await hub.records('model=Many&limit=10000')).body.records;
    const until_cursor = before[9]._nango_metadata.cursor;

    const some = await prune({ model: 'Many', until_cursor, limit: 4 });
    const rest = await prune({ model: 'Many', until_cursor });
    const none = await prune({ model: 'Many', until_cursor });

    const after = (await hub.records('model=Many&limit=10000')).body.records;
    expect(some).toMatchObject({ status: 200, body: { count: 4, has_more: true } });
    expect(rest.body).toEqual({ count: 6, has_more: false });
    expect(none.body).toEqual({ count: 0, has_more: false });
    expect(after[0]).toEqual({
      id: '0',
      _nango_metadata: { ...before[0]._nango_metadata, pruned_at: expect.stringMatching(/\+00:00$/) },
    });
    expect(after.slice(10)).toEqual(before.slice(10));
  });

  it('a pruned record saved again as it was comes back where it stands', async () => {
    const before = (await hub.records('model=Many&limit=10000')).body.records;

    const { finishedAt } = (await hub.connection.nango.syncStatus('acme', ['many'], 'c1')).syncs[0] ?? {};
    await hub.connection.nango.triggerSync('acme', ['many'], 'c1');
    const done = await waitForSync(
      hub.connection,
      'many',
      (state) => hasSucceeded(state) && state.finishedAt !== finishedAt,
    );

    const after = (await hub.records('model=Many&limit=10000')).body.records;
    expect(done.latestResult).toEqual({ Many: { added: 0, updated: 0, deleted: 0 } });
    expect(after[0]).toEqual({
      id: '0',
      text: 'x',
      _nango_metadata: { ...before[0]._nango_metadata, pruned_at: null },
    });
  });

  it.each([
    [{ until_cursor: 'x' }, '/records/prune', 'invalid_body'],
    [{ model: 'Many' }, '/records/prune', 'invalid_body'],
    [{ model: 'Many', until_cursor: 'x', more: 1 }, '/records/prune', 'invalid_body'],
    [{ model: 'Many', until_cursor: 'x', limit: 0 }, '/records/prune', 'invalid_body'],
    [{}, '/records/prune?x=1', 'invalid_query_params'],
  ])('refuses %j at %s', async (body, path, code) => {
    expect(await prune(body, path)).toMatchObject({ status: 400, body: { error: { code } } });
  });

  it('refuses an invalid cursor, missing headers and an unknown connection', async () => {
    const body = { model: 'Many', until_cursor: 'nonsense' };

    expect((await prune(body)).status).toBe(400);
    expect(await prune(body, '/records/prune', {})).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_headers' } },
    });
    expect(await prune(body, '/records/prune', { ...headers, 'connection-id': 'none' })).toMatchObject({
      status: 400,
      body: { error: { code: 'unknown_connection' } },
    });
  });
});
