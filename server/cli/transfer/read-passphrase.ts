import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CliContext } from '../cli-context.ts';
import { fileFailure } from '../cli-failure.ts';

export const PASSPHRASE_VARIABLE = 'HOMEPORT_PASSPHRASE';

/** Reads the passphrase from the named file, else from the variable; undefined when neither is given. */
export async function readPassphrase(
  { env, cwd }: CliContext,
  { passphraseFile }: { passphraseFile?: string },
): Promise<string | undefined> {
  if (passphraseFile === undefined) return env[PASSPHRASE_VARIABLE] || undefined;
  const path = resolve(cwd, passphraseFile);
  try {
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw fileFailure(error, path) ?? error;
  }
}
