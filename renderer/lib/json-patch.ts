interface Change {
  path: string;
  kind: 'added' | 'removed' | 'changed';
  to?: unknown;
}

const OPERATIONS = { added: 'add', removed: 'remove', changed: 'replace' } as const;

/**
 * The changes as a JSON Patch (RFC 6902). Removals come last and from the end of a list: removing an element moves those
 * after it.
 */
export function toJsonPatch(changes: readonly Change[]): string {
  const steps = changes.map(({ path, kind, to }) => ({
    op: OPERATIONS[kind],
    path,
    ...(kind === 'removed' ? {} : { value: to }),
  }));
  const isRemoval = ({ op }: { op: string }): boolean => op === 'remove';
  return JSON.stringify([...steps.filter((step) => !isRemoval(step)), ...steps.filter(isRemoval).reverse()], null, 2);
}
