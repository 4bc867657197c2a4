import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Of the Debian package faketime: the variant for programs with threads. */
const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;
const HOUR_S = 3600;
/** Seconds by which the clock differs from the real one, one after the other: a sleep, small and large steps, a wrong year. */
const OFFSETS_S = [0, HOUR_S, HOUR_S - 90, 26 * HOUR_S, 2 * HOUR_S, -HOUR_S, 400 * 24 * HOUR_S, 0, -26 * HOUR_S, 5];
/** How often a process reads the file. */
const CACHE_S = 1;

/** The wall clock of a hub and its workers, which is set forward and back; time awake (the monotonic clock) stays real. */
export class SteppedClock {
  readonly #folder: string;
  steps = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(): Promise<SteppedClock> {
    if (!existsSync(LIBRARY)) throw new Error('--clock-steps needs the Debian package faketime.');
    const clock = new SteppedClock(await mkdtemp(join(tmpdir(), 'homeport-soak-clock-')));
    await clock.#set(0);
    return clock;
  }

  get env(): Record<string, string> {
    return {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: String(CACHE_S),
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // Files have the real time: a moved one would be another fault than a moved clock.
      NO_FAKE_STAT: '1',
    };
  }

  get #file(): string {
    return join(this.#folder, 'offset');
  }

  /** Steps at even distances until `durationMs` is over or `signal` ends; the real time at the end. */
  async run(durationMs: number, signal: AbortSignal): Promise<void> {
    const pauseMs = durationMs / (OFFSETS_S.length + 1);
    try {
      for (const offset of OFFSETS_S) {
        await sleep(pauseMs, undefined, { signal });
        await this.#set(offset);
        this.steps += 1;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await this.#set(0);
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #set(offsetSeconds: number): Promise<void> {
    await writeFile(this.#file, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}s\n`);
  }
}
