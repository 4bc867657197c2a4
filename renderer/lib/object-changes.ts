export interface ObjectChanges {
  added: string[];
  changed: string[];
  removed: string[];
}

/** Which members differ between two objects; what is inside a member counts as one value. */
export function objectChanges(before: Record<string, unknown>, after: Record<string, unknown>): ObjectChanges {
  const has = (object: Record<string, unknown>, name: string): boolean => Object.hasOwn(object, name);
  const names = Object.keys(after);
  return {
    added: names.filter((name) => !has(before, name)),
    changed: names.filter((name) => has(before, name) && JSON.stringify(before[name]) !== JSON.stringify(after[name])),
    removed: Object.keys(before).filter((name) => !has(after, name)),
  };
}
