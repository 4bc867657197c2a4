/**
 * Finds the functions that a changed file affects. Paths are compared without extension, so a new file also counts when
 * an import looked for it, or when it lies next to the file that was found.
 */
export class DependencyGraph {
  readonly #stemsByEntry = new Map<string, Set<string>>();

  /** Stores the files that an entry read or looked for at its last compile. Paths are relative to the workspace. */
  remember(entry: string, paths: Iterable<string>): void {
    this.#stemsByEntry.set(entry, new Set([entry, ...paths].map(stemOf)));
  }

  /** Adds a path to an entry. */
  add(entry: string, path: string): void {
    const known = this.#stemsByEntry.get(entry);
    if (known) known.add(stemOf(path));
    else this.remember(entry, [path]);
  }

  forget(entry: string): void {
    this.#stemsByEntry.delete(entry);
  }

  entriesReading(changedPaths: readonly string[]): string[] {
    const changed = new Set(changedPaths.map(stemOf));
    const reads = ([, stems]: [string, ReadonlySet<string>]) => [...changed].some((stem) => stems.has(stem));
    return [...this.#stemsByEntry].filter(reads).map(([entry]) => entry);
  }
}

const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];

/** Every file that an import of this stem may mean. */
export function candidatesOf(stem: string): string[] {
  return [stem, ...[stem, `${stem}/index`].flatMap((name) => EXTENSIONS.map((extension) => name + extension))];
}

/**
 * `a/b/lib.ts`, `a/b/lib` and `a/b/lib/index.ts` have the same stem, because an import of `./lib` may mean each of
 * them.
 */
export function stemOf(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replace(/\.(?:[cm]?[jt]sx?|json)$/, '')
    .replace(/\/index$/, '');
}
