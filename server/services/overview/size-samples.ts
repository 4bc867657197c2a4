import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { PeriodicSweep } from '../../lib/periodic-sweep.ts';
import { QUARTER_MS } from '../../stores/count-slots.ts';
import { DiskUseStore } from '../../stores/disk-use-store.ts';
import { SizeSamplesStore } from '../../stores/size-samples-store.ts';

export interface SizeSamplesOptions {
  database: Pick<Database, 'reader' | 'transaction'>;
  clock: Clock;
  logger: Logger;
}

/** Stores the size of the database every quarter of an hour, for a chart of the overview (ui.md 6.2). */
export class SizeSamples {
  readonly #options: SizeSamplesOptions;
  readonly #sweeps: PeriodicSweep;
  readonly #store = new SizeSamplesStore();
  readonly #disk = new DiskUseStore();

  constructor(options: SizeSamplesOptions) {
    this.#options = options;
    this.#sweeps = new PeriodicSweep({
      clock: options.clock,
      logger: options.logger,
      intervalMs: QUARTER_MS,
      sweep: () => this.take(),
      complaint: 'The size of the database could not be noted; trying again in 15 minutes.',
    });
  }

  start(): void {
    this.#sweeps.start();
  }

  stop(): Promise<void> {
    return this.#sweeps.stop();
  }

  /** Stores the current size. */
  async take(): Promise<void> {
    const { clock, database } = this.#options;
    const { pageBytes, pages } = await this.#disk.pages(database.reader);
    await database.transaction((tx) => this.#store.add(tx, { at: clock.now(), bytes: pageBytes * pages }));
  }

  /** Size in bytes at the end of each period, oldest first: the last sample before it. */
  async listAt(periods: ReadonlyArray<{ at: number; end: number }>): Promise<Array<number | undefined>> {
    const [first, last] = [periods[0], periods.at(-1)];
    if (!first || !last) return [];
    const samples = await this.#store.list(this.#options.database.reader, { from: first.at, to: last.end });
    return periods.map(({ end }) => samples.findLast(({ slot }) => slot <= end)?.bytes);
  }
}
