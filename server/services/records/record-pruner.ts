import type { Writable } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RecordStreamsStore, StreamRow } from '../../stores/record-streams-store.ts';
import type { RecordVersionsStore } from '../../stores/record-versions-store.ts';
import type { RecordsStore } from '../../stores/records-store.ts';

interface PrunerOptions {
  clock: Clock;
  streams: RecordStreamsStore;
  records: RecordsStore;
  versions: RecordVersionsStore;
}

/** Empties payloads from the beginning of a stream on; metadata and positions stay. */
export class RecordPruner {
  readonly #options: PrunerOptions;

  constructor(options: PrunerOptions) {
    this.#options = options;
  }

  /** One slice up to the stamp `until`, included; returns the stamps of what it emptied, in order. */
  async prune(tx: Writable, stream: StreamRow, until: number, limit: number): Promise<number[]> {
    const { records, streams, versions, clock } = this.#options;
    const range = { streamId: stream.id, after: stream.prunedUntil, until, limit };
    const rows = await records.listPrunable(tx, range);
    const last = rows.at(-1);
    if (!last) return [];
    await records.prune(tx, stream.id, rows, clock.now() * 1000);
    if (stream.historySince !== 0) {
      const ids = rows.map((row) => row.externalId);
      await versions.removePayloads(tx, stream.id, ids);
    }
    await streams.setPrunedUntil(tx, stream.id, last.updatedAt);
    return rows.map((row) => row.updatedAt);
  }
}
