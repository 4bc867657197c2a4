import { closeSync, createWriteStream, fstatSync, mkdirSync, openSync, renameSync, type WriteStream } from 'node:fs';
import path from 'node:path';
import { isSystemError } from './system-error.ts';

/**
 * A log file with a size limit: the full file becomes `<file>.old`, so the folder holds at most twice the limit. When
 * writing fails, lines are lost, but the app continues.
 */
export class RotatingLog {
  readonly file: string;
  readonly #limitBytes: number;
  #stream: WriteStream | undefined;
  #sizeBytes = 0;

  constructor(file: string, { limitBytes = 5_000_000 }: { limitBytes?: number } = {}) {
    this.file = file;
    this.#limitBytes = limitBytes;
  }

  write(chunk: Buffer | string): void {
    this.#stream ??= this.#open();
    if (!this.#stream) return;
    this.#stream.write(chunk);
    this.#sizeBytes += Buffer.byteLength(chunk);
    if (this.#sizeBytes >= this.#limitBytes) void this.end();
  }

  /** Resolves when everything is written. */
  async end(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    if (stream) await new Promise<void>((resolve) => stream.end(resolve));
  }

  /** Undefined when the file cannot be opened; the next write tries again. */
  #open(): WriteStream | undefined {
    try {
      mkdirSync(path.dirname(this.file), { recursive: true });
      // Pending writes go to the renamed file, because the stream keeps the file open.
      const isFull = this.#sizeBytes >= this.#limitBytes;
      this.#sizeBytes = 0;
      if (isFull) renameSync(this.file, `${this.file}.old`);
      let handle = openSync(this.file, 'a', 0o600);
      this.#sizeBytes = fstatSync(handle).size;
      if (this.#sizeBytes >= this.#limitBytes) {
        closeSync(handle);
        renameSync(this.file, `${this.file}.old`);
        handle = openSync(this.file, 'a', 0o600);
        this.#sizeBytes = 0;
      }
      const stream = createWriteStream(this.file, { fd: handle });
      stream.on('error', () => {
        if (this.#stream === stream) this.#stream = undefined;
      });
      return stream;
    } catch (error) {
      if (isSystemError(error)) return undefined;
      throw error;
    }
  }
}
