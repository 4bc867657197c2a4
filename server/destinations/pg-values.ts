import { type ExactNumber, parseExactJson } from '../platform/lib/exact-json.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';

/** Types of columns in PostgreSQL, by the type of the column in the views of queries. */
const PG_TYPES: Readonly<Record<string, PgType>> = {
  VARCHAR: 'text',
  BIGINT: 'bigint',
  // A number of JSON has any number of digits.
  DOUBLE: 'numeric',
  BOOLEAN: 'boolean',
  TIMESTAMPTZ: 'timestamptz',
  DATE: 'date',
};

export type PgType = 'text' | 'bigint' | 'numeric' | 'boolean' | 'timestamptz' | 'date' | 'jsonb';

export const pgTypeOf = (type: string): PgType => PG_TYPES[type] ?? 'jsonb';

/** A number with more digits, or a larger exponent, becomes a text: PostgreSQL refuses it. */
const MOST_DIGITS = 1000;
/** Number texts that a JavaScript number may change. */
const ODD_NUMBER = /[0-9.]{16}|\.\d*0[,}\]\s]|\d[eE]|-0[,}\]\s]/;
/** Escapes of characters that PostgreSQL does not store: NUL, and halves of a pair. */
const ODD_CHARACTER = /\\u0000|\\u[dD][89a-fA-F]/;
const NUL_SIGN = '\u2400';

/** The members of a record as PostgreSQL can store them: NUL is written as ␀, half of a character pair as �. */
export function readPayload(payload: string): Record<string, unknown> {
  const isOdd = ODD_NUMBER.test(payload);
  const value: unknown = isOdd ? parseExactJson(payload) : JSON.parse(payload);
  const clean = isOdd || ODD_CHARACTER.test(payload) ? storable(value) : value;
  return isJsonObject(clean) ? clean : {};
}

/** A text as PostgreSQL can store it. */
export const storableText = (text: string): string => text.replaceAll('\0', NUL_SIGN).toWellFormed();

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (isExactNumber(value)) return isHuge(value.rawJSON) ? value.rawJSON : value;
  if (Array.isArray(value)) return value.map(storable);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [storableText(name), storable(one)]));
}

const isExactNumber = (value: unknown): value is ExactNumber => JSON.isRawJSON(value);

function isHuge(number: string): boolean {
  const exponent = /[eE]([+-]?\d+)$/.exec(number)?.[1];
  return number.length > MOST_DIGITS || (exponent !== undefined && Math.abs(Number(exponent)) > MOST_DIGITS);
}

/** Whether a column of the type holds the value without a loss. */
export function fits(type: PgType, value: unknown): boolean {
  switch (type) {
    case 'jsonb':
      return true;
    case 'text':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'numeric':
      return isNumber(value);
    case 'bigint':
      return isNumber(value) && isBigint(value);
    case 'date':
      return typeof value === 'string' && DATE.test(value) && isCalendarDay(value);
    case 'timestamptz':
      return typeof value === 'string' && isMoment(value);
  }
}

const isNumber = (value: unknown): value is number | ExactNumber => typeof value === 'number' || isExactNumber(value);

const LARGEST_BIGINT = 2n ** 63n;

function isBigint(value: number | ExactNumber): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (!/^-?\d{1,19}$/.test(value.rawJSON)) return false;
  const whole = BigInt(value.rawJSON);
  return whole < LARGEST_BIGINT && whole >= -LARGEST_BIGINT;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:[Zz]|([+-]\d\d):?(\d\d))$/;

function isMoment(text: string): boolean {
  const match = MOMENT.exec(text);
  if (!match) return false;
  const [, day = '', hours, minutes, seconds = '0', zoneHours = '0', zoneMinutes = '0'] = match;
  const isClock = Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
  return isClock && Math.abs(Number(zoneHours)) < 15 && Number(zoneMinutes) < 60 && isCalendarDay(day);
}

function isCalendarDay(day: string): boolean {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return (
    year > 0 &&
    month > 0 &&
    month < 13 &&
    date > 0 &&
    date <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  );
}
