import { describe, expect, it } from 'vitest';
import { IdList } from '../platform/lib/id-list.ts';
import { createRecordIndexes } from './record-index.dashboard.ts';

const STREAM = { connectionRowId: 1, model: 'Contact', variant: 'base' };
const REQUEST = {
  ...{ actions: undefined, search: undefined, modifiedFrom: undefined, modifiedTo: undefined },
  ...({ by: 'id', direction: 'asc', snapshot: undefined } as const),
};

/** Records in the order of their changes. Counts the payloads that were opened. */
class FakeRecords {
  readonly rows = new Map<string, { text: string; stamp: number }>();
  opened = 0;
  onOpen = (): void => {};
  #stamp = 0;

  save(id: string, text: string): void {
    this.#stamp += 1;
    this.rows.set(id, { text, stamp: this.#stamp });
  }

  lastChange = async () => String(this.#stamp);

  listIds = async ({ after = '0', until }: { after?: string; until: string }) => {
    const inRange = [...this.rows].filter(([, { stamp }]) => stamp > Number(after) && stamp <= Number(until));
    return IdList.of(inRange.map(([id]) => id).sort());
  };

  findText = async ({ text, ids, after = '0' }: { text: string; ids?: readonly string[]; after?: string }) => {
    const rows = [...this.rows].filter(([id, { stamp }]) => stamp > Number(after) && (ids?.includes(id) ?? true));
    this.opened += rows.length;
    this.onOpen();
    return rows.flatMap(([id, row]) => (row.text.toLowerCase().includes(text) ? [id] : []));
  };
}

function setUp(count: number) {
  const records = new FakeRecords();
  for (let index = 0; index < count; index += 1)
    records.save(`r${String(index).padStart(5, '0')}`, index % 100 === 0 ? 'Bergen' : 'Oslo');
  const indexes = createRecordIndexes(records);
  const ask = (request: object, signal = new AbortController().signal) =>
    indexes.list(STREAM, { ...REQUEST, ...request }, signal);
  return { records, ask };
}

describe('RecordIndexes', () => {
  it('reads the ids of a list again only when a record changed', async () => {
    const { records, ask } = setUp(10);
    const { ids } = await ask({});

    expect((await ask({})).ids).toBe(ids);
    records.save('new', 'Oslo');
    expect((await ask({})).ids).toHaveLength(11);
  });

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
    expect([[...ids].includes('r00001'), [...ids].includes('r00000'), ids.length]).toEqual([true, false, 20]);
  });

  it('does not remember a search that nobody waited for', async () => {
    const { records, ask } = setUp(2000);
    const left = new AbortController();
    records.onOpen = () => left.abort();
    await ask({ search: 'bergen' }, left.signal);
    const before = records.opened;
    records.onOpen = () => {};

    expect((await ask({ search: 'bergen' })).ids).toHaveLength(20);
    expect(records.opened - before).toBe(2000);
  });

  it('keeps the rows of a list whatever changes while it is read', async () => {
    const { records, ask } = setUp(500);
    const { ids, snapshot } = await ask({});
    for (let index = 0; index < 100; index += 1) records.save(ids.slice(index, index + 1)[0] ?? '', 'changed');

    expect([...(await ask({ snapshot })).ids]).toEqual([...ids]);
  });
});
