/** One difference between two JSON values. */
export interface RecordChange {
  /** JSON Pointer (RFC 6901) into the newer value, or into the older one for what was removed. */
  path: string;
  kind: 'added' | 'removed' | 'changed';
  /** Absent on what was added. */
  from?: unknown;
  /** Absent on what was removed. */
  to?: unknown;
}

/**
 * What changed between two JSON values, in the order of the newer one, what was removed behind it. Objects and arrays
 * are compared at every depth, arrays by position: of a longer one the rest is added, of a shorter one removed.
 */
export function diffRecords(from: unknown, to: unknown): RecordChange[] {
  const changes: RecordChange[] = [];
  compare('', from, to, changes);
  return changes;
}

function compare(path: string, from: unknown, to: unknown, changes: RecordChange[]): void {
  if (!isNested(from) || !isNested(to) || Array.isArray(from) !== Array.isArray(to)) {
    if (!isSame(from, to)) changes.push({ path, kind: 'changed', from, to });
    return;
  }
  const older = new Map(Object.entries(from));
  for (const [key, value] of Object.entries(to)) {
    const at = `${path}/${escapeKey(key)}`;
    if (older.has(key)) compare(at, older.get(key), value, changes);
    else changes.push({ path: at, kind: 'added', to: value });
    older.delete(key);
  }
  for (const [key, value] of older) changes.push({ path: `${path}/${escapeKey(key)}`, kind: 'removed', from: value });
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Plain values only: of two nested ones, one is an array and the other is not. */
function isSame(from: unknown, to: unknown): boolean {
  return !isNested(from) && !isNested(to) && from === to;
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
