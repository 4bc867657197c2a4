import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { isSystemError } from '../server-process/system-error.ts';

/**
 * A small JSON file of the shell. A file that cannot be read counts as empty, because defaults are better than no app.
 */
export class JsonFile<Schema extends z.ZodType> {
  readonly #file: string;
  readonly #schema: Schema;
  #value: z.output<Schema> | undefined;

  /** Every member of the schema needs a default, so that `{}` is valid. */
  constructor(file: string, schema: Schema) {
    this.#file = file;
    this.#schema = schema;
  }

  get value(): z.output<Schema> {
    this.#value ??= this.#read();
    return this.#value;
  }

  /** Stores the value. If that fails, the value still applies until the app ends, without a message. */
  keep(value: z.output<Schema>): void {
    this.#value = value;
    try {
      this.write(value);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }

  /** Stores the value. Throws if that fails; the value is then unchanged. */
  write(value: z.output<Schema>): void {
    mkdirSync(path.dirname(this.#file), { recursive: true });
    // Written under a temporary name first, so that a crash leaves the old file intact.
    writeFileSync(`${this.#file}.new`, JSON.stringify(value, null, 2), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
    this.#value = value;
  }

  #read(): z.output<Schema> {
    try {
      return this.#schema.parse(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch (error) {
      if (error instanceof z.ZodError || error instanceof SyntaxError || isSystemError(error))
        return this.#schema.parse({});
      throw error;
    }
  }
}

export const pauseMemory = z
  .object({ pause: z.object({ untilMs: z.number().nullable() }).nullable().default(null) })
  .prefault({});
