import { writeVersionedFolder } from '../../platform/lib/versioned-folder.ts';
import type { Resources } from '../../resources.ts';
import { MARKER, type Project } from './find-project.ts';

/** Folder in which the `tsconfig.json` of a project looks for the types of `'homeport'`. */
export const TYPES_FOLDER = `${MARKER}/types`;

/** Writes the types of this version for the project's editor, unless they are already there. */
export async function writeEditorTypes({ root, hasMarker }: Project, resources: Resources): Promise<void> {
  if (hasMarker) await writeVersionedFolder(root, TYPES_FOLDER, resources.version, () => resources.readSdkTypes());
}
