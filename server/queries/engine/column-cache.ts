import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { type FileHandle, open, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Clock } from '../../platform/lib/clock.ts';
import { type CachedStream, cacheHeader, readCacheHeader } from './cache-header.ts';

/** A column of a table of the engine. */
export interface CacheColumn {
  name: string;
  /** A type of DuckDB. */
  type: string;
}

/** What the table of a model held when it was written. */
interface Contents {
  /** Names and types of the columns, and what they were made from: another text means other columns. */
  definition: string;
  blocks: Array<Record<string, { at: number; bytes: number; form: Form }>>;
}

/** How the values of a column became texts. */
type Form = 'text' | 'json' | 'micros';

/**
 * Rows of a block, fewer when their texts have more bytes: a block is held in memory, in two forms. Columns of a block are
 * sealed on their own, so that a query opens those it names.
 */
const BLOCK_ROWS = 32_768;
const BLOCK_BYTES = 4_000_000;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Texts after which the engine compresses what it holds: that costs more time than the rest, so few columns never are. */
const COMPRESS_BYTES = 64_000_000;
/** Between values, and in the place of a null. Columns whose texts have one of these are written as JSON, which escapes them. */
const BETWEEN = 'chr(30)';
const BETWEEN_BYTE = Buffer.from([30]);
const NULL_MARK = 'chr(29)';

const compress = promisify(zstdCompress);
const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Thrown when a file is not what it should be: it is then made anew. */
class CacheError extends Error {
  override readonly name = 'CacheError';
}

export type ColumnCache = ReturnType<typeof createColumnCache>;

/**
 * Copies of the engine's tables in files, column by column, sealed with AES-256-GCM by a key of its own that is derived
 * from the key of records. They save opening every record by itself; what they hold is never taken on trust (see
 * `record-tables.ts`).
 */
