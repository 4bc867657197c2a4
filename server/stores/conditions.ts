import type { SqlValue } from '../database/database.ts';

/** Conditions of a query that must all hold, with their parameters in the same order. */
export class Conditions {
  readonly params: SqlValue[] = [];
  readonly #parts: string[] = [];

  constructor(condition: string, ...values: SqlValue[]) {
    this.add(condition, ...values);
  }

  /** Joined by AND, to stand behind WHERE. */
  get sql(): string {
    return this.#parts.join(' AND ');
  }

  add(condition: string, ...values: SqlValue[]): void {
    this.#parts.push(condition);
    this.params.push(...values);
  }

  /** Every row matches without `values`, none when they are empty. */
  addOneOf(column: string, values: readonly (string | number)[] | undefined): void {
    // One value is compared: that takes two thirds of the time of a look-up in a list.
    if (values?.length === 1) this.add(`${column} = ?`, values[0] ?? null);
    else if (values) this.add(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values));
  }

  /** One of the texts contains `search`, in any case; `%` and `_` stand for themselves. `more`: conditions with one parameter. */
  addContains(texts: readonly string[], search: string, more: readonly string[] = []): void {
    const alternatives = [...texts.map((text) => `${text} LIKE ? ESCAPE '\\'`), ...more];
    const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
    this.add(`(${alternatives.join(' OR ')})`, ...alternatives.map(() => pattern));
  }
}
