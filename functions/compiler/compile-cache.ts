import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { CompileDiagnostic } from './compile-diagnostic.ts';
import type { CompiledFunction } from './compiled-function.ts';
import { candidatesOf, stemOf } from './dependency-graph.ts';
import type { TypeCheckResult } from './type-check/type-check-result.ts';

export interface CompileCacheOptions {
  /** Created when needed; contains only the cache. */
  folder: string;
  /** Real path of the workspace. */
  workspace: string;
  /** Version of the compiler and the SDK. Entries of another version are removed. */
  version: string;
  /** Size limit in bytes. Above it the oldest entries are removed. */
  maxBytes?: number;
}

export interface CachedCompile {
  compiled: CompiledFunction;
  /** The files that its relative imports looked for, as stems relative to the workspace. */
  stems: string[];
}

/** A function takes about 6 kB, so tens of thousands fit. */
const MAX_BYTES = 256 * 1024 * 1024;
const LOOK_AT_SIZE_EVERY = 1_000;
const CHECKSUM_BYTES = 32;

/** These files change with the workspace's packages, whose types a function may use: npm, pnpm, Yarn. */
const PACKAGE_FILES = [
  'package.json',
  'node_modules/.package-lock.json',
  'node_modules/.modules.yaml',
  'node_modules/.yarn-state.yml',
];

interface Entry {
  /** Checksum of every file that its imports might mean; null means that no such file exists. */
  files: Record<string, string | null>;
}
type CompileEntry = Entry & CachedCompile;
type TypesEntry = Entry & Pick<TypeCheckResult, 'diagnostics'>;

/**
 * Results of compiling and type checking, by the text of the files. Only successful compiles are stored. An entry that
 * cannot be read, is damaged or does not match the files counts as missing and is written again.
 */
export class CompileCache {
  readonly #folder: string;
  readonly #workspace: string;
  readonly #maxBytes: number;
  readonly #working = new Set<Promise<void>>();
  #written = 0;

  private constructor({ folder, workspace, version, maxBytes = MAX_BYTES }: CompileCacheOptions) {
    this.#folder = join(folder, version);
    this.#workspace = workspace;
    this.#maxBytes = maxBytes;
  }

  static async open(options: CompileCacheOptions): Promise<CompileCache> {
    const cache = new CompileCache(options);
    await mkdir(cache.#folder, { recursive: true });
    // In the background, so that the first compile does not wait for the clean-up.
    cache.#doMeanwhile(cache.#tidyUp(options));
    return cache;
  }

  async find(path: string, source: string): Promise<CachedCompile | undefined> {
    const entry = this.#read<CompileEntry>(this.#fileOf('compiled', path, source));
    if (!entry || !(await this.#fits(entry))) return undefined;
    return { stems: entry.stems, compiled: { ...entry.compiled, source } };
  }

  /**
   * Stores a result in the background; a failed write leaves no entry. `texts` are the compiled texts of the imported
   * files by path.
   */
  store(compiled: CompiledFunction, stems: readonly string[], texts: ReadonlyMap<string, string>): void {
    const isKnown = (input: string): boolean => input === compiled.path || texts.has(input);
    // The text of a file that the bundler read by itself is unknown, so such a result is not stored.
    if (compiled.inputs.every(isKnown)) this.#doMeanwhile(this.#store(compiled, stems, texts));
  }

  /** Type errors of a function and its imports; undefined when they must be checked again. */
  async findTypes(path: string, source: string): Promise<CompileDiagnostic[] | undefined> {
    const entry = this.#read<TypesEntry>(this.#fileOf('types', path, source));
    return entry && (await this.#fits(entry)) ? entry.diagnostics : undefined;
  }

  /**
   * Stores type errors in the background, like `store`. `askedAt` is the start of the check in milliseconds since the
   * epoch.
   */
  storeTypes(source: string, result: TypeCheckResult, askedAt: number): void {
    this.#doMeanwhile(this.#storeTypes(source, result, askedAt));
  }

  /** Resolves when everything is written and the size is within the limit. */
  async settled(): Promise<void> {
    await Promise.all(this.#working);
  }

  #doMeanwhile(work: Promise<void>): void {
    const known = work
      .catch(() => {
        // A full or missing disk only makes the next start slower.
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
    // The compiled texts, not the current files: a file may have been saved since.
    for (const [path, text] of texts) files[path] = checksum(text).toString('base64');
    // The source is the key of the entry, and the caller has it.
    const entry: CompileEntry = { stems: [...stems], files, compiled: { ...compiled, source: '' } };
    await this.#write(this.#fileOf('compiled', compiled.path, compiled.source), entry);
  }

  async #storeTypes(source: string, result: TypeCheckResult, askedAt: number): Promise<void> {
    const { path, dependencies, diagnostics } = result;
    const imports = dependencies.filter((dependency) => dependency !== path);
    const stems = new Set(imports.map((file) => stemOf(file.replace(/\.d\.ts$/, '.ts'))));
    const names = [...[...stems].flatMap((stem) => [...candidatesOf(stem), `${stem}.d.ts`]), ...PACKAGE_FILES];
    const times = await Promise.all([path, ...names].map((name) => this.#modifiedMs(name)));
    // When a file was saved during the check, it is unknown which text was checked.
    if (times.some((time) => time >= askedAt)) return;
    const entry: TypesEntry = { files: await this.#readAll(names), diagnostics };
    await this.#write(this.#fileOf('types', path, source), entry);
  }

  async #write(target: string, entry: Entry): Promise<void> {
    const content = zstdCompressSync(JSON.stringify(entry));
    const draft = `${target}.${process.pid}.tmp`;
    await mkdir(dirname(target), { recursive: true });
    await writeFile(draft, Buffer.concat([checksum(content), content]));
    await rename(draft, target);
    this.#written++;
    if (this.#written % LOOK_AT_SIZE_EVERY === 0) await this.#trim();
  }

  /** Synchronous, like reading sources. */
  #read<E extends Entry>(file: string): E | undefined {
    try {
      const bytes = readFileSync(file);
      const content = bytes.subarray(CHECKSUM_BYTES);
      if (!checksum(content).equals(bytes.subarray(0, CHECKSUM_BYTES))) return undefined;
      return JSON.parse(zstdDecompressSync(content).toString()) as E;
    } catch {
      // Missing or not readable.
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

  /** 0 for a missing file. */
  async #modifiedMs(path: string): Promise<number> {
    const found = await stat(join(this.#workspace, path)).catch(() => undefined);
    return found?.mtimeMs ?? 0;
  }

  #fileOf(kind: 'compiled' | 'types', path: string, source: string): string {
    const key = checksum(`${kind}\n${path}\n${source}`).toString('hex');
    return join(this.#folder, key.slice(0, 2), key.slice(2));
  }

  async #trim(): Promise<void> {
    const files = await this.#listFiles();
    let total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const { path, sizeBytes } of files.sort((a, b) => a.modifiedMs - b.modifiedMs)) {
      if (total <= this.#maxBytes) return;
      await unlink(path).catch(() => {
        // Another process has removed it, so its size is free too.
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
