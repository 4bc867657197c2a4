import type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import { type ExaminedFile, examineFile, listSourceFiles } from '../../../functions/compiler/discovery.ts';
import { type FunctionLocation, isSourceFileName, locateFunction } from '../../../functions/compiler/function-path.ts';

/** Which files of the workspace hold functions. Read in full once, then file by file as they change. */
export class FunctionFiles {
  readonly #workspace: string;
  readonly #isKnown: (path: string) => boolean;
  readonly #known = new Map<string, Exclude<ExaminedFile, undefined>>();

  /** `isKnown`: a function of this path is stored; whatever the file holds now, it is that function's. */
  constructor(workspace: string, isKnown: (path: string) => boolean) {
    this.#workspace = workspace;
    this.#isKnown = isKnown;
  }

  /** The folder is gone; returns the functions that are left: none. */
  clear(): FunctionLocation[] {
    this.#known.clear();
    return [];
  }

  /** Returns the functions that are not `isUnchanged`: those that are need not be read. */
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

  /** Looks again at files that changed, appeared or went; a folder stands for those below it. */
  update(paths: readonly string[]): void {
    for (const path of paths) {
      if (isSourceFileName(path)) this.#examine(path);
      for (const known of this.#known.keys()) if (known.startsWith(`${path}/`)) this.#examine(known);
    }
  }

  /** As `update`, of files alone. */
  lookAgain(paths: Iterable<string>): void {
    for (const path of paths) this.#examine(path);
  }

  functions(): FunctionLocation[] {
    return [...this.#known.values()].flatMap((file) => ('location' in file ? [file.location] : []));
  }

  has(path: string): boolean {
    return this.#locationOf(path) !== undefined;
  }

  /** Files that stand where no function can be, or have names that cannot be used. */
  misplaced(): CompileDiagnostic[] {
    return [...this.#known.values()].flatMap((file) => ('diagnostic' in file ? [file.diagnostic] : []));
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
