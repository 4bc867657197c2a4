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
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
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
 * Rows of a block, fewer when their texts have more bytes: a block is held in memory, in several forms. Columns of a block
 * are sealed on their own, so that a query opens those it names.
 */
const BLOCK_ROWS = 32_768;
const BLOCK_BYTES = 4_000_000;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Texts after which the engine compresses what it holds: that costs more time than the rest, so few columns never are. */
const COMPRESS_BYTES = 128_000_000;
/** Between values, and in the place of a null. Columns whose texts have one of these are written as JSON, which escapes them. */
const BETWEEN = 'chr(30)';
const NULL_MARK = 'chr(29)';

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

  function seal(plain: Buffer, context: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
    const packed = zstdCompressSync(plain, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
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
    /** Writes a copy of the table in the place of the one before; resolves to false when `isStopped` ended it. */
    async write(
      {
        columns,
        definition,
        model,
        streams,
        table,
      }: {
        columns: readonly CacheColumn[];
        definition: string;
        model: string;
        streams: readonly CachedStream[];
        table: string;
      },
      isStopped: () => boolean,
    ): Promise<boolean> {
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
      try {
        await append(Buffer.from(`${header}\n`));
        const [[most] = []] = (await connection.runAndReadAll(`SELECT max(rowid) FROM ${table}`)).getRows();
        let span = BLOCK_ROWS;
        for (let from = 0; from <= Number(most ?? -1); ) {
          if (isStopped()) return false;
          const rows = `FROM ${table} WHERE rowid >= ${from} AND rowid < ${from + span}`;
          const { count, bytes, forms } = await checkBlock(connection, rows, columns);
          if (bytes > BLOCK_BYTES && span > 1) {
            span = Math.ceil(span / 2);
            continue;
          }
          from += span;
          span = Math.min(BLOCK_ROWS, span * 2);
          if (count === 0) continue;
          const block: Contents['blocks'][number] = {};
          for (const [index, { name }] of columns.entries()) {
            const form = forms[index] ?? 'text';
            const text = await textOf(connection, rows, name, form);
            const sealed = seal(text, `${model}\0${header}\0${contents.blocks.length}\0${name}`);
            block[name] = { at, bytes: sealed.length, form };
            await append(sealed);
          }
          contents.blocks.push(block);
        }
        const end = Buffer.alloc(8);
        end.writeBigUInt64LE(BigInt(at));
        await append(seal(Buffer.from(JSON.stringify(contents)), `${model}\0${header}`));
        await append(end);
      } finally {
        await file.close();
        if (isStopped()) await rm(draft, { force: true });
      }
      if (isStopped()) return false;
      await rename(draft, path);
      return true;
    },
    remove: (model: string): Promise<void> => rm(fileOf(model), { force: true }),
  };
}

export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('Out of Memory');

/** How many rows these are, how long their texts, and how the values of each column become texts. */
async function checkBlock(
  connection: DuckDBConnection,
  rows: string,
  columns: readonly CacheColumn[],
): Promise<{ count: number; bytes: number; forms: Form[] }> {
  const texts = columns.filter(({ type }) => type === 'VARCHAR' || type === 'JSON').map(({ name }) => quotedName(name));
  const checks = columns.map(({ name, type }) => {
    const value = quotedName(name);
    if (type === 'TIMESTAMPTZ') return `bool_and(isfinite(${value}))`;
    return type === 'VARCHAR' || type === 'JSON'
      ? `bool_or(contains(${value}::VARCHAR, ${BETWEEN}) OR contains(${value}::VARCHAR, ${NULL_MARK}))`
      : 'NULL';
  });
  const bytes = ['0', ...texts.map((value) => `coalesce(sum(strlen(${value}::VARCHAR)), 0)`)].join(' + ');
  const reader = await connection.runAndReadAll(`SELECT count(*), ${bytes}, ${checks.join(', ')} ${rows}`);
  const [count, total, ...findings] = reader.getRows()[0] ?? [];
  const forms = columns.map(({ type }, index): Form => {
    if (type === 'TIMESTAMPTZ') return findings[index] === false ? 'text' : 'micros';
    return findings[index] === true ? 'json' : 'text';
  });
  return { count: Number(count), bytes: Number(total), forms };
}

/** The values of one column of some rows, joined to one text. */
async function textOf(connection: DuckDBConnection, rows: string, name: string, form: Form): Promise<Buffer> {
  const text = `coalesce(${writeText(quotedName(name), form)}, ${NULL_MARK})`;
  const reader = await connection.runAndReadAll(
    `SELECT encode(string_agg(${text}, ${BETWEEN} ORDER BY rowid)) ${rows}`,
  );
  const [[value] = []] = reader.getRows();
  return Buffer.from((value as { bytes: Uint8Array }).bytes);
}

function writeText(value: string, form: Form): string {
  if (form === 'micros') return `epoch_us(${value})::VARCHAR`;
  return form === 'json' ? `to_json(${value}::VARCHAR)::VARCHAR` : `${value}::VARCHAR`;
}

function readText(text: string, type: string, form: Form): string {
  if (form === 'micros') return `make_timestamptz(${text}::BIGINT)`;
  const plain = form === 'json' ? `(${text}::JSON ->> '$')` : text;
  return type === 'VARCHAR' ? plain : `${plain}::${type}`;
}
