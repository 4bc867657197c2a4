import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorCodeOf } from '../../lib/error-code.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { jsonErrorPosition } from '../../lib/parse-json.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';

/** Parses the value of an option such as `--input`: JSON, or `@path/to/file.json` (functions.md 8.2). */
export async function readJsonArgument(option: string, text: string, cwd: string): Promise<unknown> {
  const source = text.startsWith('@') ? await readNamedFile(option, resolve(cwd, text.slice(1))) : text;
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
export async function readObjectArgument(option: string, text: string, cwd: string): Promise<Record<string, unknown>> {
  const value = await readJsonArgument(option, text, cwd);
  if (isJsonObject(value)) return value;
  throw new CliFailure(`${option} takes an object, for example '{"key": "value"}'.`, EXIT.usage);
}

async function readNamedFile(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === undefined) throw error;
    throw new CliFailure(`${option}: the file ${path} cannot be read.`, EXIT.usage);
  }
}
