import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CompiledFunction, CompileResult } from '../../../functions/compiler/compiled-function.ts';

/** What the real compiler made of each function of `first-folder.ts`, by path. */
let compiled: ReadonlyMap<string, CompiledFunction> = new Map();

export function setCompiled(functions: readonly CompiledFunction[]): void {
  compiled = new Map(functions.map((one) => [one.path, one]));
}

/** A text that does not compile. */
export const BROKEN = 'export default createSync({';
const SLOW = 'every 30 minutes';

/** The file with another version in its description. Of a sync, even ones run less often. */
export function sourceOf(path: string, version: number): string {
  const { definition, source } = compiled.get(path) as CompiledFunction;
  if (version === 1) return source;
  const text = source.replace(definition.description, () => `${definition.description}, version ${version}`);
  return definition.type === 'sync' && version % 2 === 0 ? text.replace(definition.runs, SLOW) : text;
}

export function fileNameOf(path: string): string {
  return compiled.get(path)?.bundleFileName ?? '';
}

/** The version of a bundle; 1 for what the real compiler made. */
export function versionOf(bundle: string): number {
  return Number(/\/\/ version (\d+)/.exec(bundle)?.[1] ?? 1);
}

/** In the place of the hub's compiler, which needs other processes: knows the texts of `sourceOf` only. */
export class FunctionCompiler {
  readonly #workspace: string;

  constructor({ workspace }: { workspace: string }) {
    this.#workspace = workspace;
  }

  async compileFile(path: string): Promise<CompileResult> {
    const source = await readFile(join(this.#workspace, path), 'utf8').catch(() => undefined);
    const known = compiled.get(path);
    if (source === undefined || !known) return failed(path, 'no_file');
    if (source === BROKEN) return failed(path, 'failed_to_build_unknown');
    if (source === known.source) return { ok: true, compiled: known };
    const version = Number(/, version (\d+)/.exec(source)?.[1]);
    const bundle = `${known.bundle}\n// version ${version}\n`;
    const description = `${known.definition.description}, version ${version}`;
    const runs = source.includes(SLOW) ? { runs: SLOW } : {};
    const definition = { ...known.definition, description, ...runs } as CompiledFunction['definition'];
    const bundleHash = createHash('sha256').update(bundle).digest('hex');
    return { ok: true, compiled: { ...known, source, bundle, bundleHash, definition } };
  }

  affectedBy(): string[] {
    return [];
  }

  forget(): void {}
}

function failed(path: string, code: 'no_file' | 'failed_to_build_unknown'): CompileResult {
  const message = 'a fault of the simulation';
  return { ok: false, path, diagnostics: [{ file: path, line: 1, column: 1, code, message, severity: 'error' }] };
}
