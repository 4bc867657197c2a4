/** `createFunction` is found to be refused with a sentence of its own. */
const DEFINER = /\bcreate(?:Sync|Action|OnEvent|Function)\b/;
const DEFAULT_EXPORT = /\bexport\s+default\b|\bas\s+default\b|\bexport\s*\{\s*default\b/;
const EXPORT = /\bexport\b/;
export const COMMENTS = /\/\*[\s\S]*?(?:\*\/|$)|\/\/.*/g;

/**
 * Whether a file is meant to contain a function. In the folders of functions one sign is enough: an unfinished function
 * is reported, while a helper file with other exports is not, and a file without exports counts as an unfinished
 * function. In other folders both signs are needed.
 */
export function holdsFunction(text: string, inKindFolder: boolean): boolean {
  const hasDefiner = DEFINER.test(text);
  const hasDefault = DEFAULT_EXPORT.test(text);
  if (!inKindFolder) return hasDefiner && hasDefault;
  return hasDefiner || hasDefault || !EXPORT.test(text.replace(COMMENTS, ''));
}
