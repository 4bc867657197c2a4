import type { Random } from './random.ts';
import { realFiles } from './simulated-files.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** `nBackfill` in the index of the log: behind two copies of its header. */
const COPIED_FRAMES_AT = 96;

/**
 * How much of the write-ahead log is on the disk: everything up to the last commit with `synchronous=FULL`, and everything
 * that was copied into the database. What was written later may be there, in part.
 */
export class WalOnDisk {
  readonly #file: string;
  #isFull = false;
  #salt = '';
  #syncedBytes = 0;
  /** Frames that were copied into the database. */
  #copied = -1;
  #seen = { salt: '', endBytes: 0 };

  constructor(file: string) {
    this.#file = file;
  }

  begin(): void {
    this.#isFull = false;
    this.#salt = '';
    this.#syncedBytes = 0;
    this.#copied = -1;
    this.#seen = { salt: '', endBytes: 0 };
  }

  note(file: string, sql: string): void {
    if (file !== this.#file) return;
    const setting = /synchronous=(FULL|NORMAL)/.exec(sql)?.[1];
    if (setting) this.#isFull = setting === 'FULL';
    if (sql !== 'COMMIT' && !/checkpoint|vacuum|^PRAGMA/i.test(sql)) return;
    const wal = this.#read();
    if (!wal) return;
    const copied = this.#copiedFrames();
    // A copy into the database begins with a sync of the log.
    if (wal.salt !== this.#salt) this.#syncedBytes = HEADER_BYTES;
    if ((sql === 'COMMIT' && this.#isFull) || copied > this.#copied) this.#syncedBytes = wal.endBytes;
    this.#salt = wal.salt;
    this.#copied = copied;
  }

  /** Cuts the log where the power went away; the last page may be torn. */
  losePower(random: Random): void {
    const wal = this.#read();
    if (!wal) return;
    const synced = wal.salt === this.#salt ? this.#syncedBytes : HEADER_BYTES;
    const lost = wal.endBytes - synced;
    const keeps = lost <= 0 || random.chance(0.2) ? 0 : random.chance(0.3) ? lost : random.below(lost + 1);
    if (lost > 0) realFiles.truncateSync(`${this.#file}-wal`, wal.endBytes - keeps);
  }

  /** As the index of the log says. By the time of the file two copies of one moment would look like one. */
  #copiedFrames(): number {
    let file: number;
    try {
      file = realFiles.openSync(`${this.#file}-shm`, 'r');
    } catch {
      return 0;
    }
    try {
      const bytes = Buffer.alloc(4);
      return realFiles.readSync(file, bytes, 0, 4, COPIED_FRAMES_AT) < 4 ? 0 : bytes.readUInt32LE();
    } finally {
      realFiles.closeSync(file);
    }
  }

  /** The log so far; only its new frames are read. */
  #read(): { salt: string; endBytes: number } | undefined {
    let file: number;
    try {
      file = realFiles.openSync(`${this.#file}-wal`, 'r');
    } catch {
      return undefined;
    }
    try {
      const header = Buffer.alloc(HEADER_BYTES);
      if (realFiles.readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
      const salt = header.toString('hex', 16, 24);
      const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
      const frame = Buffer.alloc(FRAME_HEADER_BYTES);
      let endBytes = this.#seen.salt === salt ? this.#seen.endBytes : HEADER_BYTES;
      const { size } = realFiles.fstatSync(file);
      while (endBytes + frameBytes <= size) {
        realFiles.readSync(file, frame, 0, FRAME_HEADER_BYTES, endBytes);
        if (frame.toString('hex', 8, 16) !== salt) break;
        endBytes += frameBytes;
      }
      this.#seen = { salt, endBytes };
      return this.#seen;
    } finally {
      realFiles.closeSync(file);
    }
  }
}
