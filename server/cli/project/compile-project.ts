import type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { FunctionCompiler } from '../../../functions/compiler/function-compiler.ts';
import type { FunctionLocation } from '../../../functions/compiler/function-path.ts';
import { checkIntegration } from '../../../functions/compiler/integration-checks.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import type { Terminal } from '../terminal.ts';

export interface CompiledProject {
  functions: CompiledFunction[];
  /** Errors and warnings, by file. */
  diagnostics: CompileDiagnostic[];
}

/** Compiles every function that `takes` accepts, and checks what must be unique in an integration. */
export async function compileProject(
  compiler: FunctionCompiler,
  takes: (location: FunctionLocation) => boolean = () => true,
): Promise<CompiledProject> {
  const discovered = await compiler.discover();
  const results = await Promise.all(discovered.functions.filter(takes).map(({ path }) => compiler.compileFile(path)));
  const functions = results.flatMap((result) => (result.ok ? [result.compiled] : []));
  const ofFiles = results.flatMap((result) => (result.ok ? result.compiled.warnings : result.diagnostics));
  const integrations = Map.groupBy(functions, ({ integration }) => integration);
  const clashes = [...integrations.values()].flatMap(checkIntegration);
  return { functions, diagnostics: [...discovered.diagnostics, ...ofFiles, ...clashes] };
}

/** Whether a diagnostic makes a command fail. Type errors do, although they do not block a deploy (design.md 7.9). */
export function isFailing({ severity }: CompileDiagnostic): boolean {
  return severity === 'error';
}

/** Prints one line each, errors last, so that they are visible without scrolling. */
export function reportDiagnostics(terminal: Terminal, diagnostics: CompileDiagnostic[]): void {
  const { colors } = terminal;
  for (const one of diagnostics.toSorted((a, b) => Number(isFailing(a)) - Number(isFailing(b)))) {
    const rule = one.typescriptCode ?? one.code;
    // This one names no rule.
    const code = rule === 'failed_to_build_unknown' ? undefined : rule;
    const kind = isFailing(one) ? colors.red('error') : colors.yellow('warning');
    terminal.note(
      `${one.file}:${one.line}:${one.column} ${kind} ${one.message}${code === undefined ? '' : ` ${colors.dim(code)}`}`,
    );
  }
}

/** Ends the command when a function does not compile. */
export function requireCompiled(terminal: Terminal, { functions, diagnostics }: CompiledProject): CompiledFunction[] {
  reportDiagnostics(terminal, diagnostics);
  const failing = diagnostics.filter(isFailing);
  if (failing.length === 0) return functions;
  const files = new Set(failing.map(({ file }) => file)).size;
  throw new CliFailure(
    `${count(failing.length, 'error')} in ${count(files, 'file')}. Fix them and try again.`,
    EXIT.compile,
    { code: 'compilation_error', diagnostics },
  );
}

export function count(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? '' : 's'}`;
}
