import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { FunctionCompiler } from '../../../functions/compiler/function-compiler.ts';
import type { FunctionKind, FunctionLocation } from '../../../functions/compiler/function-path.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import type { Terminal } from '../terminal.ts';
import { requireCompiled } from './compile-project.ts';

/** The function that a command line names. Missing parts are asked for. */
export interface FunctionChoice {
  name?: string | undefined;
  integration?: string | undefined;
  kinds?: FunctionKind[] | undefined;
}

/** Finds the one function of a project that is meant. */
export async function chooseFunction(
  compiler: FunctionCompiler,
  terminal: Terminal,
  { name, integration, kinds }: FunctionChoice,
): Promise<FunctionLocation> {
  const { functions } = await compiler.discover();
  const fitting = functions.filter(
    (one) =>
      (name === undefined || one.name === name) &&
      (integration === undefined || one.integration === integration) &&
      (kinds === undefined || kinds.includes(one.kind)),
  );
  const [only, ...others] = fitting;
  if (!only) throw new CliFailure(notFound(name, integration, functions));
  if (others.length === 0) return only;
  const choices = fitting.map((value) => ({ label: value.path, value }));
  const otherwise =
    name === undefined
      ? 'Say which function to run: homeport dryrun <name> <connection_id>.'
      : `Several functions are called "${name}": ${fitting.map(({ path }) => path).join(', ')}. Choose with --integration.`;
  return terminal.choose('Which one? (number)', choices, otherwise);
}

/** Compiles one function. Ends the command with its errors when it does not compile. */
export async function compileOne(
  compiler: FunctionCompiler,
  terminal: Terminal,
  { path }: FunctionLocation,
): Promise<CompiledFunction> {
  const result = await compiler.compileFile(path);
  const project = result.ok
    ? { functions: [result.compiled], diagnostics: result.compiled.warnings }
    : { functions: [], diagnostics: result.diagnostics };
  const [compiled] = requireCompiled(terminal, project);
  if (!compiled) throw new CliFailure(`${path} holds no function.`, EXIT.compile);
  return compiled;
}

function notFound(name: string | undefined, integration: string | undefined, known: FunctionLocation[]): string {
  const where = integration === undefined ? '' : ` in ${integration}`;
  const elsewhere = known.filter((one) => one.name === name).map((one) => one.integration);
  const candidates = integration === undefined ? known : known.filter((one) => one.integration === integration);
  const names = [...new Set(candidates.map((one) => one.name))].sort();
  const advice =
    elsewhere.length > 0
      ? `It belongs to ${elsewhere.join(', ')}.`
      : names.length === 0
        ? 'There are none yet.'
        : `There are: ${names.join(', ')}.`;
  return `There is no function${name === undefined ? '' : ` "${name}"`}${where}. ${advice}`;
}