export function createColumnCache({
  clock,
  connections,
  folder,
  recordKey,
}: {
  clock: Clock;
  /** The second one takes a block while the first is busy. */
  connections: readonly [DuckDBConnection, DuckDBConnection];
  /** Of the environment; it exists. */
  folder: string;
  recordKey: KeyObject;
}) {
  const key = createSecretKey(
    Buffer.from(hkdfSync('sha256', recordKey.export(), Buffer.alloc(0), 'homeport:query-cache', 32)),
  );
  const fileOf = (model: string): string =>
    join(folder, `${createHash('sha256').update(model).digest('hex').slice(0, 32)}.columns`);

  async function seal(plain: Buffer, context: string): Promise<Buffer> {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
    const packed = await compress(plain, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
    const body = cipher.update(packed);
    cipher.final();
    return Buffer.concat([iv, cipher.getAuthTag(), body]);
  }

  async function openPart(file: FileHandle, at: number, bytes: number, context: string): Promise<Buffer> {
    const sealed = Buffer.allocUnsafe(bytes);
    const { bytesRead } = await file.read(sealed, 0, bytes, at);
    if (bytesRead !== bytes) throw new CacheError('The file ends too early.');
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const packed = decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES));
    decipher.final();
    return zstdDecompressSync(packed);
  }

  /** Inserts one block; the texts of the columns become rows inside of the engine. */
  async function insert(
    connection: DuckDBConnection,
    table: string,
    parts: ReadonlyArray<{ column: CacheColumn; form: Form; texts: Buffer }>,
  ): Promise<void> {
    const names = parts.map(({ column }) => quotedName(column.name));
    const values = parts.map(({ column, form }, index) =>
      readText(`nullif(c${index}, ${NULL_MARK})`, column.type, form),
    );
    const lists = parts.map((_, index) => `unnest(string_split(decode($${index + 1}), ${BETWEEN})) AS c${index}`);
    const statement = await connection.prepare(
      `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM (SELECT ${lists.join(', ')})`,
    );
    for (const [index, { texts }] of parts.entries()) statement.bindBlob(index + 1, texts);
    await statement.run();
    statement.destroySync();
  }

  async function readContents(file: FileHandle, model: string) {
    const { header, length, streams } = await readCacheHeader(file);
    const { size } = await file.stat();
    const last = Buffer.alloc(8);
    await file.read(last, 0, 8, size - 8);
    const at = Number(last.readBigUInt64LE());
    if (at < length || at > size - 8) throw new CacheError('The file has no list of its blocks.');
    // The header is part of the context, so it cannot be changed or belong to another file.
    const text = await openPart(file, at, size - 8 - at, `${model}\0${header}`);
    return { header, streams, contents: JSON.parse(text.toString('utf8')) as Contents };
  }

  return {
    /**
     * Fills the empty table with `columns` of the model's copy. Resolves to the streams in it; undefined when there is
     * none, or not for this definition. A copy that cannot be read is removed. Throws when the engine has too little memory.
     */
    async load(
      model: string,
      table: string,
      definition: string,
      columns: readonly CacheColumn[],
    ): Promise<CachedStream[] | undefined> {
      const path = fileOf(model);
      let file: FileHandle;
      try {
        file = await open(path, 'r');
      } catch {
        // There is none, or it cannot be opened: the records are read instead.
        return undefined;
      }
      let uncompressed = 0;
      const busy: Array<Promise<void>> = connections.map(() => Promise.resolve());
      try {
        const { contents, header, streams } = await readContents(file, model);
        if (contents.definition !== definition) return undefined;
        for (const [number, block] of contents.blocks.entries()) {
          const parts = [];
          for (const column of columns) {
            const part = block[column.name];
            if (!part) throw new CacheError('A column is missing.');
            const context = `${model}\0${header}\0${number}\0${column.name}`;
            parts.push({ column, form: part.form, texts: await openPart(file, part.at, part.bytes, context) });
          }
          const turn = number % connections.length;
          await busy[turn];
          uncompressed += parts.reduce((total, { texts }) => total + texts.length, 0);
          if (uncompressed > COMPRESS_BYTES) {
            await Promise.all(busy);
            await connections[0].run('CHECKPOINT data');
            uncompressed = 0;
          }
          const inserted = insert(connections[turn] ?? connections[0], table, parts);
          busy[turn] = inserted;
          // It is awaited in its next turn; until then its failure must not end the process.
          inserted.catch(() => {});
        }
        await Promise.all(busy);
        const now = clock.now() / 1000;
        // So the newest use is known when files are removed that nobody uses.
        await utimes(path, now, now);
        return streams;
      } catch (error) {
        await Promise.allSettled(busy);
        if (isOutOfMemory(error)) throw error;
        // Whatever is wrong with it, a new one is made of the records.
        await rm(path, { force: true });
        return undefined;
      } finally {
        await file.close();
      }
    },
    /** Begins a copy. It takes the place of the one before when it is complete. */
    async startCopy({
      columns,
      definition,
      model,
      streams,
    }: {
      columns: readonly CacheColumn[];
      definition: string;
      model: string;
      streams: readonly CachedStream[];
    }) {
      const [connection] = connections;
      const path = fileOf(model);
      const draft = `${path}.part`;
      const header = cacheHeader(randomBytes(16).toString('hex'), streams);
      const contents: Contents = { definition, blocks: [] };
      const file = await open(draft, 'w', 0o600);
      let at = 0;
      const append = async (bytes: Buffer): Promise<void> => {
        await file.write(bytes);
        at += bytes.length;
      };
      await append(Buffer.from(`${header}\n`));
      /** Pages of the next block: the texts of each column. */
      let pages: Buffer[][] = [];
      let forms: Form[] = [];
      let held = { rows: 0, bytes: 0 };
      const writeBlock = async (): Promise<void> => {
        if (pages.length === 0) return;
        const context = `${model}\0${header}\0${contents.blocks.length}`;
        const parts = columns.map(({ name }, column) => {
          const texts = pages.flatMap((page) => [BETWEEN_BYTE, page[column] ?? Buffer.alloc(0)]);
          return seal(Buffer.concat(texts.slice(1)), `${context}\0${name}`);
        });
        const block: Contents['blocks'][number] = {};
        for (const [index, sealed] of (await Promise.all(parts)).entries()) {
          block[columns[index]?.name ?? ''] = { at, bytes: sealed.length, form: forms[index] ?? 'text' };
          await append(sealed);
        }
        contents.blocks.push(block);
        pages = [];
        held = { rows: 0, bytes: 0 };
      };
      return {
        /** Adds the rows of a statement, which has one parameter. */
        async add(rows: string, parameter: string, count: number): Promise<void> {
          const page = await readPage(connection, columns, rows, parameter);
          if (JSON.stringify(page.forms) !== JSON.stringify(forms)) await writeBlock();
          forms = page.forms;
          pages.push(page.texts);
          held = {
            rows: held.rows + count,
            bytes: page.texts.reduce((total, { length }) => total + length, held.bytes),
          };
          if (held.rows >= BLOCK_ROWS || held.bytes >= BLOCK_BYTES) await writeBlock();
        },
        async finish(): Promise<void> {
          await writeBlock();
          const end = Buffer.alloc(8);
          end.writeBigUInt64LE(BigInt(at));
          await append(await seal(Buffer.from(JSON.stringify(contents)), `${model}\0${header}`));
          await append(end);
          await file.close();
          await rename(draft, path);
        },
        async abandon(): Promise<void> {
          await file.close();
          await rm(draft, { force: true });
        },
      };
    },
    remove: (model: string): Promise<void> => rm(fileOf(model), { force: true }),
  };
}

