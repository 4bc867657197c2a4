import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type Failure, type Machine, ProcessEnded } from '../machine.ts';

// biome-ignore lint/suspicious/noExplicitAny: functions of `node:fs`, which have all kinds of arguments
type Call = (...args: any[]) => any;

/** Calls of `node:fs` that change files; the first argument says which one, a path or a descriptor. */
const CHANGING = [
  'openSync',
  'writeSync',
  'fsyncSync',
  'closeSync',
  'mkdirSync',
  'rmSync',
  'unlinkSync',
  'renameSync',
  'writeFileSync',
  'appendFileSync',
  'chmodSync',
  'copyFileSync',
  'cpSync',
  'truncateSync',
  'ftruncateSync',
] as const;
/** Functions of `node:fs/promises` that get the machine's order. */
const PROMISED = [
  'writeFile',
  'appendFile',
  'rename',
  'rm',
  'unlink',
  'mkdir',
  'chmod',
  'stat',
  'lstat',
  'statfs',
  'readdir',
  'access',
  'realpath',
  'copyFile',
  'cp',
  'mkdtemp',
  'utimes',
  'truncate',
] as const;

/** Functions of `node:fs` call each other: only the outermost call counts. */
let depth = 0;
function unwatched<T>(work: () => T): T {
  depth += 1;
  try {
    return work();
  } finally {
    depth -= 1;
  }
}

/** What a power loss undoes: a change that was not written to the disk yet. */
interface Unsynced {
  /** The file, or for a rename or removal its folder. */
  syncedBy: string;
  undo(): void;
}

const real = { ...fs } as unknown as Record<string, Call>;
const realPromises = { ...fs.promises };

/** Files outside of the folder of the machine, by path and options of the call. */
const programFiles = new Map<string, unknown>();

/** Replaces the functions of `node:fs` for this process. Only files inside the folder of the machine can fail. */
export class SimulatedFiles {
  readonly #machine: Machine;
  readonly #folder: string;
  readonly #paths = new Map<number, string>();
  #unsynced: Unsynced[] = [];

  constructor(machine: Machine, folder: string) {
    this.#machine = machine;
    this.#folder = folder;
    const sync = fs as unknown as Record<string, Call>;
    for (const name of CHANGING) sync[name] = (...args) => this.#change(name, args);
    const promises = fs.promises as unknown as Record<string, Call>;
    for (const name of PROMISED) promises[name] = (...args) => this.#promise(() => sync[`${name}Sync`]?.(...args));
    promises['readFile'] = (...args) => this.#promise(() => this.#read(args));
    promises['open'] = (...args) => this.#promise(() => this.#handle(sync['openSync']?.(...args) as number));
    syncBuiltinESMExports();
  }

  restore(): void {
    for (const name of CHANGING) (fs as unknown as Record<string, Call>)[name] = real[name] as Call;
    Object.assign(fs.promises, realPromises);
    syncBuiltinESMExports();
  }

