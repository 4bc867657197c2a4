import type { ShapeChange } from './dry-run/compare-shapes.ts';

/** A change with the functions that it concerns. */
export interface WatchedChange extends ShapeChange {
  /** Those that name the field in their code; when none does, those that send the request. */
  functions: string[];
  /** Whether `functions` name the field. */
  isRead: boolean;
}

/** Adds what the recording of a function shows. The same change of several recordings is one. */
export function addChanges(
  all: WatchedChange[],
  found: readonly ShapeChange[],
  { bundle, name }: { bundle: string; name: string },
): void {
  for (const change of found) {
    const isRead = isNamed(bundle, change.field);
    const known = all.find((one) => one.request === change.request && one.field === change.field);
    if (!known) all.push({ ...change, functions: [name], isRead });
    else if (known.isRead === isRead) known.functions = [...new Set([...known.functions, name])].sort();
    else if (isRead) Object.assign(known, { functions: [name], isRead });
  }
}

/** Whether code has the last name of a path such as `data[].user.name` as a word. */
function isNamed(code: string, field: string): boolean {
  const name = field.split(/[.[\]]+/).findLast((part) => part !== '') ?? '';
  if (name === '') return false;
  for (let at = code.indexOf(name); at !== -1; at = code.indexOf(name, at + 1)) {
    const around = `${code[at - 1] ?? ' '}${code[at + name.length] ?? ' '}`;
    if (!/[\w$]/.test(around)) return true;
  }
  return false;
}
