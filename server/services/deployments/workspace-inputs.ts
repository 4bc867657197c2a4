import { compareFingerprint, fingerprint, fingerprintPaths } from './file-fingerprints.ts';

interface FunctionInputs {
  /** What went into the bundle, or stands in the way of one. */
  bundled: readonly string[];
  /** What its types depend on, as the last check saw it: files that are imported for types go into no bundle. */
  typed: readonly string[];
}

/** Which files each known function was made of, and which compiler made it. */
export class WorkspaceInputs {
  readonly #workspace: string;
  readonly #compilerVersion: () => Promise<string>;
  readonly #byFunction = new Map<string, FunctionInputs>();

  constructor(options: { workspace: string; compilerVersion: () => Promise<string> }) {
    this.#workspace = options.workspace;
    this.#compilerVersion = options.compilerVersion;
  }

  /** Takes over what was stored. */
  load(path: string, stored: string): void {
    this.#byFunction.set(path, { bundled: [], typed: fingerprintPaths(stored) });
  }

  /** Paths of the files that decide about a function. */
  of(path: string): string[] {
    const { bundled = [], typed = [] } = this.#byFunction.get(path) ?? {};
    return [...new Set([...bundled, ...typed])];
  }

  /** Paths of the known functions. */
  functions(): string[] {
    return [...this.#byFunction.keys()];
  }

  /** Notes what a function was compiled from; returns what to store, the files as they are now. */
  remember(path: string, bundled: readonly string[]): Promise<string> {
    this.#byFunction.set(path, { bundled, typed: this.#byFunction.get(path)?.typed ?? [] });
    return this.#fingerprint(this.of(path));
  }

  /** Notes what the types of a function depend on; returns what to store. */
  rememberTypes(path: string, typed: readonly string[]): Promise<string> {
    this.#byFunction.set(path, { bundled: this.#byFunction.get(path)?.bundled ?? [], typed });
    return this.#fingerprint(this.of(path));
  }

  /** Whether a function has to be compiled again; `touched` = only what is stored of it is to be renewed. */
  async compare(stored: string): Promise<'same' | 'touched' | 'stale'> {
    return compareFingerprint(this.#workspace, stored, await this.#compilerVersion());
  }

  /** What to store of a function as its files are now. */
  renew(path: string): Promise<string> {
    return this.#fingerprint(this.of(path));
  }

  forget(path: string): void {
    this.#byFunction.delete(path);
  }

  async #fingerprint(paths: readonly string[]): Promise<string> {
    return fingerprint(this.#workspace, paths, await this.#compilerVersion());
  }
}
