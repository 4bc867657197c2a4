import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CompileDiagnostic,
  fileError,
  OLD_CONFIG,
  OLD_FORMAT,
} from '../../../functions/compiler/compile-diagnostic.ts';
import { type ExaminedFile, examineFile, listSourceFiles } from '../../../functions/compiler/discovery.ts';
import { type FunctionLocation, isSourceFileName, locateFunction } from '../../../functions/compiler/function-path.ts';

export type FunctionFiles = ReturnType<typeof createFunctionFiles>;

/**
 * The files of the workspace that contain functions. The folder is read in full once, then file by file as they change.
 */
export function createFunctionFiles(workspace: string, isKnown: (path: string) => boolean) {
  let examined = new Map<string, Exclude<ExaminedFile, undefined>>();

  function examine(path: string, into = examined): void {
    const file = examineFile(workspace, path, isKnown(path));
    if (file) into.set(path, file);
    else into.delete(path);
  }

  function locationOf(path: string): FunctionLocation | undefined {
    const file = examined.get(path);
    return file && 'location' in file ? file.location : undefined;
  }

  return {
    /** For a folder that is gone; returns the remaining functions, an empty list. */
    clear(): FunctionLocation[] {
      examined.clear();
      return [];
    },
    /**
     * Returns the functions for which `isUnchanged` is false; the others need not be read. A folder that cannot be read
     * throws and changes nothing: its functions are not gone.
     */
    async scan(isUnchanged: (path: string) => Promise<boolean>): Promise<FunctionLocation[]> {
      const found: typeof examined = new Map();
      const changed: FunctionLocation[] = [];
      for await (const path of listSourceFiles(workspace)) {
        const located = locateFunction(path);
        if (located.ok && (await isUnchanged(path))) {
          found.set(path, { location: located.location });
          continue;
        }
        examine(path, found);
        const file = found.get(path);
        if (file && 'location' in file) changed.push(file.location);
      }
      examined = found;
      return changed;
    },
    /** Reads files again that changed, appeared or were removed; a folder path includes everything below it. */
    update(paths: readonly string[]): void {
      for (const path of paths) {
        if (isSourceFileName(path)) examine(path);
        for (const known of examined.keys()) if (known.startsWith(`${path}/`)) examine(known);
      }
    },
    /** As `update`, for files only. */
    updateFiles(paths: Iterable<string>): void {
      for (const path of paths) examine(path);
    },
    functions(): FunctionLocation[] {
      return [...examined.values()].flatMap((file) => ('location' in file ? [file.location] : []));
    },
    has(path: string): boolean {
      return locationOf(path) !== undefined;
    },
    /** Files in places where functions are not loaded, or with unusable names, and the file of the old format. */
    misplaced(): CompileDiagnostic[] {
      const old = existsSync(join(workspace, OLD_CONFIG)) ? [fileError(OLD_CONFIG, 'old_format', OLD_FORMAT)] : [];
      return [...old, ...[...examined.values()].flatMap((file) => ('diagnostic' in file ? [file.diagnostic] : []))];
    },
  };
}
