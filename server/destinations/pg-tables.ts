import { createHash } from 'node:crypto';
import type { ModelColumn } from '../queries/queries.service.ts';
import { DestinationError } from './destination-target.ts';
import { META_COLUMNS, type PgColumn, type PgTable } from './pg-target.store.ts';
import { type PgType, pgTypeOf, storableText } from './pg-values.ts';

/** Longest name in PostgreSQL. */
const MOST_BYTES = 63;
const HASH_LENGTH = 8;

/** A name that PostgreSQL does not cut: a long one ends in a hash of the whole. */
export function pgName(text: string): string {
  const name = storableText(text);
  if (Buffer.byteLength(name) <= MOST_BYTES) return name;
  return withHash(name, text);
}

function withHash(name: string, whole: string): string {
  const suffix = `_${createHash('sha256').update(whole).digest('hex').slice(0, HASH_LENGTH)}`;
  let start = '';
  for (const character of name) {
    if (Buffer.byteLength(start + character + suffix) > MOST_BYTES) break;
    start += character;
  }
  return start + suffix;
}

/** `<integration>_<model>`; two models with the same name get a hash. */
export function pgTableName(integrationKey: string, model: string, taken: (name: string) => boolean): string {
  const name = pgName(`${integrationKey}_${model}`);
  return name.startsWith('_homeport') || taken(name) ? withHash(name, `${integrationKey}\0${model}`) : name;
}

/** The columns of a model's table beside those that every table has. */
export interface ColumnPlan {
  /** All of them. A record that is replaced sets those that hold nothing to null. */
  columns: PgColumn[];
  /** Index in `columns` of the one that gets the values of a member. */
  byMember: ReadonlyMap<string, number>;
  /** Those of `columns` that the table does not have yet. */
  added: PgColumn[];
}

/**
 * A member has a column of its type. When its type changes, it gets a further one, and the earlier one stays; a member
 * that the schema no longer names keeps its column. `actual`: the columns that the table has.
 */
export function planColumns(
  wanted: readonly ModelColumn[],
  known: readonly PgColumn[],
  actual: ReadonlyMap<string, string>,
): ColumnPlan {
  const columns = [...known];
  const added: PgColumn[] = [];
  const byMember = new Map(known.map(({ member }, index) => [member, index]));
  for (const { member, type } of wanted) {
    const pgType = pgTypeOf(type);
    const found = columns.findIndex((one) => one.member === member && one.type === shownType(pgType));
    if (found >= 0) {
      byMember.set(member, found);
      continue;
    }
    const column = newColumn(member, pgType, columns, actual);
    byMember.set(member, columns.push(column) - 1);
    // It is there, for example, when the tables are filled again.
    if (!actual.has(column.name)) added.push(column);
  }
  return { columns, byMember, added };
}

function newColumn(
  member: string,
  pgType: PgType,
  columns: readonly PgColumn[],
  actual: ReadonlyMap<string, string>,
): PgColumn {
  const type = shownType(pgType);
  for (let number = 0; ; number += 1) {
    const name = pgName(number === 0 ? member : `${member}__${pgType}${number === 1 ? '' : number}`);
    const isTaken = TAKEN_NAMES.has(name) || columns.some((one) => one.name === name);
    if (!isTaken && (actual.get(name) ?? type) === type) return { member, name, type };
  }
}

/** Columns that every table of PostgreSQL has and does not show. */
const SYSTEM_NAMES = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'];
const TAKEN_NAMES: ReadonlySet<string> = new Set([...SYSTEM_NAMES, ...META_COLUMNS.map(([name]) => name)]);

/** The type as `format_type` writes it. */
export function shownType(type: PgType): string {
  return type === 'timestamptz' ? 'timestamp with time zone' : type;
}

export function pgTypeShown(shown: string): PgType {
  return shown === 'timestamp with time zone' ? 'timestamptz' : (shown as PgType);
}

/** Throws when a person dropped the table or changed its columns; own columns of that person do not matter. */
export function assertUnchanged(
  { columns, table }: PgTable,
  actual: ReadonlyMap<string, string> | undefined,
  schema: string,
): asserts actual is ReadonlyMap<string, string> {
  const where = `"${schema}"."${table}"`;
  const again = 'Replay the destination from the beginning to fill it again.';
  if (!actual) throw new DestinationError('destination_changed', `The table ${where} is gone. ${again}`);
  const expected = [...META_COLUMNS.map(([name, , type]) => ({ name, type: type as string })), ...columns];
  for (const { name, type } of expected) {
    const found = actual.get(name);
    if (found === undefined)
      throw new DestinationError('destination_changed', `The column "${name}" of ${where} is gone. ${again}`);
    if (found !== type)
      throw new DestinationError(
        'destination_changed',
        `The column "${name}" of ${where} is ${found} now; it was made as ${type}. Change it back, or replay the destination from the beginning: then a further column holds these values.`,
      );
  }
}

/** Throws for a table that cannot be used although no destination made it. */
export function assertAdoptable(table: string, actual: ReadonlyMap<string, string>, schema: string): void {
  const isOurs = META_COLUMNS.every(([name, , type]) => actual.get(name) === type);
  if (!isOurs)
    throw new DestinationError(
      'destination_taken',
      `There is a table "${schema}"."${table}" already that Homeport did not make. Rename or drop it, or choose another schema.`,
    );
}
