import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { writeProjectFile } from '../../platform/lib/write-new-file.ts';
import type { Resources } from '../../resources.ts';
import { MARKER, type Project } from './find-project.ts';

/** Folder in which the `tsconfig.json` of a project looks for the types of `'homeport'`. */
export const TYPES_FOLDER = `${MARKER}/types`;
const VERSION_FILE = `${TYPES_FOLDER}/version`;

/** Writes the types of this version for the project's editor, unless they are already there. */
export async function writeEditorTypes({ root, hasMarker }: Project, resources: Resources): Promise<void> {
  const { version } = resources;
  if (!hasMarker || (await readIfExists(join(root, VERSION_FILE))) === version) return;
  await rm(join(root, TYPES_FOLDER), { recursive: true, force: true });
  for (const [name, text] of Object.entries(await resources.readSdkTypes()))
    await writeProjectFile(root, `${TYPES_FOLDER}/${name}`, text);
  // Written last, so that an interrupted update is repeated.
  await writeProjectFile(root, VERSION_FILE, version);
}
