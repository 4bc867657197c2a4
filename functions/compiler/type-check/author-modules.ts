import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';
import { API_TYPES_FILE, UNTYPED_SDK } from '../api-types-file.ts';
import type { TypeCheckPaths } from './type-check-result.ts';

/** Names under which authors import the SDK's types. The last one is used by older functions, for types only. */
const SDK_NAMES = new Set(['homeport', 'nango', '@nangohq/runner-sdk']);
/** Declared in the SDK's ambient files, with the members that exist in the isolate: fewer than in Node. */
const AMBIENT_MODULES = new Set(['crypto', 'node:crypto', 'url', 'node:url']);
const AMBIENT_FILES = ['guest-globals.d.ts', 'guest-modules.d.ts'];

/** Resolves imports. The SDK and zod are always those of the installation, whatever the workspace has installed. */
export class AuthorModules {
  readonly #folders: TypeCheckPaths;
  readonly #options: ts.CompilerOptions;
  readonly #sdk: ts.ResolvedModuleFull;
  readonly #zod: ts.ResolvedModuleFull;
  /** Files of the installation never change, so their imports are resolved only once. */
  readonly #known = new Map<string, ts.ResolvedModuleFull | undefined>();

  constructor(folders: TypeCheckPaths, options: ts.CompilerOptions) {
    this.#folders = folders;
    this.#options = options;
    this.#sdk = library(join(folders.sdkFolder, 'sdk.ts'), ts.Extension.Ts);
    const zod = createRequire(import.meta.url).resolve('zod/package.json');
    this.#zod = library(join(dirname(zod), 'index.d.ts'), ts.Extension.Dts);
  }

  /** Files that declare globals. */
  get ambientFiles(): string[] {
    return AMBIENT_FILES.map((name) => join(this.#folders.sdkFolder, 'ambient', name));
  }

  find(specifier: string, importer: string): ts.ResolvedModuleFull | undefined {
    if (specifier === UNTYPED_SDK) return this.#sdk;
    if (SDK_NAMES.has(specifier)) return this.#typedSdk(importer) ?? this.#sdk;
    if (specifier === 'zod') return this.#zod;
    if (AMBIENT_MODULES.has(specifier)) return undefined;
    if (this.holds(importer)) return this.#lookUp(specifier, importer);
    const key = `${dirname(importer)}\n${specifier}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#lookUp(specifier, importer));
    return this.#known.get(key);
  }

  /** Whether a file belongs to the author. */
  holds(path: string): boolean {
    const inner = relative(this.#folders.workspace, path);
    const isInside = inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
    return isInside && !inner.split(sep).includes('node_modules');
  }

  /** Returns the path relative to the workspace, with `/`. */
  pathOf(file: string): string {
    return relative(this.#folders.workspace, file).replaceAll('\\', '/');
  }

  /** The file where a relative import would look first. If this file is created, the import may work. */
  expected(specifier: string, importer: string): string {
    return this.pathOf(resolve(dirname(importer), specifier.replace(/\.[cm]?[jt]sx?$/, ''))).concat('.ts');
  }

  /** For an import of the SDK: the file that would know the integration's API, when there is none. */
  missingApiTypes(specifier: string, importer: string): string | undefined {
    if (!SDK_NAMES.has(specifier) || this.#typedSdk(importer)) return undefined;
    return this.pathOf(this.#apiTypesOf(importer));
  }

  /** The SDK with the types of the integration's API, when its folder has them. */
  #typedSdk(importer: string): ts.ResolvedModuleFull | undefined {
    if (!this.holds(importer)) return undefined;
    const path = this.#apiTypesOf(importer);
    if (path === importer || !ts.sys.fileExists(path)) return undefined;
    return { resolvedFileName: path, extension: ts.Extension.Dts };
  }

  #apiTypesOf(importer: string): string {
    const [integration = ''] = this.pathOf(importer).split('/');
    return join(this.#folders.workspace, integration, API_TYPES_FILE);
  }

  #lookUp(specifier: string, importer: string): ts.ResolvedModuleFull | undefined {
    return ts.resolveModuleName(specifier, importer, this.#options, ts.sys).resolvedModule;
  }
}

function library(resolvedFileName: string, extension: ts.Extension): ts.ResolvedModuleFull {
  return { resolvedFileName, extension, isExternalLibraryImport: true };
}
