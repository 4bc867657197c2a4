import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { RecordSession, StreamTarget } from '../../../server/records/records.service.ts';
import { actionOf, type Fields, ModelRun, RecordModel } from './record-model.ts';
import { type ReadRecord, type RecordsFixture, record } from './records-fixture.ts';
import { StreamReader } from './stream-reader.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '__proto__', '1', 'é"\\');
const fields: fc.Arbitrary<Fields> = fc.oneof(
  fc.record({ n: fc.integer({ min: 0, max: 1 }) }),
  fc.record({ deep: fc.record({ x: fc.constantFrom(0, null) }) }),
  fc.record({ n: fc.constant(0), deep: fc.record({ y: fc.constantFrom([1], [1, 2]) }) }),
);
const entries = fc.array(fc.tuple(id, fields), { maxLength: 8 });
/** Two runs at a time, like a poll and a webhook handler. */
const slot = fc.constantFrom(0, 1);
const kind = <const K extends string>(name: K) => fc.record({ kind: fc.constant(name), slot });

const step = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('save' as const), slot, entries }), weight: 8 },
  { arbitrary: fc.record({ kind: fc.constant('update' as const), slot, entries }), weight: 4 },
  {
    arbitrary: fc.record({ kind: fc.constant('remove' as const), slot, ids: fc.array(id, { maxLength: 4 }) }),
    weight: 4,
  },
  { arbitrary: fc.record({ kind: fc.constant('strategy' as const), slot, isGuarded: fc.boolean() }), weight: 2 },
  { arbitrary: kind('newRun'), weight: 3 },
  { arbitrary: kind('removeUnseen'), weight: 2 },
  { arbitrary: kind('openWindow'), weight: 2 },
  { arbitrary: kind('closeWindow'), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant('prune' as const),
      index: fc.integer({ min: 0, max: 12 }),
      limit: fc.integer({ min: 1, max: 9 }),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: -5, max: 5 }) }), weight: 2 },
  { arbitrary: kind('remember'), weight: 2 },
  { arbitrary: kind('empty'), weight: 1 },
  { arbitrary: kind('keepHistory'), weight: 2 },
  { arbitrary: kind('stopHistory'), weight: 1 },
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
export const steps = fc.array(step, { minLength: 20, maxLength: 120 });

const BOUNDS = { mostVersions: 1000, mostDays: 1000 };

interface Memory {
  at: string;
  rows: ReadRecord[];
}

let lastJob = 0;

/** Drives one stream of the cache together with the model, while readers page through it. */
export class StreamSimulation {
  readonly #cache: RecordsFixture;
  readonly #stream: StreamTarget;
  readonly #model = new RecordModel();
  readonly #readers: StreamReader[];
  #runs: Array<{ run: ModelRun; session: RecordSession }>;
  #memories: Memory[] = [];

  constructor(cache: RecordsFixture, stream: StreamTarget, limits: () => number) {
    this.#cache = cache;
    this.#stream = stream;
    this.#readers = [1, 2].map(() => new StreamReader(cache, stream, limits));
    this.#runs = [this.#newRun(), this.#newRun()];
  }

  async run(all: Step[]): Promise<void> {
    for (const one of all) await this.#take(one);
  }

