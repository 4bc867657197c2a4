import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { type BuildFailure, type BuildOptions, type BuildResult, build, type Message, stop } from 'esbuild';
import { type CompileDiagnostic, fileError } from './compile-diagnostic.ts';
import { workspacePlugin } from './workspace-plugin.ts';

export interface BundleRequest {
  /** Real path of the workspace. */
  root: string;
  /** Absolute path of the entry. */
  entry: string;
  fileName: string;
  load: (path: string) => Promise<string | undefined>;
  onImport: (stem: string) => void;
}

export type BundleResult =
  | { ok: true; code: string; hash: string; inputs: string[] }
  | { ok: false; diagnostics: CompileDiagnostic[] };

/**
 * Bundles a function into one CommonJS file: relative imports are inlined, all others stay as `require`. The result
 * depends only on the sources and not on the path of the workspace, so its hash shows whether anything changed.
 */
export async function bundleFunction({ root, entry, fileName, load, onImport }: BundleRequest): Promise<BundleResult> {
  try {
    const result = await buildInLiveProcess({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile: fileName,
      bundle: true,
      write: false,
      metafile: true,
      format: 'cjs',
      platform: 'node',
      target: 'esnext',
      sourcemap: 'inline',
      sourcesContent: true,
      treeShaking: true,
      charset: 'utf8',
      logLevel: 'silent',
      // The author's tsconfig is for the editor only; a bundle does not depend on it. Modules are strict, so the bundle
      // is strict.
      tsconfigRaw: { compilerOptions: { alwaysStrict: true } },
      plugins: [workspacePlugin({ root, load, onImport })],
    });
    const code = result.outputFiles.find(({ path }) => path.endsWith('.cjs'))?.text ?? '';
    const inputs = Object.keys(result.metafile.inputs).filter((input) => !input.startsWith('homeport:'));
    return { ok: true, code, hash: createHash('sha256').update(code).digest('hex'), inputs: inputs.sort() };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    const entryPath = relative(root, entry).replaceAll('\\', '/');
    return { ok: false, diagnostics: error.errors.map((message) => toDiagnostic(message, entryPath)) };
  }
}

type FunctionBuild = BuildOptions & { write: false; metafile: true };

/**
 * Number of ended esbuild processes that were noticed, so that builds that failed together start only one new process.
 */
let lostProcesses = 0;
/** Builds under way, and what ends the idle process: it holds 16 MB, and starts again in a few hundredths of a second. */
let running = 0;
let rest: NodeJS.Timeout | undefined;
/** Since the process was idle for the last time. */
let builds = 0;
const REST_MS = 60_000;
/** After more builds nobody is editing a file, and the process holds half as much again. */
const MOST_WARM = 100;
const SHORT_REST_MS = 1_000;

/**
 * The esbuild process may end during a build: Ctrl-C reaches every process of a terminal, and the system ends processes
 * when memory is short. esbuild itself would then refuse every further build, so the build is repeated with a new
 * process.
 */
async function buildInLiveProcess(options: FunctionBuild): Promise<BuildResult<FunctionBuild>> {
  const before = lostProcesses;
  clearTimeout(rest);
  running += 1;
  builds += 1;
  try {
    return await build<FunctionBuild>(options);
  } catch (error) {
    if (!(error instanceof Error) || !/^The service (was stopped|is no longer running)/.test(error.message))
      throw error;
    if (lostProcesses === before) {
      lostProcesses += 1;
      await stop();
    }
    return await build<FunctionBuild>(options);
  } finally {
    running -= 1;
    if (running === 0) rest = setTimeout(() => void endIdle(), builds > MOST_WARM ? SHORT_REST_MS : REST_MS).unref();
  }
}

function endIdle(): Promise<void> {
  builds = 0;
  return stop();
}

/** Replaces esbuild's own message, which is about output formats. */
const TOP_LEVEL_AWAIT = 'A function file cannot wait while it is loaded. Move the await into exec.';

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

function toDiagnostic({ text, location, detail }: Message, entryPath: string): CompileDiagnostic {
  const code = detail === 'disallowed_import' ? detail : 'failed_to_build_unknown';
  const message = text.startsWith('Top-level await') ? TOP_LEVEL_AWAIT : text;
  if (!location) return fileError(entryPath, code, message);
  // esbuild counts columns from 0, in UTF-8 bytes.
  const before = Buffer.from(location.lineText).subarray(0, location.column).toString();
  return { ...fileError(location.file, code, message), line: location.line, column: before.length + 1 };
}
