import type { NangoRecord } from '@nangohq/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { readAllRecords } from '../../support/read-all-records.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { type SyncState, waitForSync } from '../../support/wait-for-sync.ts';

/** Fetches its steps, so that the test writes each run; each file is its own sync with its own model. */
function scriptedSync(model: string, options = ''): string {
  return syncSource(`
    const { data: steps } = await nango.get({ endpoint: '/steps/${model}' });
    const results = [];
    for (const [method, ...args] of steps) {
      if (method === 'throw') throw new Error('told to');
      if (method === 'list') {
        const all = [];
        for await (const record of nango.listRecords('${model}')) all.push(record.id);
        results.push(all);
        continue;
      }
      let result;
      try {
        result = await nango[method](...args, '${model}');
      } catch (error) {
        result = 'threw ' + error.message;
      }
      results.push(result instanceof Map ? [...result].map(([key, value]) => [typeof key, key, value.text ?? null]) : result ?? null);
    }
    await nango.post({ endpoint: '/results', data: results });`)
    .replace('Item: z.object', `${model}: z.object`)
    .replace("frequency: 'every day',", `frequency: 'every day',${options}`);
}

const MODELS = ['Plain', 'Update', 'Remove', 'Guarded', 'Tracked', 'Outdated', 'Numeric', 'Bad', 'Big', 'LongId'];

let hub: FunctionHub;

beforeAll(async () => {
  const files = Object.fromEntries(MODELS.map((model) => [`syncs/${model.toLowerCase()}.ts`, scriptedSync(model)]));
  hub = await startFunctionHub({ ...files, 'syncs/config.ts': scriptedSync('Config', 'trackDeletes: true,') });
  hub.provider.on('POST /results', { body: {} });
});
beforeEach(() => hub.renewConnection());
afterAll(() => hub?.stop());

type Step = [method: string, ...args: unknown[]];

/** One run of a model's sync; resolves to its state and the result of each step. */
async function run(model: string, steps: Step[]): Promise<{ state: SyncState; results: unknown[] }> {
  const sync = model.toLowerCase();
  const before = hub.provider.requestsTo('/results').length;
  const previous = (await hub.connection.nango.syncStatus('acme', [sync], 'c1')).syncs[0];
  hub.provider.on(`GET /steps/${model}`, { body: steps });
  await hub.connection.nango.triggerSync('acme', [sync], 'c1');
  const state = await waitForSync(
    hub.connection,
    sync,
    ({ finishedAt }) => finishedAt !== undefined && finishedAt !== previous?.finishedAt,
  );
  const response = hub.provider.requestsTo('/results')[before];
  return { state, results: response ? JSON.parse(response.body.toString()) : [] };
}

type Row = NangoRecord<Record<string, unknown>>;
const rows = (model: string): Promise<Row[]> => readAllRecords(hub.connection, model);
const actions = (all: Row[]): unknown[] => all.map(({ id, _nango_metadata }) => [id, _nango_metadata.last_action]);

