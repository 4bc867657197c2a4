import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentProgram, Places } from '../../agents/programs/agent-programs.ts';
import { hasErrorCode } from '../../platform/lib/error-code.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { SKILL } from '../project/agent-skill.ts';

/** Where a program reads the skill of Homeport; undefined for one that reads no skills. */
function skillPath(program: AgentProgram, places: Places): string | undefined {
  const folder = program.skills?.(places);
  return folder === undefined ? undefined : join(folder, 'homeport', 'SKILL.md');
}

/** The skill that the program lacks. One that is there, a person's own too, stays as it is. */
export async function missingSkill(program: AgentProgram, places: Places): Promise<string | undefined> {
  const file = skillPath(program, places);
  return file === undefined || (await readIfExists(file)) !== undefined ? undefined : file;
}

export async function writeSkill(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  // Another program may have written it meanwhile.
  await writeFile(file, SKILL, { flag: 'wx' }).catch((error: unknown) => {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
  });
}

/** Removes the skill as it was written. Resolves to its file; undefined when there is none, or a person changed it. */
export async function removeSkill(program: AgentProgram, places: Places): Promise<string | undefined> {
  const file = skillPath(program, places);
  if (file === undefined || (await readIfExists(file)) === undefined) return undefined;
  if ((await readFile(file, 'utf8')) !== SKILL) return undefined;
  await rm(file);
  await rmdir(dirname(file)).catch((error: unknown) => {
    if (!hasErrorCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  });
  return file;
}