export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('Out of Memory');

/**
 * The values of each column of some rows, joined to one text, and how they became texts. One statement takes the rows of all
 * columns in the same order.
 */
async function readPage(
  connection: DuckDBConnection,
  columns: readonly CacheColumn[],
  rows: string,
  parameter: string,
): Promise<{ forms: Form[]; texts: Buffer[] }> {
  const ask = async (forms: readonly Form[]) => {
    const texts = columns.map(
      ({ name }, index) =>
        `encode(string_agg(coalesce(${writeText(quotedName(name), forms[index] ?? 'text')}, ${NULL_MARK}), ${BETWEEN}))`,
    );
    const checks = columns.map(({ name, type }) => {
      const value = quotedName(name);
      if (type === 'TIMESTAMPTZ') return `bool_and(isfinite(${value}))`;
      const text = `${value}::VARCHAR`;
      return isText(type) ? `NOT bool_or(contains(${text}, ${BETWEEN}) OR contains(${text}, ${NULL_MARK}))` : 'true';
    });
    const reader = await connection.runAndReadAll(`SELECT ${[...texts, ...checks].join(', ')} FROM (${rows})`, [
      parameter,
    ]);
    const values = reader.getRows()[0] ?? [];
    return {
      texts: values.slice(0, columns.length).map((value) => Buffer.from((value as { bytes: Uint8Array }).bytes)),
      // A column of nulls has no finding.
      isPlain: values.slice(columns.length).map((value) => value !== false),
    };
  };
  const plain = columns.map(({ type }): Form => (type === 'TIMESTAMPTZ' ? 'micros' : 'text'));
  const { isPlain, texts } = await ask(plain);
  if (isPlain.every(Boolean)) return { forms: plain, texts };
  const forms = columns.map(({ type }, index): Form => {
    if (isPlain[index]) return plain[index] ?? 'text';
    return isText(type) ? 'json' : 'text';
  });
  return { forms, texts: (await ask(forms)).texts };
}

const isText = (type: string): boolean => type === 'VARCHAR' || type === 'JSON';

function writeText(value: string, form: Form): string {
  if (form === 'micros') return `epoch_us(${value})::VARCHAR`;
  return form === 'json' ? `to_json(${value}::VARCHAR)::VARCHAR` : `${value}::VARCHAR`;
}

function readText(text: string, type: string, form: Form): string {
  if (form === 'micros') return `make_timestamptz(${text}::BIGINT)`;
  const plain = form === 'json' ? `(${text}::JSON ->> '$')` : text;
  return type === 'VARCHAR' ? plain : `${plain}::${type}`;
}