describe('batchSave', () => {
  it('adds new records, keeps equal ones, replaces changed ones', async () => {
    const first = await run('Plain', [
      [
        'batchSave',
        [
          { id: 'a', text: '1', more: { x: 1 } },
          { id: 'b', text: '1' },
        ],
      ],
    ]);
    const before = await rows('Plain');
    const same = await run('Plain', [
      [
        'batchSave',
        [
          { id: 'a', text: '1', more: { x: 1 } },
          { id: 'b', text: '1' },
        ],
      ],
    ]);
    const unmoved = await rows('Plain');
    const changed = await run('Plain', [['batchSave', [{ id: 'a', text: '2' }]]]);
    const after = await rows('Plain');

    expect(first).toMatchObject({
      results: [true],
      state: { latestResult: { Plain: { added: 2, updated: 0, deleted: 0 } }, recordCount: { Plain: 2 } },
    });
    expect(same.state.latestResult).toEqual({ Plain: { added: 0, updated: 0, deleted: 0 } });
    expect(unmoved).toEqual(before);
    expect(changed.state.latestResult).toEqual({ Plain: { added: 0, updated: 1, deleted: 0 } });
    expect(actions(after)).toEqual([
      ['b', 'ADDED'],
      ['a', 'UPDATED'],
    ]);
    expect(after[1]).toEqual({ id: 'a', text: '2', _nango_metadata: expect.any(Object) });
  });

  it('gives records their six metadata fields, times with microseconds', async () => {
    await run('Plain', [['batchSave', [{ id: 'a', text: '1' }]]]);

    const [record] = await rows('Plain');

    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    expect(record?._nango_metadata).toEqual({
      first_seen_at: time,
      last_modified_at: time,
      last_action: 'ADDED',
      deleted_at: null,
      pruned_at: null,
      cursor: expect.any(String),
    });
    expect(record).not.toHaveProperty('_metadata');
  });

  it('takes metadata of an earlier reading out of the input', async () => {
    await run('Plain', [['batchSave', [{ id: 'b', text: '1' }]]]);
    const [read] = await rows('Plain');

    const { state } = await run('Plain', [['batchSave', [{ ...read, _metadata: { deleted: false } }]]]);

    expect(state.latestResult).toEqual({ Plain: { added: 0, updated: 0, deleted: 0 } });
  });

  it('counts a record that is added and changed in one run twice, and does nothing with an empty list', async () => {
    const { state, results } = await run('Plain', [
      ['batchSave', [{ id: 'c', text: '1' }]],
      ['batchSave', [{ id: 'c', text: '2' }]],
      ['batchSave', []],
      ['batchSave', null],
    ]);

    expect(results).toEqual([true, true, true, true]);
    expect(state.latestResult).toEqual({ Plain: { added: 1, updated: 1, deleted: 0 } });
  });

  it('takes and lists thousands of records in order', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => ({ id: `n${index}`, text: 'x' }));

    const { state } = await run('Big', [['batchSave', many]]);
    const { results } = await run('Big', [['list']]);

    expect(state.recordCount).toEqual({ Big: 2_500 });
    expect(results[0]).toHaveLength(2_500);
    expect((await readAllRecords(hub.connection, 'Big', 1000)).map(({ id }) => id)).toEqual(many.map(({ id }) => id));
  });

  it.each([[{ text: 'none' }], [{ id: '' }], [{ id: 0 }], [{ id: null }], [null], [{ id: 'x'.repeat(2049) }]])(
    'stores nothing of a batch with %j',
    async (bad) => {
      const { results } = await run('Bad', [['batchSave', [{ id: 'good', text: 'x' }, bad]], ['list']]);

      expect(results[0]).toMatch(/^threw Failed to save records:/);
      expect(results[1]).toEqual([]);
    },
  );

  it('stores an id of 2,048 characters, which is found by it', async () => {
    const id = 'x'.repeat(2048);
    await run('LongId', [['batchSave', [{ id, text: 'x' }]]]);

    expect((await readAllRecords(hub.connection, 'LongId', 10)).map((record) => record.id)).toEqual([id]);
  });

  it('keeps the first of an id within a batch', async () => {
    await run('Bad', [
      [
        'batchSave',
        [
          { id: 'twice', text: 'first' },
          { id: 'twice', text: 'second' },
        ],
      ],
    ]);

    expect(await rows('Bad')).toMatchObject([{ id: 'twice', text: 'first' }]);
  });
});