  /** The process is gone; its descriptors are closed. */
  endProcess(): void {
    for (const descriptor of this.#paths.keys()) unwatched(() => real['closeSync']?.(descriptor));
    this.#paths.clear();
  }

  /** Of what was not written to the disk, each change is lost or not. */
  losePower(): void {
    for (const { undo } of this.#unsynced.reverse()) if (this.#machine.random.chance(0.5)) unwatched(undo);
    this.#unsynced = [];
  }

  #isOwn(path: unknown): path is string {
    return typeof path === 'string' && path.startsWith(this.#folder);
  }

  #promise<T>(work: () => T): Promise<T> {
    const { boot } = this.#machine;
    return new Promise((resolve, reject) => {
      this.#machine.later(this, () => {
        if (!boot.isOn) return;
        try {
          const value = work();
          if (boot.isOn) resolve(value);
        } catch (error) {
          if (boot.isOn) reject(error);
        }
      });
    });
  }

  /** The program's own files never change; what the system says about processes and connections is of another world. */
  #read(args: unknown[]): unknown {
    if (typeof args[0] !== 'string' || this.#isOwn(args[0])) return real['readFileSync']?.(...args);
    const [path, options] = args as [string, unknown];
    if (path.startsWith('/proc/'))
      throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' });
    const key = `${path} ${JSON.stringify(options)}`;
    const known = programFiles.get(key);
    if (known !== undefined) return known;
    const content = real['readFileSync']?.(...args);
    programFiles.set(key, content);
    return content;
  }

  #change(name: string, args: unknown[]): unknown {
    const work = (): unknown => unwatched(() => real[name]?.(...args));
    if (depth > 0) return work();
    const path = typeof args[0] === 'number' ? this.#paths.get(args[0]) : args[0];
    if (!this.#isOwn(path)) return work();
    const { boot } = this.#machine;
    if (!boot.isOn) throw new ProcessEnded('The process has ended.');
    // A descriptor that was opened for reading only changes nothing, and closing never fails here.
    if (name === 'closeSync') {
      this.#paths.delete(args[0] as number);
      return work();
    }
    if (name === 'openSync' && (args[1] === undefined || args[1] === 'r')) return this.#opened(work(), path);
    const value = boot.call(
      'file',
      `${name} ${basename(path)}`,
      () => this.#note(name, args, path, work),
      (how) => fileError(how, path),
    );
    if (!boot.isOn) throw new ProcessEnded('The process has ended.');
    return name === 'openSync' ? this.#opened(value, path) : value;
  }

  #opened(descriptor: unknown, path: string): unknown {
    this.#paths.set(descriptor as number, path);
    return descriptor;
  }

  /** Does the call, and notes what a power loss would undo. */
  #note(name: string, args: unknown[], path: string, work: () => unknown): unknown {
    if (name === 'fsyncSync') {
      this.#unsynced = this.#unsynced.filter(({ syncedBy }) => syncedBy !== path);
      return work();
    }
    if (name === 'renameSync') {
      const target = args[1] as string;
      const before = contentOf(target);
      const value = work();
      this.#unsynced.push({
        syncedBy: dirname(target),
        undo: () => {
          const moved = contentOf(target);
          if (moved) real['writeFileSync']?.(path, moved);
          if (before) real['writeFileSync']?.(target, before);
          else real['rmSync']?.(target, { force: true });
        },
      });
      return value;
    }
    const isWrite =
      name === 'writeFileSync' || name === 'writeSync' || name === 'appendFileSync' || name === 'copyFileSync';
    if (!isWrite) return work();
    const written = name === 'copyFileSync' ? (args[1] as string) : path;
    if ((args[2] as { flush?: boolean } | undefined)?.flush) {
      this.#unsynced = this.#unsynced.filter(({ syncedBy }) => syncedBy !== written);
      return work();
    }
    const before = contentOf(written);
    const value = work();
    this.#unsynced.push({
      syncedBy: written,
      undo: () => (contentOf(written) === undefined ? undefined : real['writeFileSync']?.(written, before ?? '')),
    });
    return value;
  }

  /** The part of a FileHandle that the hub uses. */
  #handle(descriptor: number): Record<string, Call> {
    const sync = fs as unknown as Record<string, Call>;
    const later = (work: () => unknown): Promise<unknown> => this.#promise(work);
    return {
      sync: () => later(() => sync['fsyncSync']?.(descriptor)),
      datasync: () => later(() => sync['fsyncSync']?.(descriptor)),
      close: () => later(() => sync['closeSync']?.(descriptor)),
      stat: (...args) => later(() => real['fstatSync']?.(descriptor, ...args)),
      writeFile: (data, ...rest) => later(() => sync['writeFileSync']?.(descriptor, data, ...rest)),
      appendFile: (data, ...rest) => later(() => sync['writeFileSync']?.(descriptor, data, ...rest)),
      write: (data, ...rest) =>
        later(() => ({ bytesWritten: sync['writeSync']?.(descriptor, data, ...rest), buffer: data })),
      readFile: (...args) => later(() => real['readFileSync']?.(descriptor, ...args)),
      read: (buffer, ...rest) => later(() => ({ bytesRead: real['readSync']?.(descriptor, buffer, ...rest), buffer })),
      chmod: (mode) => later(() => real['fchmodSync']?.(descriptor, mode)),
      truncate: (length) => later(() => sync['ftruncateSync']?.(descriptor, length)),
    };
  }
}

function contentOf(path: string): Buffer | undefined {
  const found = real['statSync']?.(path, { throwIfNoEntry: false }) as fs.Stats | undefined;
  // Databases have rules of their own.
  return found?.isFile() && !/\.db(-wal|-shm)?$/.test(path) ? (real['readFileSync']?.(path) as Buffer) : undefined;
}

function fileError(how: Failure, path: string): Error {
  const code = how === 'full' ? 'ENOSPC' : 'EIO';
  return Object.assign(
    new Error(`${code}: ${how === 'full' ? 'no space left on device' : 'i/o error'}, '${join('…', basename(path))}'`),
    { code },
  );
}

/** `node:fs` as it was before, for the simulator itself. */
export const realFiles = new Proxy(real, {
  get:
    (functions, name: string) =>
    (...args: unknown[]) =>
      unwatched(() => functions[name]?.(...args)),
}) as unknown as typeof fs;
