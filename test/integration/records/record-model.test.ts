import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordsFixture, record } from './records-fixture.ts';

type Fields = { n: number };
interface ModelRow {
  fields: Fields | undefined;
  isDeleted: boolean;
  seen: number;
  /** Position in the stream of changes. */
  changed: number;
}

/** What the cache must do, in its simplest form. */
class Model {
  readonly rows = new Map<string, ModelRow>();
  #changes = 0;

  save(run: number, entries: Array<[string, number]>): void {
    for (const [id, n] of firstOfEach(entries)) {
      const row = this.rows.get(id);
      const isSame = row && !row.isDeleted && row.fields?.n === n;
      const changed = isSame ? row.changed : ++this.#changes;
      this.rows.set(id, { fields: { n }, isDeleted: false, seen: run, changed });
    }
  }

  update(run: number, entries: Array<[string, number]>): void {
    for (const [id, n] of firstOfEach(entries)) {
      const row = this.rows.get(id);
      if (!row || row.isDeleted) continue;
      this.rows.set(id, {
        ...row,
        fields: { n },
        seen: run,
        changed: row.fields?.n === n ? row.changed : ++this.#changes,
      });
    }
  }

  remove(run: number, ids: string[]): void {
    for (const id of new Set(ids)) {
      const row = this.rows.get(id);
      if (row?.isDeleted) row.seen = run;
      else this.rows.set(id, { fields: row?.fields, isDeleted: true, seen: run, changed: ++this.#changes });
    }
  }

  deleteUnseen(run: number): void {
    const unseen = [...this.rows]
      .filter(([, row]) => !row.isDeleted && row.seen < run)
      .sort((a, b) => a[1].changed - b[1].changed);
    for (const [id, row] of unseen) this.rows.set(id, { ...row, isDeleted: true, changed: ++this.#changes });
  }

  get stream(): Array<{ id: string; n: number | undefined; isDeleted: boolean }> {
    return [...this.rows]
      .sort((a, b) => a[1].changed - b[1].changed)
      .map(([id, { fields, isDeleted }]) => ({ id, n: fields?.n, isDeleted }));
  }
}

function firstOfEach(entries: Array<[string, number]>): Map<string, number> {
  const first = new Map<string, number>();
  for (const [id, n] of entries) if (!first.has(id)) first.set(id, n);
  return first;
}

const id = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', '1', 'é"\\');
const entries = fc.array(fc.tuple(id, fc.integer({ min: 0, max: 2 })), { maxLength: 6 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('save' as const), entries }),
  fc.record({ kind: fc.constant('update' as const), entries }),
  fc.record({ kind: fc.constant('remove' as const), ids: fc.array(id, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant('deleteUnseen' as const) }),
  fc.record({ kind: fc.constant('newRun' as const) }),
);

describe('the record cache beside a simple model', () => {
  it('agrees after any sequence of operations, in content, order and counts', async () => {
    const cache = await RecordsFixture.open();
    let connectionRowId = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          connectionRowId += 1;
          const model = new Model();
          let run = 1;
          const session = () => cache.run({ connectionRowId, jobId: run });
          for (const operation of steps) {
            if (operation.kind === 'newRun') run += 1;
            else if (operation.kind === 'deleteUnseen') {
              model.deleteUnseen(run);
              await session().deleteFromPreviousExecutions('Contact');
            } else if (operation.kind === 'remove') {
              model.remove(run, operation.ids);
              await session().remove('Contact', operation.ids);
            } else {
              model[operation.kind](run, operation.entries);
              await session()[operation.kind](
                'Contact',
                operation.entries.map(([key, n]) => record(key, { n })),
              );
            }
          }
          const found = await cache.read({ connectionRowId });
          expect(
            found.map((row) => ({ id: row.id, n: row['n'], isDeleted: row._nango_metadata.last_action === 'DELETED' })),
          ).toEqual(model.stream);
          const counts = await cache.service.countByModel([connectionRowId]);
          expect(counts.get(connectionRowId)?.['Contact'] ?? 0).toBe(
            model.stream.filter(({ isDeleted }) => !isDeleted).length,
          );
        }),
        { numRuns: 300 },
      );
    } finally {
      await cache.close();
    }
  });

  it('lets a reader that pages while others write miss nothing', async () => {
    const cache = await RecordsFixture.open();
    const latest = new Map<string, number>();
    let isWriting = true;
    const write = async (prefix: string) => {
      for (let round = 0; round < 25; round++) {
        const batch = Array.from({ length: 20 }, (_, index) => `${prefix}${(index * 7 + round) % 50}`);
        await cache.run().save(
          'Contact',
          batch.map((key) => record(key, { n: round })),
        );
        for (const key of batch) latest.set(key, round);
      }
    };
    const writers = Promise.all([write('x'), write('y')]).then(() => {
      isWriting = false;
    });

    const seen = new Map<string, unknown>();
    let cursor: string | undefined;
    for (let isLast = false; !isLast; ) {
      isLast = !isWriting;
      for (;;) {
        const { records } = await cache.page({ limit: 7, ...(cursor === undefined ? {} : { cursor }) });
        for (const row of records) seen.set(row.id, row['n']);
        cursor = records.at(-1)?._nango_metadata.cursor ?? cursor;
        if (records.length === 0) break;
      }
    }
    await writers;

    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(latest));
    await cache.close();
  });
});
