import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CliContext } from '../cli-context.ts';
import { fileFailure } from '../cli-failure.ts';

export const PASSPHRASE_VARIABLE = 'HOMEPORT_PASSPHRASE';
/** Holds the secret key of the server that `move` goes to. */
export const MOVE_KEY_VARIABLE = 'HOMEPORT_MOVE_KEY';

/** Reads the passphrase from the named file, else from the variable; undefined when neither is given. */
export async function readPassphrase(
  context: CliContext,
  { passphraseFile }: { passphraseFile?: string },
): Promise<string | undefined> {
  if (passphraseFile === undefined) return context.env[PASSPHRASE_VARIABLE] || undefined;
  return readSecretFile(context, passphraseFile);
}

/** The secret in a file, without the line break at its end. */
export async function readSecretFile({ cwd }: CliContext, file: string): Promise<string> {
  const path = resolve(cwd, file);
  try {
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw fileFailure(error, path) ?? error;
  }
}
