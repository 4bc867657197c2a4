import { constants, copyFile, mkdir, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { hasErrorCode } from '../../platform/lib/error-code.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { type AgentProgram, ENTRY_NAME, type Places, type Reach } from './agent-programs.ts';
import { ConfigProblem, type EntryPath, readEntry, withEntry, withoutEntry } from './config-entry.ts';

/** The configuration of a program on this computer, as it is now. */
export interface ProgramFile {
  program: AgentProgram;
  file: string;
  /** Undefined: there is no such file yet. */
  text: string | undefined;
  path: EntryPath;
  /** The last part of it. */
  name: string;
  /** Our entry; undefined when it has none. */
  entry: unknown;
}

/** `name`: of the entry. */
export async function readProgramFile(
  program: AgentProgram,
  places: Places,
  name: string = ENTRY_NAME,
): Promise<ProgramFile> {
  const files = program.files(places);
  for (const file of files) {
    const text = await readIfExists(file);
    if (text !== undefined) return open(program, file, text, name);
  }
  return open(program, files[0] ?? '', undefined, name);
}

/** A file that cannot be read does not hide the other programs: it has a problem in words. */
export async function readProgramFileSafely(
  program: AgentProgram,
  places: Places,
): Promise<ProgramFile | { program: AgentProgram; file: string; problem: string }> {
  try {
    return await readProgramFile(program, places);
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    return { program, file: program.files(places)[0] ?? '', problem: error.message };
  }
}

function open(program: AgentProgram, file: string, text: string | undefined, name: string): ProgramFile {
  const holds = (name: string): unknown => readEntry(text ?? '', program.format, [name]);
  return inFile(file, () => {
    const [first, ...below] = program.path(holds);
    const path: EntryPath = [first, ...below.slice(0, -1), name];
    return { program, file, text, path, name, entry: readEntry(text ?? '', program.format, path) };
  });
}

/** The text of the file with our entry, or without it. Text that already says so stays as it is. */
export function changedText(of: ProgramFile, reach: Reach | undefined): string {
  const { program, file, text = '', path, entry } = of;
  if (reach !== undefined && isDeepStrictEqual(entry, entryOfProgram(of, reach))) return text;
  return inFile(file, () =>
    reach === undefined
      ? withoutEntry(text, program.format, path)
      : withEntry(text, program.format, path, entryOfProgram(of, reach)),
  );
}

/** What a person can put into the file by hand. */
export function snippet(of: ProgramFile, reach: Reach): string {
  return withEntry('', of.program.format, of.path, entryOfProgram(of, reach));
}

/** Some programs repeat the name within the entry. */
function entryOfProgram({ name, program }: Pick<ProgramFile, 'name' | 'program'>, reach: Reach): object {
  const entry = program.entry(reach);
  return 'name' in entry ? { ...entry, name } : entry;
}

/**
 * Writes the file after a copy of it, which it resolves to; an unchanged text writes nothing. Refuses when the file is not any more what was read. Links
 * and modes stay; a new file is for its owner only, because it may hold the token of a session.
 */
export async function writeProgramFile(
  { file, text }: Pick<ProgramFile, 'file' | 'text'>,
  changed: string,
  now: Date,
): Promise<string | undefined> {
  if (changed === text) return undefined;
  if ((await readIfExists(file)) !== text)
    throw new ConfigProblem(`${file}: It was changed meanwhile. Run the command again.`);
  await mkdir(dirname(file), { recursive: true });
  const target = text === undefined ? file : await realpath(file);
  const mode = text === undefined ? 0o600 : (await stat(target)).mode & 0o777;
  const backup = text === undefined ? undefined : await backUp(target, now);
  const part = `${target}.part`;
  await writeFile(part, changed, { mode });
  await rename(part, target);
  return backup;
}

/** A copy beside the file, which replaces no earlier one. */
async function backUp(file: string, now: Date): Promise<string> {
  const time = now.toISOString().replace(/[-:]/g, '').slice(0, 15);
  for (let count = 1; ; count += 1) {
    const backup = `${file}.${time}${count === 1 ? '' : `-${count}`}.bak`;
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
    }
  }
}

function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    throw new ConfigProblem(`${file}: ${error.message}`);
  }
}

/** What an entry that we wrote says; undefined when somebody else wrote it. */
export function reachOf(entry: unknown): { access: 'sign-in' | 'session' | 'command'; sessionId?: string } | undefined {
  const text = JSON.stringify(entry ?? null);
  const session = /\/session\/([\w-]+)\/mcp"/.exec(text)?.[1];
  if (session !== undefined) return { access: 'session', sessionId: session };
  if (/\/agents\/mcp"/.test(text)) return { access: 'sign-in' };
  return text.includes('"agents","stdio"') ? { access: 'command' } : undefined;
}
