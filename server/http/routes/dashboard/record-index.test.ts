import { describe, expect, it } from 'vitest';
import { RecordIndexes } from './record-index.ts';

const STREAM = { connectionRowId: 1, model: 'Contact', variant: 'base' };
const REQUEST = {
  ...{ actions: undefined, search: undefined, modifiedFrom: undefined, modifiedTo: undefined },
  ...({ by: 'id', direction: 'asc', snapshot: undefined } as const),
};

/** Records in order of change; counts the payloads that are opened. */
class FakeRecords {
  readonly rows = new Map<string, { text: string; stamp: number }>();
  opened = 0;
  onOpen = (): void => {};
  #stamp = 0;

  save(id: string, text: string): void {
    this.#stamp += 1;
    this.rows.set(id, { text, stamp: this.#stamp });
  }

  listIds = async ({ after = '0', until = String(this.#stamp) }: { after?: string; until?: string }) => {
    const inRange = [...this.rows].filter(([, { stamp }]) => stamp > Number(after) && stamp <= Number(until));
    return { ids: inRange.map(([id]) => id).sort(), until };
  };

  list = async ({ ids = [] }: { ids?: string[] }) => {
    this.opened += ids.length;
    this.onOpen();
    const records = ids.map((id) => ({
      id,
      json: `{"text":${JSON.stringify(this.rows.get(id)?.text)},"_nango_metadata":{}}`,
      cursor: '',
    }));
    return { records, nextCursor: null };
  };
}

function setUp(count: number) {
  const records = new FakeRecords();
  for (let index = 0; index < count; index += 1)
    records.save(`r${String(index).padStart(5, '0')}`, index % 100 === 0 ? 'Bergen' : 'Oslo');
  const indexes = new RecordIndexes(records);
  const ask = (request: object, signal = new AbortController().signal) =>
    indexes.list(STREAM, { ...REQUEST, ...request }, signal);
  return { records, ask };
}

describe('RecordIndexes', () => {
  it('opens no payload for a list without a text', async () => {
    const { records, ask } = setUp(2000);

    expect((await ask({})).ids).toHaveLength(2000);
    expect(records.opened).toBe(0);
  });

  it('opens each payload once while a text is typed, then only those that were found', async () => {
    const { records, ask } = setUp(2000);
    await ask({ search: 'b' });
    expect(records.opened).toBe(2000);

    for (const search of ['be', 'ber', 'berg', 'berg']) expect((await ask({ search })).ids).toHaveLength(20);

    expect(records.opened).toBe(2000 + 3 * 20);
  });

  it('opens only what changed since the same text was looked for', async () => {
    const { records, ask } = setUp(2000);
    await ask({ search: 'bergen' });
    records.save('r00001', 'Bergen');
    records.save('r00000', 'Oslo');
    const before = records.opened;

    const { ids } = await ask({ search: 'bergen' });

    expect(records.opened - before).toBe(2);
    expect([ids.includes('r00001'), ids.includes('r00000'), ids.length]).toEqual([true, false, 20]);
  });

  it('ends a search that nobody waits for, and does not remember it', async () => {
    const { records, ask } = setUp(2000);
    const left = new AbortController();
    records.onOpen = () => left.abort();

    await ask({ search: 'bergen' }, left.signal);

    expect(records.opened).toBe(500);
    records.onOpen = () => {};
    expect((await ask({ search: 'bergen' })).ids).toHaveLength(20);
  });

  it('keeps the rows of a list whatever changes while it is read', async () => {
    const { records, ask } = setUp(500);
    const { ids, snapshot } = await ask({});
    for (let index = 0; index < 100; index += 1) records.save(ids[index] ?? '', 'changed');

    expect((await ask({ snapshot })).ids).toEqual(ids);
  });
});
