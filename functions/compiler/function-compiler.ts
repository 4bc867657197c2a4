import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { RawDefinition, SourcePosition } from '../runtime/bridge.ts';
import { type BundleResult, bundleFunction } from './bundle.ts';
import { type EntryDefinition, findDefinition } from './checks/entry-definition.ts';
import { checkSource } from './checks/source-checks.ts';
import type { CompileCache } from './compile-cache.ts';
import { byPosition, type CompileDiagnostic, fileError } from './compile-diagnostic.ts';
import type { CompiledFunction, CompileResult } from './compiled-function.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { DefinitionSource } from './definition/definition-source.ts';
import {
  type Describe,
  type DescribedBundle,
  describedDefinition,
  type ParseFrequency,
} from './definition/describe.ts';
import { readDefinition } from './definition/read-definition.ts';
import { DependencyGraph } from './dependency-graph.ts';
import { type DiscoveredFunctions, discoverFunctions, explainPlace } from './discovery.ts';
import { type FunctionLocation, isSourceFileName, locateFunction } from './function-path.ts';
import { holdsFunction } from './function-text.ts';
import { selectByIndex } from './index-entries.ts';
import type { FunctionFeature, ParsedDefinition } from './parsed-definition.ts';
import type { FileFacts } from './source-facts.ts';
import { type CheckedFile, readText, SourceFiles } from './source-files.ts';

export interface FunctionCompilerOptions {
  /** Path of the workspace, which must exist. */
  workspace: string;
  describe: Describe;
  parseFrequency: ParseFrequency;
  /** Keeps compile results between starts. */
  cache?: CompileCache;
  /** Whether an `index.ts` decides which functions there are (design.md 7.51). Default: folders decide. */
  readsIndex?: boolean;
}

/**
 * Enough files at a time to keep esbuild busy and to describe bundles together, and few enough to need little memory.
 */
const COMPILES_AT_ONCE = 48;

/** Compiles the functions of one workspace independently: an error in one file never blocks another one. */
export class FunctionCompiler {
  readonly #root: string;
  readonly #describe: Describe;
  readonly #parseFrequency: ParseFrequency;
  readonly #files: SourceFiles;
  readonly #graph = new DependencyGraph();
  readonly #cache: CompileCache | undefined;
  readonly #readsIndex: boolean;
  readonly #limit = new ConcurrencyLimit(COMPILES_AT_ONCE);

  constructor({ workspace, describe, parseFrequency, cache, readsIndex = false }: FunctionCompilerOptions) {
    // esbuild reports real paths, and the path of the workspace may contain a link.
    this.#root = realpathSync(workspace);
    this.#describe = describe;
    this.#parseFrequency = parseFrequency;
    this.#cache = cache;
    this.#readsIndex = readsIndex;
    this.#files = new SourceFiles(this.#root);
  }

