import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isFunctionFolder } from '../../../functions/compiler/discovery.ts';
import { type FunctionLocation, locateFunction } from '../../../functions/compiler/function-path.ts';
import { newFunction } from '../../../functions/compiler/new-function.ts';
import { readInside, writeInside } from '../../platform/lib/files-inside.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';

/** In characters. A person must be able to read what is deployed. */
const MAX_SOURCE_LENGTH = 60_000;

const MAX_RECORDING_BYTES = 20 * 1024 * 1024;

export type DraftFiles = ReturnType<typeof createDraftFiles>;

/**
 * Files of functions that agents write (agents.md 13). They are outside the functions folder, where saving would deploy
 * them.
 */
export function createDraftFiles(folder: string) {
  async function rootOf(environmentId: number): Promise<string> {
    const root = join(folder, String(environmentId));
    await mkdir(root, { recursive: true });
    return root;
  }

  return {
    /** What a path means. Throws `forbidden` for every path that is not one of a function. */
    locate(path: string): FunctionLocation {
      const located = locateFunction(path);
      if (!located.ok) throw new HomeportError('forbidden', located.diagnostic.message);
      const { integration } = located.location;
      if (isFunctionFolder(integration)) return located.location;
      throw new HomeportError('forbidden', `"${integration}" cannot be the name of a folder with functions.`);
    },
    async read(environmentId: number, path: string): Promise<string | undefined> {
      return readInside(await rootOf(environmentId), path);
    },
    async write(environmentId: number, path: string, text: string): Promise<void> {
      if (text.length > MAX_SOURCE_LENGTH)
        throw new HomeportError(
          'request_too_large',
          `A function has at most ${MAX_SOURCE_LENGTH.toLocaleString('en')} characters, so that a person can read it. Divide it.`,
        );
      await writeInside(await rootOf(environmentId), path, text);
    },
    /** `path` as `fixturePath` gives it. */
    async readRecording(environmentId: number, path: string): Promise<string | undefined> {
      return readInside(await rootOf(environmentId), path, MAX_RECORDING_BYTES);
    },
    async writeRecording(environmentId: number, path: string, text: string): Promise<void> {
      await writeInside(await rootOf(environmentId), path, text);
    },
    /** A file to start from. */
    starter: ({ kind, name }: Pick<FunctionLocation, 'kind' | 'name'>): string => newFunction(kind, name),
  };
}

export type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
export type { FunctionLocation } from '../../../functions/compiler/function-path.ts';
