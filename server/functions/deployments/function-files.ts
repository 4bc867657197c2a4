import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CompileDiagnostic,
  fileError,
  OLD_CONFIG,
  OLD_FORMAT,
} from '../../../functions/compiler/compile-diagnostic.ts';
import { type ExaminedFile, examineFile, listSourceFiles } from '../../../functions/compiler/discovery.ts';
import { type FunctionLocation, isSourceFileName, locateFunction } from '../../../functions/compiler/function-path.ts';

/**
 * The files of the workspace that contain functions. The folder is read in full once, then file by file as they change.
 */
export class FunctionFiles {
  readonly #workspace: string;
  readonly #isKnown: (path: string) => boolean;
  readonly #known = new Map<string, Exclude<ExaminedFile, undefined>>();

  /** `isKnown`: whether a function with this path is stored; then the file belongs to it whatever it contains. */
  constructor(workspace: string, isKnown: (path: string) => boolean) {
    this.#workspace = workspace;
    this.#isKnown = isKnown;
  }

  /** For a folder that is gone; returns the remaining functions, an empty list. */
  clear(): FunctionLocation[] {
    this.#known.clear();
    return [];
  }

  /** Returns the functions for which `isUnchanged` is false; the others need not be read. */
  async scan(isUnchanged: (path: string) => Promise<boolean>): Promise<FunctionLocation[]> {
    this.#known.clear();
    const changed: FunctionLocation[] = [];
    for await (const path of listSourceFiles(this.#workspace)) {
      const located = locateFunction(path);
      if (located.ok && (await isUnchanged(path))) {
        this.#known.set(path, { location: located.location });
        continue;
      }
      this.#examine(path);
      const location = this.#locationOf(path);
      if (location) changed.push(location);
    }
    return changed;
  }

  /** Reads files again that changed, appeared or were removed; a folder path includes everything below it. */
  update(paths: readonly string[]): void {
    for (const path of paths) {
      if (isSourceFileName(path)) this.#examine(path);
      for (const known of this.#known.keys()) if (known.startsWith(`${path}/`)) this.#examine(known);
    }
  }

  /** As `update`, for files only. */
  updateFiles(paths: Iterable<string>): void {
    for (const path of paths) this.#examine(path);
  }

  functions(): FunctionLocation[] {
    return [...this.#known.values()].flatMap((file) => ('location' in file ? [file.location] : []));
  }

  has(path: string): boolean {
    return this.#locationOf(path) !== undefined;
  }

  /** Files in places where functions are not loaded, or with unusable names, and the file of the old format. */
  misplaced(): CompileDiagnostic[] {
    const old = existsSync(join(this.#workspace, OLD_CONFIG)) ? [fileError(OLD_CONFIG, 'old_format', OLD_FORMAT)] : [];
    return [...old, ...[...this.#known.values()].flatMap((file) => ('diagnostic' in file ? [file.diagnostic] : []))];
  }

  #examine(path: string): void {
    const examined = examineFile(this.#workspace, path, this.#isKnown(path));
    if (examined) this.#known.set(path, examined);
    else this.#known.delete(path);
  }

  #locationOf(path: string): FunctionLocation | undefined {
    const file = this.#known.get(path);
    return file && 'location' in file ? file.location : undefined;
  }
}
