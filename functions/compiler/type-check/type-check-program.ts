import { join } from 'node:path';
import ts from 'typescript';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import { AuthorModules } from './author-modules.ts';
import { STRICT_OPTIONS } from './strict-options.ts';
import type { TypeCheckPaths, TypeCheckResult } from './type-check-result.ts';

/**
 * Compiler options for functions (functions.md 1.1). The author's tsconfig is for the editor only. In contrast to it,
 * imports need no extension here, because both forms can be bundled.
 */
const TYPE_CHECK_OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  types: [],
  resolveJsonModule: true,
  ...STRICT_OPTIONS,
  noEmit: true,
};

/** In characters. Longer explanations repeat the same two nested types. */
const MAX_MESSAGE_LENGTH = 2000;

/**
 * Checks functions. Functions that are checked together get their own program, so that memory does not grow with the
 * workspace.
 */
export class TypeCheckProgram {
  readonly #folders: TypeCheckPaths;
  readonly #modules: AuthorModules;
  /** Parsed files of the installation, which every program shares. */
  readonly #libraryFiles = new Map<string, ts.SourceFile>();
  /** Parsed author files of the previous program. Most of them are needed again. */
  #authorFiles = new Map<string, ts.SourceFile>();

  constructor(folders: TypeCheckPaths) {
    this.#folders = folders;
    this.#modules = new AuthorModules(folders, TYPE_CHECK_OPTIONS);
  }

  /** `paths` are relative to the workspace. Missing files have no result. */
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
      // Like tsc: comments do not affect the result, and parsing those of the libraries takes a quarter of the time.
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
      missing: found.flatMap(({ text, module }) => {
        const untyped = this.#modules.missingApiTypes(text, importer);
        if (untyped) return [untyped];
        return !module && isRelative(text) ? [this.#modules.expected(text, importer)] : [];
      }),
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

/** The author's files that belong to an entry: the entry first, then its direct and indirect imports. */
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

/** Declared but never read: a local, a property, all imports, a type, all destructured elements, all variables, a type parameter. */
const UNUSED_NAMES: ReadonlySet<number> = new Set([6133, 6138, 6192, 6196, 6198, 6199, 6205]);

/** Converts TypeScript's diagnostic to one at the author's line, without a path on disk. */
function toTypeError(diagnostic: ts.Diagnostic, file: string, workspace: string): CompileDiagnostic {
  const position = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0);
  const isHint = UNUSED_NAMES.has(diagnostic.code);
  return {
    code: isHint ? 'unused_name' : 'type_error',
    typescriptCode: `TS${diagnostic.code}`,
    message: withoutPaths(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'), workspace),
    file,
    line: (position?.line ?? 0) + 1,
    column: (position?.character ?? 0) + 1,
    severity: isHint ? 'warning' : 'error',
  };
}

/** Types of other modules appear as `import("/path/to/module").Type`; only the type's name is kept. */
function withoutPaths(message: string, workspace: string): string {
  const text = message
    .replaceAll(/import\("[^"]*"(?:, [^()]*)?\)\./g, '')
    .replaceAll(/(["'])(?:\/|[A-Za-z]:[\\/])[^"']*[\\/]node_modules[\\/]/g, '$1')
    .replaceAll(`${workspace}/`, '');
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
}
