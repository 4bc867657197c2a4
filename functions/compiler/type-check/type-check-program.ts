import { join } from 'node:path';
import ts from 'typescript';
import { AuthorModules } from './author-modules.ts';
import { TYPE_CHECK_OPTIONS } from './type-check-options.ts';
import type { TypeCheckPaths, TypeCheckResult } from './type-check-result.ts';
import { toTypeError } from './type-error.ts';

/** Functions checked at once get a program of their own, so that memory does not grow with the workspace. */
export class TypeCheckProgram {
  readonly #folders: TypeCheckPaths;
  readonly #modules: AuthorModules;
  /** Parsed files of the installation: the same in every program. */
  readonly #libraryFiles = new Map<string, ts.SourceFile>();
  /** Those of the authors in the program before: most of them are asked for again. */
  #authorFiles = new Map<string, ts.SourceFile>();

  constructor(folders: TypeCheckPaths) {
    this.#folders = folders;
    this.#modules = new AuthorModules(folders, TYPE_CHECK_OPTIONS);
  }

  /** `paths` are workspace-relative; files that are gone are left out of the answer. */
  check(paths: readonly string[]): TypeCheckResult[] {
    const files = new Map<string, ts.SourceFile>();
    const imports = new Map<string, FileImports>();
    const program = ts.createProgram({
      rootNames: [...this.#modules.ambientFiles, ...paths.map((path) => join(this.#folders.workspace, path))],
      options: TYPE_CHECK_OPTIONS,
      host: this.#createHost(files, imports),
    });
    this.#authorFiles = files;
    const diagnosticsOf = memoized((file: string) => this.#diagnose(program, file));
    return paths.flatMap((path) => {
      const entry = join(this.#folders.workspace, path);
      if (!files.has(entry)) return [];
      const { reached, missing } = followImports(entry, imports);
      return {
        path,
        diagnostics: reached.flatMap(diagnosticsOf),
        dependencies: [...reached.map((file) => this.#modules.pathOf(file)), ...missing],
      };
    });
  }

  #createHost(files: Map<string, ts.SourceFile>, imports: Map<string, FileImports>): ts.CompilerHost {
    return {
      ...ts.createCompilerHost(TYPE_CHECK_OPTIONS, true),
      // As the command line of TypeScript: comments decide nothing here, and reading those of the libraries takes a quarter.
      jsDocParsingMode: ts.JSDocParsingMode.ParseForTypeErrors,
      getSourceFile: (path, settings) => {
        if (!this.#modules.holds(path)) return this.#libraryFile(path, settings);
        const file = this.#authorFile(path, settings);
        if (file) files.set(path, file);
        return file;
      },
      resolveModuleNameLiterals: (literals, importer) => {
        const found = literals.map(({ text }) => ({ text, module: this.#modules.find(text, importer) }));
        if (this.#modules.holds(importer)) imports.set(importer, this.#importsOf(importer, found));
        return found.map(({ module }) => ({ resolvedModule: module }));
      },
    };
  }

  #importsOf(importer: string, found: Array<{ text: string; module: ts.ResolvedModuleFull | undefined }>): FileImports {
    const isRelative = (text: string): boolean => /^\.\.?(?:\/|$)/.test(text);
    return {
      files: found.flatMap(({ module }) =>
        module && this.#modules.holds(module.resolvedFileName) ? [module.resolvedFileName] : [],
      ),
      missing: found.flatMap(({ text, module }) =>
        !module && isRelative(text) ? [this.#modules.expected(text, importer)] : [],
      ),
    };
  }

  #libraryFile(path: string, settings: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile | undefined {
    const known = this.#libraryFiles.get(path);
    if (known) return known;
    const text = ts.sys.readFile(path);
    if (text === undefined) return undefined;
    const file = ts.createSourceFile(path, text, settings);
    this.#libraryFiles.set(path, file);
    return file;
  }

  #authorFile(path: string, settings: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile | undefined {
    const text = ts.sys.readFile(path);
    if (text === undefined) return undefined;
    const known = this.#authorFiles.get(path);
    return known?.text === text ? known : ts.createSourceFile(path, text, settings);
  }

  #diagnose(program: ts.Program, path: string): TypeCheckResult['diagnostics'] {
    const file = program.getSourceFile(path);
    if (!file) return [];
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map((diagnostic) => toTypeError(diagnostic, this.#modules.pathOf(path), this.#folders.workspace));
  }
}

interface FileImports {
  files: string[];
  missing: string[];
}

/** The author's files that belong to an entry: itself first, then what it imports, directly or not. */
function followImports(
  entry: string,
  imports: ReadonlyMap<string, FileImports>,
): { reached: string[]; missing: string[] } {
  const reached = new Set([entry]);
  const missing = new Set<string>();
  for (const file of reached) {
    const own = imports.get(file);
    for (const imported of own?.files ?? []) reached.add(imported);
    for (const path of own?.missing ?? []) missing.add(path);
  }
  return { reached: [...reached], missing: [...missing] };
}

function memoized<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