describe('batchUpdate', () => {
  it('merges deeply into live records, and nothing else', async () => {
    await run('Update', [
      [
        'batchSave',
        [
          { id: 'a', text: '1', deep: { x: 1, y: { z: 1 } }, list: [1, 2] },
          { id: 'gone', text: '1' },
        ],
      ],
      ['batchDelete', [{ id: 'gone' }]],
    ]);

    const patch = { id: 'a', deep: { y: { w: 2 }, x: null }, list: [3] };
    const first = await run('Update', [
      ['batchUpdate', [patch, { id: 'gone', text: '2' }, { id: 'unknown', text: '2' }]],
    ]);
    const again = await run('Update', [['batchUpdate', [patch]]]);
    const [record] = (await rows('Update')).filter(({ id }) => id === 'a');
    const full = { id: 'a', text: '1', deep: { x: null, y: { z: 1, w: 2 } }, list: [3] };
    const saved = await run('Update', [['batchSave', [full]]]);

    expect(first.state.latestResult).toEqual({ Update: { added: 0, updated: 1, deleted: 0 } });
    expect(again.state.latestResult).toEqual({ Update: { added: 0, updated: 0, deleted: 0 } });
    expect(record).toEqual({ ...full, _nango_metadata: expect.objectContaining({ last_action: 'UPDATED' }) });
    expect(saved.state.latestResult).toEqual({ Update: { added: 0, updated: 0, deleted: 0 } });
    expect(await rows('Update')).toHaveLength(2);
  });
});

describe('batchDelete', () => {
  it('deletes softly, keeps the payload, ignores other fields, and does not count twice', async () => {
    await run('Remove', [
      [
        'batchSave',
        [
          { id: 'a', text: '1', _metadata: { own: 1 } },
          { id: 'b', text: '1' },
        ],
      ],
    ]);

    const first = await run('Remove', [
      ['batchDelete', [{ id: 'a', text: 'ignored', deletedAt: '2001-01-01T00:00:00Z' }]],
    ]);
    const [, deleted] = await rows('Remove');
    const again = await run('Remove', [['batchDelete', [{ id: 'a' }, { id: 'never-heard-of' }]]]);

    expect(first.state).toMatchObject({
      latestResult: { Remove: { added: 0, updated: 0, deleted: 1 } },
      recordCount: { Remove: 1 },
    });
    expect(deleted).toMatchObject({
      id: 'a',
      text: '1',
      _metadata: { own: 1, deleted: true },
      _nango_metadata: { last_action: 'DELETED' },
    });
    expect(Object.keys(deleted?._nango_metadata ?? {}).sort()).toEqual([
      'cursor',
      'deleted_at',
      'first_seen_at',
      'last_action',
      'last_modified_at',
      'pruned_at',
    ]);
    expect(deleted?._nango_metadata.deleted_at).toBe(deleted?._nango_metadata.last_modified_at);
    expect(again.state).toMatchObject({
      latestResult: { Remove: { added: 0, updated: 0, deleted: 0 } },
      recordCount: { Remove: 1 },
    });
    expect((await rows('Remove')).filter(({ id }) => id === 'a')).toEqual([deleted]);
  });

  it('a record saved again is added again', async () => {
    await run('Remove', [
      [
        'batchSave',
        [
          { id: 'a', text: '1', _metadata: { own: 1 } },
          { id: 'b', text: '1' },
        ],
      ],
      ['batchDelete', [{ id: 'a' }]],
    ]);
    const before = (await rows('Remove')).find(({ id }) => id === 'a')?._nango_metadata;

    const { state } = await run('Remove', [['batchSave', [{ id: 'a', text: '1' }]]]);
    const record = (await rows('Remove')).find(({ id }) => id === 'a');

    expect(state).toMatchObject({
      latestResult: { Remove: { added: 1, updated: 0, deleted: 0 } },
      recordCount: { Remove: 2 },
    });
    expect(record).toMatchObject({ _nango_metadata: { last_action: 'ADDED', deleted_at: null } });
    expect(String(record?._nango_metadata.first_seen_at) > String(before?.last_modified_at)).toBe(true);
    expect(record).not.toHaveProperty('_metadata');
  });
});

