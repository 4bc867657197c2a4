import { readdir, readFile } from 'node:fs/promises';
import { hasErrorCode } from './error-code.ts';

/** The text of a file; undefined when the file does not exist. */
export function readIfExists(path: string): Promise<string | undefined> {
  return unlessMissing(readFile(path, 'utf8'));
}

/** Names in a folder; empty when the folder does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await unlessMissing(readdir(folder))) ?? [];
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}
