import { fingerprint, fingerprintPaths } from './file-fingerprints.ts';

/** Which files each known function was made of, and which compiler made it. */
export class WorkspaceInputs {
  readonly #workspace: string;
  readonly #compilerVersion: () => Promise<string>;
  readonly #pathsByFunction = new Map<string, string[]>();

  constructor(options: { workspace: string; compilerVersion: () => Promise<string> }) {
    this.#workspace = options.workspace;
    this.#compilerVersion = options.compilerVersion;
  }

  /** Takes over what was stored. */
  load(path: string, stored: string): void {
    this.#pathsByFunction.set(path, fingerprintPaths(stored));
  }

  /** Paths of the files that a function read when it was last compiled. */
  of(path: string): string[] {
    return this.#pathsByFunction.get(path) ?? [];
  }

  /** Paths of the known functions. */
  functions(): string[] {
    return [...this.#pathsByFunction.keys()];
  }

  /** Notes the files of a function; returns what to store of them, as they are now. */
  async remember(path: string, files: Iterable<string>): Promise<string> {
    const known = [...new Set(files)];
    this.#pathsByFunction.set(path, known);
    return fingerprint(this.#workspace, known, await this.#compilerVersion());
  }

  /** Whether a function has to be compiled again. */
  async isStale(stored: string): Promise<boolean> {
    return stored !== (await fingerprint(this.#workspace, fingerprintPaths(stored), await this.#compilerVersion()));
  }

  forget(path: string): void {
    this.#pathsByFunction.delete(path);
  }
}
