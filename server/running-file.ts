import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a running server leaves in its data folder for commands of the same user (`homeport open`). */
export interface RunningServer {
  address: string;
  /** Proves that the caller can read the data folder; new at every start. */
  controlKey: string;
}

/** Header that carries the control key. */
export const CONTROL_HEADER = 'x-homeport-control';

const pathIn = (home: string): string => join(home, 'server.json');

export async function writeRunningFile(home: string, server: RunningServer): Promise<void> {
  // Removed first: `mode` counts only for a file that is made anew.
  await rm(pathIn(home), { force: true });
  await writeFile(pathIn(home), JSON.stringify(server), { mode: 0o600, flag: 'wx' });
}

export function removeRunningFile(home: string): Promise<void> {
  return rm(pathIn(home), { force: true });
}

/** A new sign-in link from the server that runs on this data folder; undefined when none does. */
export async function askForSignInLink(home: string): Promise<string | undefined> {
  try {
    const { address, controlKey } = JSON.parse(await readFile(pathIn(home), 'utf8')) as RunningServer;
    const response = await fetch(`${address}/api/v1/sign-in-links`, {
      method: 'POST',
      headers: { [CONTROL_HEADER]: controlKey },
    });
    return response.ok ? ((await response.json()) as { url: string }).url : undefined;
  } catch (error) {
    // No file: it never ran here or stopped. No answer: it died.
    if (error instanceof TypeError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return undefined;
    throw error;
  }
}
