import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { CompiledFunction } from './compiled-function.ts';
import { candidatesOf } from './dependency-graph.ts';

export interface CompileCacheOptions {
  /** Made when needed; holds nothing else. */
  folder: string;
  /** Real path of the workspace. */
  workspace: string;
  /** Of the compiler and the SDK: entries of another one are removed. */
  version: string;
  /** Entries beyond this go, the oldest first. */
  mostBytes?: number;
}

export interface CachedCompile {
  compiled: CompiledFunction;
  /** What its relative imports looked for, as workspace-relative stems. */
  stems: string[];
}

/** About 6 kB a function: room for tens of thousands. */
const MOST_BYTES = 256 * 1024 * 1024;
const LOOK_AT_SIZE_EVERY = 1_000;
const CHECKSUM_BYTES = 32;

interface Entry extends CachedCompile {
  /** Content of every file that its imports might mean; null = there is none of that name. */
  files: Record<string, string | null>;
}

/**
 * What files compiled to, by their text. Only what compiled is kept. An entry that cannot be read, is damaged or does
 * not fit the files any more is as good as none, and is written anew.
 */
export class CompileCache {
  readonly #folder: string;
  readonly #workspace: string;
  readonly #mostBytes: number;
  readonly #working = new Set<Promise<void>>();
  #written = 0;

  private constructor({ folder, workspace, version, mostBytes = MOST_BYTES }: CompileCacheOptions) {
    this.#folder = join(folder, version);
    this.#workspace = workspace;
    this.#mostBytes = mostBytes;
  }

  static async open(options: CompileCacheOptions): Promise<CompileCache> {
    const cache = new CompileCache(options);
    await mkdir(cache.#folder, { recursive: true });
    // Meanwhile: the first compile does not wait for tidying up.
    cache.#doMeanwhile(cache.#tidyUp(options));
    return cache;
  }

  async find(path: string, source: string): Promise<CachedCompile | undefined> {
    const entry = this.#read(this.#fileOf(path, source));
    if (!entry || !(await this.#fits(entry))) return undefined;
    return { stems: entry.stems, compiled: { ...entry.compiled, source } };
  }

  /** Returns at once; a failed write leaves no entry. `texts`: what was compiled, of the imported files by path. */
  store(compiled: CompiledFunction, stems: readonly string[], texts: ReadonlyMap<string, string>): void {
    const isKnown = (input: string): boolean => input === compiled.path || texts.has(input);
    // Of a file that the bundler read by itself nobody knows which text it had.
    if (compiled.inputs.every(isKnown)) this.#doMeanwhile(this.#store(compiled, stems, texts));
  }

  /** Resolves when everything stored so far is on the disk and nothing too much is. */
  async settled(): Promise<void> {
    await Promise.all(this.#working);
  }

  #doMeanwhile(work: Promise<void>): void {
    const known = work
      .catch(() => {
        // A full or vanished disk costs the next start some time, and nobody anything else.
      })
      .finally(() => this.#working.delete(known));
    this.#working.add(known);
  }

  async #tidyUp({ folder, version }: CompileCacheOptions): Promise<void> {
    for (const name of await readdir(folder))
      if (name !== version) await rm(join(folder, name), { recursive: true, force: true });
    await this.#trim();
  }

  async #store(
    compiled: CompiledFunction,
    stems: readonly string[],
    texts: ReadonlyMap<string, string>,
  ): Promise<void> {
    const files = await this.#readAll(stems.flatMap(candidatesOf));
    // Not as they are now: one may have been saved since.
    for (const [path, text] of texts) files[path] = checksum(text).toString('base64');
    // The source is the key, and whoever asks has it.
    const entry: Entry = { stems: [...stems], files, compiled: { ...compiled, source: '' } };
    const content = zstdCompressSync(JSON.stringify(entry));
    const target = this.#fileOf(compiled.path, compiled.source);
    const draft = `${target}.${process.pid}.tmp`;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(draft, Buffer.concat([checksum(content), content]));
    await rename(draft, target);
    this.#written++;
    if (this.#written % LOOK_AT_SIZE_EVERY === 0) await this.#trim();
  }

  /** Synchronous, as sources are read. */
  #read(file: string): Entry | undefined {
    try {
      const bytes = readFileSync(file);
      const content = bytes.subarray(CHECKSUM_BYTES);
      if (!checksum(content).equals(bytes.subarray(0, CHECKSUM_BYTES))) return undefined;
      return JSON.parse(zstdDecompressSync(content).toString()) as Entry;
    } catch {
      // Not there, or not readable.
      return undefined;
    }
  }

  async #fits({ files }: Entry): Promise<boolean> {
    const paths = Object.keys(files);
    if (paths.length === 0) return true;
    const now = await this.#readAll(paths);
    return paths.every((path) => now[path] === files[path]);
  }

  async #readAll(paths: readonly string[]): Promise<Record<string, string | null>> {
    const read = async (path: string): Promise<[string, string | null]> => {
      try {
        return [path, checksum(await readFile(join(this.#workspace, path))).toString('base64')];
      } catch {
        // Most of the names that an import might mean do not exist.
        return [path, null];
      }
    };
    return Object.fromEntries(await Promise.all(paths.map(read)));
  }

  #fileOf(path: string, source: string): string {
    const key = checksum(`${path}\n${source}`).toString('hex');
    return join(this.#folder, key.slice(0, 2), key.slice(2));
  }

  async #trim(): Promise<void> {
    const files = await this.#listFiles();
    let total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const { path, sizeBytes } of files.sort((a, b) => a.modifiedMs - b.modifiedMs)) {
      if (total <= this.#mostBytes) return;
      await unlink(path).catch(() => {
        // Somebody else removed it; its size is gone all the same.
      });
      total -= sizeBytes;
    }
  }

  async #listFiles(): Promise<Array<{ path: string; sizeBytes: number; modifiedMs: number }>> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const found = await Promise.all(
      files.map(async (path) => {
        const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
        return { path, sizeBytes: size, modifiedMs: mtimeMs };
      }),
    );
    return found;
  }
}

function checksum(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}
