import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { checkSource } from './checks/source-checks.ts';
import type { CompileDiagnostic } from './compile-diagnostic.ts';
import { collectFacts, type FileFacts } from './source-facts.ts';
import { SourceFile } from './source-file.ts';

/** A file that functions import: its text and its problems. The syntax tree is not kept. */
export interface CheckedFile {
  path: string;
  text: string;
  diagnostics: CompileDiagnostic[];
}

/** Reads and parses files of the workspace. Imported files are checked again only when their text changed. */
export class SourceFiles {
  readonly #root: string;
  readonly #imported = new Map<string, CheckedFile>();

  constructor(root: string) {
    this.#root = root;
  }

  imported(absolutePath: string): CheckedFile | undefined {
    const text = readText(absolutePath);
    if (text === undefined) return undefined;
    const known = this.#imported.get(absolutePath);
    if (known?.text === text) return known;
    const facts = this.parse(absolutePath, text);
    const checked = { path: facts.file.path, text, diagnostics: checkSource(facts, false) };
    this.#imported.set(absolutePath, checked);
    return checked;
  }

  parse(absolutePath: string, text: string): FileFacts {
    return collectFacts(new SourceFile(this.pathOf(absolutePath), text));
  }

  /** Returns the path relative to the workspace, with `/`. */
  pathOf(absolutePath: string): string {
    return relative(this.#root, absolutePath).replaceAll('\\', '/');
  }

  forget(absolutePath: string): void {
    this.#imported.delete(absolutePath);
  }
}

/** Synchronous, because sources are small and a promise for each of thousands of files takes seconds. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Missing or not readable. The caller reports it as a problem of the function, without the path on disk.
    return undefined;
  }
}