describe('getRecordsByIds and listRecords', () => {
  it('keys by the ids as asked, finds deleted records, leaves out unknown ones', async () => {
    const { results } = await run('Numeric', [
      [
        'batchSave',
        [
          { id: 1, text: 'one' },
          { id: '2', text: 'two' },
        ],
      ],
      ['batchDelete', [{ id: 2 }]],
      ['getRecordsByIds', [1, '2', 3]],
      ['getRecordsById', ['1']],
      ['getRecordsByIds', []],
      ['list'],
    ]);

    expect(results.slice(2)).toEqual([
      [
        ['number', 1, 'one'],
        ['string', '2', 'two'],
      ],
      [['string', '1', 'one']],
      [],
      ['1', '2'],
    ]);
    expect((await rows('Numeric')).map(({ id }) => id)).toEqual(['1', '2']);
  });
});

describe('setMergingStrategy', () => {
  it('leaves alone what changed after the last record known at the call, except for what is new', async () => {
    await run('Guarded', [
      [
        'batchSave',
        [
          { id: 'a', text: '1' },
          { id: 'b', text: '1' },
        ],
      ],
    ]);

    // Each write of the run moves its own mark, as the contract says, so its own records stay open.
    const { state, results } = await run('Guarded', [
      ['setMergingStrategy', { strategy: 'ignore_if_modified_after' }],
      ['batchSave', [{ id: 'a', text: '2' }]],
      [
        'batchSave',
        [
          { id: 'a', text: '3' },
          { id: 'new', text: '1' },
        ],
      ],
      ['setMergingStrategy', { strategy: 'unheard-of' }],
    ]);

    expect(results[3]).toMatch(/^threw /);
    expect(state.latestResult).toEqual({ Guarded: { added: 1, updated: 2, deleted: 0 } });
  });
});

describe('deletion detection', () => {
  it('deleteRecordsFromPreviousExecutions deletes the records that this run did not save', async () => {
    await run('Outdated', [
      [
        'batchSave',
        [
          { id: 'a', text: '1' },
          { id: 'b', text: '1' },
          { id: 'c', text: '1' },
        ],
      ],
    ]);

    const { state, results } = await run('Outdated', [
      ['batchSave', [{ id: 'a', text: '1' }]],
      ['batchUpdate', [{ id: 'b', text: '2' }]],
      ['deleteRecordsFromPreviousExecutions'],
    ]);

    expect(results[2]).toEqual({ deletedKeys: ['c'] });
    expect(state).toMatchObject({
      latestResult: { Outdated: { added: 0, updated: 1, deleted: 1 } },
      recordCount: { Outdated: 2 },
    });
  });

  it('a window of trackDeletes spans a failed run', async () => {
    await run('Tracked', [
      [
        'batchSave',
        [
          { id: 'a', text: '1' },
          { id: 'b', text: '1' },
          { id: 'c', text: '1' },
        ],
      ],
    ]);

    const failed = await run('Tracked', [['trackDeletesStart'], ['batchSave', [{ id: 'a', text: '1' }]], ['throw']]);
    const { results, state } = await run('Tracked', [
      ['trackDeletesStart'],
      ['batchSave', [{ id: 'b', text: '1' }]],
      ['trackDeletesEnd'],
      ['trackDeletesEnd'],
    ]);

    expect(failed.state).toMatchObject({ latestExecutionStatus: 'STOPPED', recordCount: { Tracked: 3 } });
    expect(results[2]).toEqual({ deletedKeys: ['c'] });
    expect(results[3]).toMatch(/^threw /);
    expect(state).toMatchObject({
      latestResult: { Tracked: { added: 0, updated: 0, deleted: 1 } },
      recordCount: { Tracked: 2 },
    });
  });

  it('trackDeletes of the definition works after a success only', async () => {
    await run('Config', [
      [
        'batchSave',
        [
          { id: 'a', text: '1' },
          { id: 'b', text: '1' },
        ],
      ],
    ]);

    const failed = await run('Config', [['batchSave', [{ id: 'a', text: '1' }]], ['throw']]);
    const { state } = await run('Config', [['batchSave', [{ id: 'a', text: '1' }]]]);

    expect(failed.state.recordCount).toEqual({ Config: 2 });
    expect(state).toMatchObject({
      latestResult: { Config: { added: 0, updated: 0, deleted: 1 } },
      recordCount: { Config: 1 },
    });
  });
});
