import type { Random } from './random.ts';
import { realFiles } from './simulated-files.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The index of the log (`-shm`): its header, twice, then what was copied. In the order of bytes of the machine. */
const INDEX_BYTES = 100;
const PAGE_BYTES_AT = 14;
const FRAMES_AT = 16;
const SALT_AT = 32;
const COPIED_FRAMES_AT = 96;

/** The committed part of the log. */
interface Committed {
  salt: string;
  endBytes: number;
  /** Copied into the database. */
  copiedFrames: number;
}

/** What an earlier process left counts as copied. */
const NOTHING: Committed = { salt: '', endBytes: 0, copiedFrames: -1 };

/**
 * How much of the write-ahead log is on the disk: everything up to the last commit with `synchronous=FULL`, and everything
 * that was copied into the database. What was written later may be there, in part.
 */
export class WalOnDisk {
  readonly #file: string;
  #isFull = false;
  #syncedBytes = 0;
  #seen: Committed = NOTHING;

  constructor(file: string) {
    this.#file = file;
  }

  begin(): void {
    this.#isFull = false;
    this.#syncedBytes = 0;
    this.#seen = NOTHING;
  }

  note(file: string, sql: string): void {
    if (file !== this.#file) return;
    const setting = /synchronous=(FULL|NORMAL)/.exec(sql)?.[1];
    if (setting) this.#isFull = setting === 'FULL';
    if (sql !== 'COMMIT' && !/checkpoint|vacuum|^PRAGMA/i.test(sql)) return;
    const now = this.#read();
    if (!now) return;
    const isNew = now.salt !== this.#seen.salt;
    if (isNew) this.#syncedBytes = HEADER_BYTES;
    // A copy into the database begins with a sync of the log.
    const isCopied = now.copiedFrames > (isNew ? Math.min(0, this.#seen.copiedFrames) : this.#seen.copiedFrames);
    if ((sql === 'COMMIT' && this.#isFull) || isCopied) this.#syncedBytes = now.endBytes;
    this.#seen = now;
  }

  /** Cuts the log where the power went away; the last page may be torn. */
  losePower(random: Random): void {
    const lost = this.#seen.endBytes - this.#syncedBytes;
    const keeps = lost <= 0 || random.chance(0.2) ? 0 : random.chance(0.3) ? lost : random.below(lost + 1);
    const log = `${this.#file}-wal`;
    if (lost > 0 && realFiles.existsSync(log)) realFiles.truncateSync(log, this.#seen.endBytes - keeps);
  }

  #read(): Committed | undefined {
    let file: number;
    try {
      file = realFiles.openSync(`${this.#file}-shm`, 'r');
    } catch {
      return undefined;
    }
    try {
      const index = Buffer.alloc(INDEX_BYTES);
      if (realFiles.readSync(file, index, 0, INDEX_BYTES, 0) < INDEX_BYTES) return undefined;
      const frameBytes = FRAME_HEADER_BYTES + index.readUInt16LE(PAGE_BYTES_AT);
      return {
        salt: index.toString('hex', SALT_AT, SALT_AT + 8),
        endBytes: HEADER_BYTES + index.readUInt32LE(FRAMES_AT) * frameBytes,
        copiedFrames: index.readUInt32LE(COPIED_FRAMES_AT),
      };
    } finally {
      realFiles.closeSync(file);
    }
  }
}
