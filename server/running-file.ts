import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfExists } from './platform/lib/read-if-exists.ts';
import { NoAnswerError, requestText, type TextResponse } from './platform/lib/request-text.ts';

/** What a running server writes to its data folder for commands of the same user (`homeport open`). */
export interface RunningServer {
  address: string;
  /** Proves that the caller can read the data folder; new at every start. */
  controlKey: string;
  /** Process id and start; absent in files of older versions. */
  pid?: number;
  startedAt?: string;
}

/** Header that carries the control key. */
export const CONTROL_HEADER = 'x-homeport-control';

/** In the data folder: where the program is that was started last on this computer. */
export const PROGRAM_FILE = 'program.json';

const pathIn = (home: string): string => join(home, 'server.json');

export async function writeRunningFile(home: string, server: RunningServer): Promise<void> {
  // Renamed when it is complete: a command may read it at any time, also after a kill.
  const next = `${pathIn(home)}.next`;
  // Removed first, because `mode` applies only when the file is created.
  await rm(next, { force: true });
  await writeFile(next, JSON.stringify(server), { mode: 0o600, flag: 'wx' });
  await rename(next, pathIn(home));
}

export function removeRunningFile(home: string): Promise<void> {
  return rm(pathIn(home), { force: true });
}

/** The server that uses this data folder, or that crashed there; undefined when the file does not exist. */
export async function readRunningFile(home: string): Promise<RunningServer | undefined> {
  const text = await readIfExists(pathIn(home));
  if (text === undefined) return undefined;
  const running = JSON.parse(text) as RunningServer;
  // A hub listens on this computer only: a file from another computer must not make commands send keys there.
  return /^http:\/\/127\.0\.0\.1:\d+$/.test(running.address) ? running : undefined;
}

/** Asks the server on this data folder for a new login link; undefined when no server runs. */
export async function requestLoginLink(home: string): Promise<string | undefined> {
  const response = await callControl(home, '/api/v1/login-links');
  return response && isOk(response) ? (JSON.parse(response.text) as { url: string }).url : undefined;
}

/** Tells the server on this data folder to stop or to start again; undefined when no server runs. */
export function requestEnd(home: string, how: 'stop' | 'restart'): Promise<TextResponse | undefined> {
  return callControl(home, `/api/v1/control/${how}`);
}

const isOk = ({ status }: TextResponse): boolean => status >= 200 && status < 300;

async function callControl(home: string, path: string): Promise<TextResponse | undefined> {
  const running = await readRunningFile(home);
  if (!running) return undefined;
  try {
    return await requestText(`${running.address}${path}`, {
      method: 'POST',
      headers: { [CONTROL_HEADER]: running.controlKey },
    });
  } catch (error) {
    // The server has ended.
    if (error instanceof NoAnswerError) return undefined;
    throw error;
  }
}

/** Notes where this program is, for the command of projects. */
export async function noteProgram(home: string, launcher: string): Promise<void> {
  const path = join(home, PROGRAM_FILE);
  await mkdir(home, { recursive: true, mode: 0o700 });
  // Renamed when it is complete: a project may read it at any time.
  const next = `${path}.${process.pid}.next`;
  await writeFile(next, `${JSON.stringify({ launcher })}\n`, { mode: 0o600 });
  await rename(next, path);
}
