import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';
import type { TypeCheckPaths } from './type-check-result.ts';

/** Names under which authors import our types; the last one, types only, stands in older functions. */
const SDK_NAMES = new Set(['homeport', 'nango', '@nangohq/runner-sdk']);
/** Declared in the SDK's ambient files: what the isolate has of them, which is less than Node's. */
const AMBIENT_MODULES = new Set(['crypto', 'node:crypto', 'url', 'node:url']);
const AMBIENT_FILES = ['guest-globals.d.ts', 'guest-modules.d.ts'];

/** Finds what imports stand for: the SDK and zod are the installation's, whatever the workspace has installed. */
export class AuthorModules {
  readonly #folders: TypeCheckPaths;
  readonly #options: ts.CompilerOptions;
  readonly #sdk: ts.ResolvedModuleFull;
  readonly #zod: ts.ResolvedModuleFull;
  /** Files of the installation never change: what they import is looked up once. */
  readonly #known = new Map<string, ts.ResolvedModuleFull | undefined>();

  constructor(folders: TypeCheckPaths, options: ts.CompilerOptions) {
    this.#folders = folders;
    this.#options = options;
    this.#sdk = library(join(folders.sdkFolder, 'sdk.ts'), ts.Extension.Ts);
    const zod = createRequire(import.meta.url).resolve('zod/package.json');
    this.#zod = library(join(dirname(zod), 'index.d.ts'), ts.Extension.Dts);
  }

  /** Files that declare what is there without an import. */
  get ambientFiles(): string[] {
    return AMBIENT_FILES.map((name) => join(this.#folders.sdkFolder, 'ambient', name));
  }

  find(specifier: string, importer: string): ts.ResolvedModuleFull | undefined {
    if (SDK_NAMES.has(specifier)) return this.#sdk;
    if (specifier === 'zod') return this.#zod;
    if (AMBIENT_MODULES.has(specifier)) return undefined;
    if (this.holds(importer)) return this.#lookUp(specifier, importer);
    const key = `${dirname(importer)}\n${specifier}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#lookUp(specifier, importer));
    return this.#known.get(key);
  }

  /** Whether a file is the author's own. */
  holds(path: string): boolean {
    const inner = relative(this.#folders.workspace, path);
    const isInside = inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
    return isInside && !inner.split(sep).includes('node_modules');
  }

  /** Relative to the workspace, with `/`. */
  pathOf(file: string): string {
    return relative(this.#folders.workspace, file).replaceAll('\\', '/');
  }

  /** Where a relative import would look first: the file whose appearance may mend it. */
  expected(specifier: string, importer: string): string {
    return this.pathOf(resolve(dirname(importer), specifier.replace(/\.[cm]?[jt]sx?$/, ''))).concat('.ts');
  }

  #lookUp(specifier: string, importer: string): ts.ResolvedModuleFull | undefined {
    return ts.resolveModuleName(specifier, importer, this.#options, ts.sys).resolvedModule;
  }
}

function library(resolvedFileName: string, extension: ts.Extension): ts.ResolvedModuleFull {
  return { resolvedFileName, extension, isExternalLibraryImport: true };
}
