import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { jsonErrorPosition } from '../../platform/lib/parse-json.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT, fileFailure } from '../cli-failure.ts';

type Sources = Pick<CliContext, 'cwd' | 'terminal'>;

/**
 * Parses the value of an option such as `--input`: JSON, `@path/to/file.json` (functions.md 8.2), or `@-` for standard
 * input.
 */
export async function readJsonArgument(option: string, text: string, from: Sources): Promise<unknown> {
  const source = text.startsWith('@') ? await readNamedSource(option, text.slice(1), from) : text;
  try {
    return JSON.parse(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliFailure(
      `${option} is not JSON${jsonErrorPosition(error)}. Put it in single quotes, or write it to a file and pass @file.json.`,
      EXIT.usage,
    );
  }
}

/** The same for options that take an object. */
export async function readObjectArgument(
  option: string,
  text: string,
  from: Sources,
): Promise<Record<string, unknown>> {
  const value = await readJsonArgument(option, text, from);
  if (isJsonObject(value)) return value;
  throw new CliFailure(`${option} takes an object, for example '{"key": "value"}'.`, EXIT.usage);
}

/** The text of a file, or of standard input for `-`. */
export async function readNamedSource(option: string, name: string, { cwd, terminal }: Sources): Promise<string> {
  if (name === '-') return terminal.readInput();
  const path = resolve(cwd, name);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const problem = fileFailure(error, path);
    if (!problem) throw error;
    throw new CliFailure(`${option}: ${problem.message}`, EXIT.usage);
  }
}