  /** Finds every function of the workspace, functions in the wrong folder, and those that `index.ts` leaves out. */
  async discover(): Promise<DiscoveredFunctions> {
    const found = await discoverFunctions(this.#root);
    return this.#readsIndex ? selectByIndex(this.#root, found) : found;
  }

  /**
   * Compiles one function. `path` is relative to the workspace, with `/`. With `source` the file need not exist.
   * Problems of the function are part of the result; only a failure of the bundler itself, or an interruption, throws.
   */
  compileFile(path: string, source?: string): Promise<CompileResult> {
    return this.#limit.run(async () => {
      const text = source ?? readText(join(this.#root, path));
      const located = locateFunction(path);
      if (!located.ok) return failed(path, [explainPlace(located.diagnostic, text)]);
      if (text === undefined) return this.#unused(path, [fileError(path, 'no_file', 'The file cannot be read.')]);
      if (!holdsFunction(text, true)) return this.#unused(path, []);
      return (await this.#findCached(path, text)) ?? (await this.#compile(located.location, text));
    });
  }

  /**
   * Functions to compile again or to remove after files were changed, created or deleted. All paths are relative to the
   * workspace.
   */
  affectedBy(changedPaths: readonly string[]): string[] {
    for (const path of changedPaths) this.#files.forget(join(this.#root, path));
    const functions = changedPaths.filter((path) => isSourceFileName(path) && locateFunction(path).ok);
    return [...new Set([...functions, ...this.#graph.entriesReading(changedPaths)])].sort();
  }

  /** Removes a function, which `affectedBy` then no longer returns. */
  forget(path: string): void {
    this.#graph.forget(path);
  }

  #unused(path: string, diagnostics: CompileDiagnostic[]): CompileResult {
    this.#graph.remember(path, []);
    return failed(path, diagnostics);
  }

  async #findCached(path: string, text: string): Promise<CompileResult | undefined> {
    const cached = await this.#cache?.find(path, text);
    if (!cached) return undefined;
    this.#graph.remember(path, [...cached.stems, ...cached.compiled.inputs]);
    return { ok: true, compiled: cached.compiled };
  }

  async #compile(location: FunctionLocation, text: string): Promise<CompileResult> {
    const entryPath = join(this.#root, location.path);
    const entry = this.#files.parse(entryPath, text);
    const { bundle, imported, importedStems } = await this.#bundle(location, entryPath, text);
    const found = findDefinition(entry.file);
    const sourceDiagnostics = [...checkSource(entry, true), ...imported.flatMap((file) => file.diagnostics)];
    const diagnostics = [
      ...bundleErrors(bundle, sourceDiagnostics),
      ...(found.ok || entry.file.syntaxErrors.length > 0 ? [] : [found.diagnostic]),
      ...sourceDiagnostics,
    ];
    // Its import and its folder are refused too, for the same reason.
    if (!found.ok && found.diagnostic.code === 'create_function_unsupported')
      return failed(location.path, [found.diagnostic]);
    if (!bundle.ok || !found.ok || hasErrors(diagnostics)) return failed(location.path, diagnostics);
    const result = await this.#define(location, entry, found.definition, bundle, diagnostics);
    const texts = new Map(imported.map((file) => [file.path, file.text]));
    if (result.ok) this.#cache?.store(result.compiled, importedStems, texts);
    return result;
  }

  async #bundle(location: FunctionLocation, entry: string, text: string): Promise<BundledFunction> {
    const imported = new Map<string, CheckedFile>();
    const importedStems = new Set<string>();
    const bundle = await bundleFunction({
      root: this.#root,
      entry,
      fileName: bundleFileName(location),
      onImport: (stem) => {
        importedStems.add(this.#files.pathOf(stem));
        // Recorded at once, because a file may change while it is compiled.
        this.#graph.add(location.path, this.#files.pathOf(stem));
      },
      load: async (path) => {
        if (path === entry) return text;
        const file = this.#files.imported(path);
        if (file) imported.set(path, file);
        return file?.text;
      },
    });
    this.#graph.remember(location.path, [...importedStems, ...(bundle.ok ? bundle.inputs : [])]);
    return { bundle, imported: [...imported.values()], importedStems: [...importedStems] };
  }

  async #define(
    location: FunctionLocation,
    entry: FileFacts,
    site: EntryDefinition,
    bundle: BundleResult & { ok: true },
    warnings: CompileDiagnostic[],
  ): Promise<CompileResult> {
    const source = new DefinitionSource(entry.file, site);
    const { code, hash } = bundle;
    const described = await this.#readRaw({ hash, code, fileName: bundleFileName(location) });
    if (!described.ok) {
      const unreadable = source.error('definition_unreadable', described.message, '');
      return failed(location.path, [...warnings, { ...unreadable, ...described.position }]);
    }
    const { raw } = described;
    const features = featuresOf(entry);
    const read = readDefinition({ location, raw, source, features, parseFrequency: this.#parseFrequency });
    const diagnostics = [...warnings, ...read.diagnostics];
    if (!read.definition || hasErrors(diagnostics)) return failed(location.path, diagnostics);
    const { text } = entry.file;
    const parts = {
      location,
      source: text,
      bundle,
      definition: read.definition,
      warnings: diagnostics.sort(byPosition),
    };
    return { ok: true, compiled: assembleCompiled(parts) };
  }

  async #readRaw(bundle: DescribedBundle): Promise<RawResult> {
    try {
      const raw = describedDefinition.safeParse(await this.#describe(bundle));
      if (raw.success) return { ok: true, raw: raw.data };
      const [issue] = raw.error.issues;
      const reason = `${issue?.path.join('.') || 'it'} has an unexpected form (${issue?.message})`;
      return { ok: false, message: `The definition cannot be read: ${reason}.`, position: undefined };
    } catch (error) {
      const {
        message: reason,
        position,
        isInterrupted = false,
      } = error instanceof Error ? (error as UnreadableError) : { message: String(error) };
      if (isInterrupted) throw error;
      // The module threw while loading, or has no definition. The author must fix this, so it becomes a diagnostic.
      return { ok: false, message: `The definition cannot be read: ${reason}`, position };
    }
  }
}

interface BundledFunction {
  bundle: BundleResult;
  /** Files that the entry imports, directly or indirectly. */
  imported: CheckedFile[];
  /** Stems that relative imports looked for, found or not. */
  importedStems: string[];
}

type UnreadableError = Error & { position?: SourcePosition; isInterrupted?: boolean };
type RawResult =
  | { ok: true; raw: RawDefinition }
  | { ok: false; message: string; position: SourcePosition | undefined };

/** Both the parser and the bundler report a syntax error; the parser's message is kept. */
function bundleErrors(bundle: BundleResult, found: CompileDiagnostic[]): CompileDiagnostic[] {
  if (bundle.ok) return [];
  const broken = new Set(found.filter(({ code }) => code === 'failed_to_build_unknown').map(({ file }) => file));
  return bundle.diagnostics.filter(({ file }) => !broken.has(file));
}

function hasErrors(diagnostics: CompileDiagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

function failed(path: string, diagnostics: CompileDiagnostic[]): CompileResult {
  return { ok: false, path, diagnostics: diagnostics.sort(byPosition) };
}

const CHECKPOINT_METHODS = new Set(['getCheckpoint', 'saveCheckpoint', 'clearCheckpoint']);

interface CompiledParts {
  location: FunctionLocation;
  source: string;
  bundle: { code: string; hash: string; inputs: string[] };
  definition: ParsedDefinition;
  warnings: CompileDiagnostic[];
}

function assembleCompiled({ location, source, bundle, definition, warnings }: CompiledParts): CompiledFunction {
  return {
    ...location,
    source,
    bundle: bundle.code,
    bundleHash: bundle.hash,
    bundleFileName: bundleFileName(location),
    inputs: bundle.inputs,
    definition,
    warnings,
  };
}

function bundleFileName({ name, integration }: FunctionLocation): string {
  return `${name}-${integration}.cjs`;
}

/** Features of the entry file that the runtime must know before the run. */
function featuresOf({ nangoCalls }: FileFacts): FunctionFeature[] {
  return nangoCalls.some(({ method }) => CHECKPOINT_METHODS.has(method)) ? ['checkpoints'] : [];
}
