import type { FakeProvider } from '../../support/fake-provider.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { WAIT_LIMIT_MS } from '../../support/wait-limit.ts';

export interface Change {
  added: number;
  updated: number;
  deleted: number;
}

export const RECORDS = 5000;
export const PER_PAGE = 50;
export const LAST_PAGE = RECORDS / PER_PAGE - 1;
/** The limit of a wait for a whole copy: it is hundreds of requests, and the program has just been killed. */
export const COPY_LIMIT_MS = 2 * WAIT_LIMIT_MS;
const CHANGED_AT_A_TIME = 250;
const REPLACED_AT_A_TIME = 50;

/** A sync that copies all pages, and goes on after an interruption. */
export const COPY = syncSource(`
    let page = (await nango.getCheckpoint())?.page ?? 0;
    if (page === 0) await nango.trackDeletesStart('Item');
    for (; page <= ${LAST_PAGE}; page++) {
      const { data } = await nango.get({ endpoint: '/page', params: { page, job: nango.syncJobId } });
      await nango.batchSave(data.records, 'Item');
      await nango.saveCheckpoint({ page: page + 1 });
    }
    // In this order: when it is interrupted in between, the next run reads all pages again, in the window that is still open.
    await nango.clearCheckpoint();
    await nango.trackDeletesEnd('Item');`).replace('every day', 'every hour');
/** The records of a provider: always 5000, some of which are replaced by each change. */
export class ChangingRecords {
  readonly #random: () => number;
  /** Revision by id. */
  readonly current = new Map<string, number>();
  #nextId = 0;
  #revision = 0;
  /** Called when a page was requested, before it is answered. */
  onPage: (page: number) => void = () => {};
  /** Jobs of the hub that requested pages, in the order of their requests. */
  readonly jobs: string[] = [];
  readonly pages: number[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  serve(provider: FakeProvider): void {
    provider.on('GET /page', ({ url }) => {
      const query = new URL(url, 'http://provider').searchParams;
      const page = Number(query.get('page'));
      this.jobs.push(query.get('job') ?? '');
      this.pages.push(page);
      this.onPage(page);
      const records = [...this.current].slice(page * PER_PAGE, (page + 1) * PER_PAGE);
      return { body: { records: records.map(([id, revision]) => ({ id, revision, text: 'x'.repeat(200) })) } };
    });
  }

  /** The first call fills the list. */
  change(): Change {
    this.#revision += 1;
    const ids = this.#shuffled([...this.current.keys()]);
    const gone = ids.slice(0, this.current.size === 0 ? 0 : REPLACED_AT_A_TIME);
    const changed = ids.slice(gone.length, gone.length + CHANGED_AT_A_TIME);
    for (const id of gone) this.current.delete(id);
    for (const id of changed) this.current.set(id, this.#revision);
    const added = RECORDS - this.current.size;
    for (let count = 0; count < added; count++) this.current.set(`r-${this.#nextId++}`, this.#revision);
    return { added, updated: changed.length, deleted: gone.length };
  }

  #shuffled<T>(items: T[]): T[] {
    return items
      .map((item) => ({ item, at: this.#random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }
}

/** Numbers from 0 to 1, the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
