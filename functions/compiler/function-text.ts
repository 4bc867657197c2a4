const DEFINER = /\bcreate(?:Sync|Action|OnEvent)\b/;
const DEFAULT_EXPORT = /\bexport\s+default\b|\bas\s+default\b|\bexport\s*\{\s*default\b/;

/**
 * Whether a file is meant to hold a function. In the folders of functions one sign is enough, so that an unfinished
 * function is reported while a helper beside it is not; elsewhere both signs are needed.
 */
export function holdsFunction(text: string, inKindFolder: boolean): boolean {
  return inKindFolder
    ? DEFINER.test(text) || DEFAULT_EXPORT.test(text)
    : DEFINER.test(text) && DEFAULT_EXPORT.test(text);
}