  /** The assertions at the end. */
  async check(): Promise<void> {
    for (const reader of this.#readers) await reader.finish();
    const found = await this.#cache.read(this.#stream);
    this.#checkRows(found);
    expect(await this.#countLive()).toBe(this.#model.liveCount);
    for (const reader of this.#readers) this.#checkReader(reader, found);
    await this.#checkVersions();
    for (const memory of this.#memories) await this.#checkMemory(memory, found);
  }

  async stop(): Promise<void> {
    for (const reader of this.#readers) await reader.stop();
  }

  async #countLive(): Promise<number> {
    const { connectionRowId, model, variant } = this.#stream;
    const counts = (await this.#cache.service.countByModel([connectionRowId])).get(connectionRowId);
    return counts?.[variant === 'base' ? model : `${model}::${variant}`] ?? 0;
  }

  async #take(one: Step): Promise<void> {
    const at = 'slot' in one ? this.#runs[one.slot] : this.#runs[0];
    if (!at) throw new Error('no run');
    const { run, session } = at;
    switch (one.kind) {
      case 'newRun':
        this.#runs[one.slot] = this.#newRun();
        return;
      case 'strategy':
        await session.setMergingStrategy(this.#stream.model, one.isGuarded ? 'ignore_if_modified_after' : 'override');
        this.#model.setStrategy(run, one.isGuarded);
        return;
      case 'save': {
        const records = one.entries.map(([key, value]) => record(key, value));
        const texts = records.map(({ id: key, json }): [string, string] => [key, json]);
        expect(await session.save(this.#stream.model, records)).toMatchObject(this.#model.save(run, texts));
        break;
      }
      case 'update': {
        const records = one.entries.map(([key, value]) => record(key, value));
        expect(await session.update(this.#stream.model, records)).toMatchObject(this.#model.update(run, one.entries));
        break;
      }
      case 'remove':
        expect(await session.remove(this.#stream.model, one.ids)).toMatchObject(this.#model.remove(run, one.ids));
        break;
      case 'removeUnseen': {
        const { deletedKeys } = await session.deleteFromPreviousExecutions(this.#stream.model);
        expect(deletedKeys.sort()).toEqual(this.#model.removeUnseen(run).sort());
        break;
      }
      case 'openWindow':
        await session.trackDeletesStart(this.#stream.model);
        this.#model.openWindow(run);
        return;
      case 'closeWindow':
        await this.#closeWindow(run, session);
        break;
      case 'prune':
        return this.#prune(one.index, one.limit);
      case 'advance':
        return this.#cache.clock.advance(one.ms);
      case 'remember':
        return this.#remember();
      case 'empty':
        return this.#empty();
      case 'keepHistory':
        await this.#cache.service.history.keep(1, this.#stream.model, BOUNDS);
        this.#model.versions ??= new Map();
        return;
      case 'stopHistory':
        await this.#cache.service.history.stop(1, this.#stream.model);
        this.#model.versions = undefined;
        this.#memories = [];
        return;
    }
    expect(session.counts[this.#stream.model]).toEqual(run.counts);
  }

  async #closeWindow(run: ModelRun, session: RecordSession): Promise<void> {
    const expected = this.#model.closeWindow(run);
    const ended = session.trackDeletesEnd(this.#stream.model);
    if (expected === undefined) await expect(ended).rejects.toThrow(/trackDeletesStart/);
    else expect((await ended).deletedKeys.sort()).toEqual(expected.sort());
  }

  async #prune(index: number, limit: number): Promise<void> {
    const found = await this.#cache.read(this.#stream);
    const until = found[index % Math.max(found.length, 1)];
    if (!until) return;
    const { changed } = this.#model.rows.get(until.id) ?? { changed: 0 };
    expect(
      await this.#cache.service.prune({ ...this.#stream, limit, untilCursor: until._nango_metadata.cursor }),
    ).toEqual(this.#model.prune(changed, limit));
  }

  async #empty(): Promise<void> {
    await this.#cache.database.transaction((tx) => this.#cache.service.empty(tx, [this.#stream]));
    this.#model.empty();
    this.#memories = [];
  }

  /** The versions that the history must return at the end. */
  async #remember(): Promise<void> {
    if (!this.#model.versions) return;
    const rows = await this.#cache.read(this.#stream);
    const { since } = await this.#cache.service.history.measure(this.#stream);
    const last = rows.at(-1)?._nango_metadata.last_modified_at ?? '';
    const [at] = [last, since ?? ''].sort().reverse();
    if (since !== null && at !== undefined) this.#memories.push({ at, rows });
  }

  #newRun(): { run: ModelRun; session: RecordSession } {
    lastJob += 1;
    return { run: new ModelRun(lastJob), session: this.#cache.run({ ...this.#stream, jobId: lastJob }) };
  }

  #checkRows(found: ReadRecord[]): void {
    const expected = this.#model.stream.map(([key, row]) => ({
      ...(row.text === undefined || row.isPruned ? { id: key } : (JSON.parse(row.text) as Fields)),
      ...(row.isDeleted ? { _metadata: { deleted: true } } : {}),
      action: actionOf(row),
      isPruned: row.isPruned,
    }));
    expect(
      found.map(({ _nango_metadata: { last_action, pruned_at }, ...content }) => ({
        ...content,
        action: last_action,
        isPruned: pruned_at !== null,
      })),
    ).toEqual(expected);
  }

  /** It has each record in its current state, except for content that was emptied meanwhile. */
  #checkReader(reader: StreamReader, found: ReadRecord[]): void {
    for (const row of found) {
      const seen = reader.seen.get(row.id);
      expect(seen?._nango_metadata.cursor, `the reader has missed the last change of ${row.id}`).toBe(
        row._nango_metadata.cursor,
      );
      expectSameUnlessPruned(seen, row);
    }
  }

  async #checkVersions(): Promise<void> {
    for (const [key, versions] of this.#model.versions ?? []) {
      const list = await this.#cache.service.history.versions(this.#stream, key);
      expect(list.map(({ action, isPruned }) => ({ action, isPruned })).reverse()).toEqual(
        versions.map(({ action, isPruned }) => ({ action, isPruned })),
      );
    }
  }

  async #checkMemory({ at, rows }: Memory, now: ReadRecord[]): Promise<void> {
    const found = new Map<string, ReadRecord>();
    for (let after: string | null = ''; after !== null; ) {
      const page: { records: Array<{ id: string; json: string | null }>; next: string | null } =
        await this.#cache.service.history.asOf(this.#stream, at, { after, limit: 3 });
      for (const one of page.records) found.set(one.id, JSON.parse(one.json ?? 'null') as ReadRecord);
      after = page.next;
    }
    expect([...found.keys()].sort()).toEqual(rows.map((row) => row.id).sort());
    for (const row of rows) {
      const past = found.get(row.id);
      const isPrunedSince = now.some((one) => one.id === row.id && past?._nango_metadata.pruned_at !== null);
      if (!isPrunedSince) expectSameUnlessPruned(past, row);
      expect(past?._nango_metadata).toMatchObject({
        cursor: row._nango_metadata.cursor,
        last_action: row._nango_metadata.last_action,
        first_seen_at: row._nango_metadata.first_seen_at,
      });
    }
  }
}

/** Pruning and its undoing change a record in place: a reader may have it with or without its content. */
function expectSameUnlessPruned(one: ReadRecord | undefined, other: ReadRecord): void {
  if (one?._nango_metadata.pruned_at || other._nango_metadata.pruned_at) return;
  expect(one).toEqual(other);
}
