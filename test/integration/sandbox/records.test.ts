import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WireRecord } from '../../../functions/runtime/bridge.ts';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { type HostScript, runCode, startSandbox } from './sandbox-fixture.ts';

const nothing = { added: 0, updated: 0, deleted: 0, unchanged: 0, duplicates: [] };

describe('records of a sync', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());

  /** Runs the body of a sync; the argument of its `setMetadata` is the response. */
  const run = async (body: string, host: HostScript = {}) => {
    let said: unknown;
    const code = `module.exports.default = { type: 'sync', exec: async (nango) => { const say = (answer) => nango.setMetadata({ answer }); ${body} } }`;
    const finished = await runCode(sandbox, code, {
      context: { scriptType: 'sync' },
      host: {
        'metadata.set': ({ metadata }) => {
          said = metadata['answer'];
          return {};
        },
        ...host,
      },
    });
    return { ...finished, said };
  };
  const saving = (saved: Array<{ method: string; records: WireRecord[] }>, duplicates: string[] = []): HostScript => ({
    'records.save': ({ records }) => {
      saved.push({ method: 'save', records });
      return { ...nothing, added: records.length, duplicates };
    },
    'records.update': ({ records }) => {
      saved.push({ method: 'update', records });
      return nothing;
    },
  });

  it('saves in batches of 1000, in order, each record serialised once with its id as text', async () => {
    const saved: Array<{ method: string; records: WireRecord[] }> = [];
    const { said } = await run(
      `const records = Array.from({ length: 2500 }, (_, i) => ({ id: i + 1, at: new Date(0), none: undefined, _nango_metadata: { x: 1 } }));
       await say([await nango.batchSave(records, 'Contact'), '_nango_metadata' in records[0], await nango.batchSave([], 'Contact'), await nango.batchSave(null, 'Contact')]);`,
      saving(saved),
    );

    expect(said).toEqual([true, false, true, true]);
    expect(saved.map(({ records }) => records.length)).toEqual([1000, 1000, 500]);
    expect(saved[0]?.records[0]).toEqual({ id: '1', json: '{"id":"1","at":"1970-01-01T00:00:00.000Z"}' });
    expect(saved[2]?.records.at(-1)?.id).toBe('2500');
  });

  it.each(['Save', 'Update', 'Delete'])(
    'refuses a value that is not a list instead of doing nothing: batch%s',
    async (verb) => {
      const { said } = await run(
        `const refused = [];
       for (const one of [{ id: 'a' }, 'a', new Map([['a', { id: 'a' }]])])
         await nango['batch${verb}'](one, 'Contact').then(() => refused.push('done'), (error) => refused.push(error.message));
       await say(refused);`,
      );

      expect(said).toEqual(Array(3).fill(`Failed to ${verb.toLowerCase()} records: they are not in a list`));
    },
  );

  it('takes records that cannot be changed', async () => {
    const saved: Array<{ method: string; records: WireRecord[] }> = [];
    const { said } = await run(
      `const one = Object.freeze({ id: 'a', _nango_metadata: { x: 1 } });
       await say([await nango.batchSave([one], 'Contact'), one._nango_metadata.x]);`,
      saving(saved),
    );

    expect(said).toEqual([true, 1]);
    expect(saved[0]?.records).toEqual([{ id: 'a', json: '{"id":"a"}' }]);
  });

  it('updates and deletes, ids only for a deletion', async () => {
    const saved: Array<{ method: string; records: WireRecord[] }> = [];
    const { calls } = await run(
      `await nango.batchUpdate([{ id: 'a', n: { m: 1 } }], 'Contact'); await nango.batchSend([{ id: 'b' }], 'Contact'); await nango.batchDelete([{ id: 'a\\0b', deletedAt: 'x' }, { id: 7 }], 'Contact');`,
      { ...saving(saved), 'records.delete': () => nothing },
    );

    expect(saved).toEqual([
      { method: 'update', records: [{ id: 'a', json: '{"id":"a","n":{"m":1}}' }] },
      { method: 'save', records: [{ id: 'b', json: '{"id":"b"}' }] },
    ]);
    expect(calls.at(-1)?.args).toEqual({ model: 'Contact', ids: ['ab', '7'] });
  });

  it.each([
    ['{}', 'index 1 has no id that can be used: it is undefined'],
    ['{ id: null }', 'index 1 has no id that can be used: it is null'],
    ['{ id: "" }', 'index 1 has no id that can be used: it is an empty text'],
    ['{ id: 0 }', 'index 1 has no id that can be used: it is 0'],
    ['{ id: NaN }', 'index 1 has no id that can be used: it is NaN'],
    ['{ id: "\\0" }', 'index 1 has no id that can be used: it is a text of NUL characters only'],
    ['null', 'index 1 is missing: it is null'],
    ['"text"', 'index 1 is missing: it is a string'],
    ['{ id: false }', 'index 1 is neither a text nor a number, but false'],
    ['{ id: {} }', 'index 1 is neither a text nor a number, but an object'],
    ['{ id: [1] }', 'index 1 is neither a text nor a number, but a list'],
    ['{ id: 1n }', 'index 1 is neither a text nor a number, but a bigint'],
    ['{ id: "x".repeat(2049) }', 'index 1 is longer than'],
    ['{ id: "a", big: 1n }', 'BigInt'],
  ])('fails the whole batch for the record %s', async (record, reason) => {
    const { outcome, calls } = await run(`await nango.batchSave([{ id: 'ok' }, ${record}], 'Contact')`, saving([]));

    expect(outcome).toMatchObject({
      failure: {
        error: { name: 'Error', message: expect.stringMatching(new RegExp(`^Failed to save records: .*${reason}`)) },
      },
    });
    expect(calls).toEqual([]);
  });

  it('fails for a model that is not declared and logs the declared ones', async () => {
    const { outcome, logs } = await run(`await nango.batchDelete([{ id: 'a' }], 'Ticket')`);

    expect(outcome).toMatchObject({
      failure: { error: { message: expect.stringMatching(/^Failed to delete records: .*Ticket/) } },
    });
    expect(logs[0]).toMatchObject({ level: 'error', source: 'internal', message: expect.stringContaining('Contact') });
  });

  it('stops at the batch that the host refuses; earlier batches stay', async () => {
    let batches = 0;
    const { outcome } = await run(
      `await nango.batchSave(Array.from({ length: 3000 }, (_, i) => ({ id: i + 1 })), 'Contact')`,
      {
        'records.save': () => {
          if (++batches === 2) throw new Error('disk full');
          return nothing;
        },
      },
    );

    expect(batches).toBe(2);
    expect(outcome).toMatchObject({ failure: { error: { message: 'Failed to save records: disk full' } } });
  });

  it('logs each duplicate id and the totals of a batch', async () => {
    const { logs } = await run(`await nango.batchSave([{ id: 'a' }, { id: 'a' }], 'Contact')`, saving([], ['a']));

    expect(logs.map(({ level }) => level)).toEqual(['error', 'info']);
    expect(logs[0]?.message).toContain("'a'");
    expect(logs[1]?.meta).toBe('{"model":"Contact","total":2,"modified":2}');
  });

  it('finds records by the ids as asked for, 100 per call', async () => {
    const asked: number[] = [];
    const { said } = await run(
      `const map = await nango.getRecordsByIds([...Array.from({ length: 150 }, (_, i) => i + 1), 'x'], 'Contact');
       const same = await nango.getRecordsById(['5'], 'Contact'); const none = await nango.getRecordsByIds([], 'Contact');
       await say([map instanceof Map, map.size, map.get(5), map.has('5'), map.has('x'), [...same.keys()], none.size]);`,
      {
        'records.getByIds': ({ ids }) => {
          asked.push(ids.length);
          return { records: ids.filter((id) => id !== 'x').map((id) => ({ id, json: JSON.stringify({ id, n: 1 }) })) };
        },
      },
    );

    expect(said).toEqual([true, 150, { id: '5', n: 1 }, false, false, ['5'], 0]);
    expect(asked).toEqual([100, 51, 1]);
  });

  it('finds a record under an id with NUL, which is stored without it', async () => {
    const { said } = await run(`const map = await nango.getRecordsByIds(['a\\0b'], 'Contact'); await say([...map]);`, {
      'records.getByIds': ({ ids }) => ({ records: ids.map((id) => ({ id, json: JSON.stringify({ id }) })) }),
    });

    expect(said).toEqual([['a\0b', { id: 'ab' }]]);
  });

  it('lists records page by page', async () => {
    const pages = [
      { records: [{ id: '1', json: '{"id":"1"}' }], nextCursor: 'c2' },
      { records: [{ id: '2', json: '{"id":"2"}' }], nextCursor: null },
    ];
    const { said, calls } = await run(
      `const all = []; for await (const record of nango.listRecords('Contact', { cursor: 'c1' })) all.push(record.id); await say(all);`,
      { 'records.list': () => pages.shift() },
    );

    expect(said).toEqual(['1', '2']);
    expect(calls.slice(0, 2).map(({ args }) => args)).toEqual([
      { model: 'Contact', cursor: 'c1', limit: 100 },
      { model: 'Contact', cursor: 'c2', limit: 100 },
    ]);
  });

  it('tracks deletions and sets a merging strategy once', async () => {
    const { said, calls, logs, outcome } = await run(
      `await nango.trackDeletesStart('Contact'); const end = await nango.trackDeletesEnd('Contact'); const old = await nango.deleteRecordsFromPreviousExecutions('Contact');
       await nango.setMergingStrategy({ strategy: 'ignore_if_modified_after' }, 'Contact'); await nango.setMergingStrategy({ strategy: 'override' }, 'Contact');
       await say([end, old]); await nango.setMergingStrategy({ strategy: 'newest' }, 'Other');`,
      {
        'records.trackDeletesStart': () => null,
        'records.trackDeletesEnd': () => ({ deletedKeys: ['a'] }),
        'records.deleteFromPreviousExecutions': () => ({ deletedKeys: ['b'] }),
        'records.setMergingStrategy': () => null,
      },
    );

    expect(said).toEqual([{ deletedKeys: ['a'] }, { deletedKeys: ['b'] }]);
    expect(calls.filter(({ method }) => method === 'records.setMergingStrategy')).toHaveLength(1);
    expect(logs.map(({ level }) => level)).toEqual(['warn']);
    expect(outcome).toMatchObject({ failure: { error: { message: expect.stringContaining('newest') } } });
  });
});
