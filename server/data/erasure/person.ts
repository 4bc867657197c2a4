import { isUtf8 } from 'node:buffer';
import type { ErasureRow } from '../erasures.store.ts';

/** What stands in the place of a value; a number is replaced by a number, so that JSON stays JSON. */
const REMOVED = '[removed]';
const REMOVED_NUMBER = '0';

/** From this length on, a value that is not only letters names nobody and nothing else. */
const MIN_TELLING = 6;
const MIN_TELLING_NUMBER = 8;
/** Shorter values are ordinary words or numbers, except where they are a whole value. */
const MIN_WORD = 4;
const JSON_WORDS = new Set(['true', 'false', 'null']);

/** A value begins after something else than a letter or digit; an escape is something else too. */
const beginAfter = (inWord: string): string =>
  String.raw`(?<=^|[^${inWord}]|%(?:25)*[0-9a-f]{2}|\\[nrtbf]|\\u[0-9a-f]{4})`;
/** Bytes that are no text are read as letters beyond ASCII. */
const [IN_TELLING, IN_WORD] = ['a-z0-9', String.raw`\p{L}\p{N}`];
const NO_MEMBER_NAME = String.raw`(?!\\*"\s*:)`;
const QUOTE_BEFORE = '(?<=["=])';
const QUOTE_AFTER = String.raw`(?=\\*["&]|$)`;

interface SoughtValue {
  /** A part of every spelling, in lower case; empty when there is none. */
  needle: string;
  pattern: RegExp;
  by: string;
  /** Says who the person is wherever it occurs; other values do so only in what belongs to the connection. */
  isTelling: boolean;
}

/** The id, name and e-mail address of the person to whom a deleted connection belonged. */
export class Person {
  readonly id: string | null;
  readonly email: string | null;
  readonly #values: SoughtValue[];

  /** Apps say who the person is as an end user, or with the tags that are derived from one. */
  constructor({ endUser, tags }: Pick<ErasureRow, 'endUser' | 'tags'>) {
    this.id = endUser?.id ?? tags['end_user_id'] ?? null;
    this.email = endUser?.email ?? tags['end_user_email'] ?? null;
    const emails = [endUser?.email, tags['end_user_email']];
    const others = [endUser?.id, tags['end_user_id'], endUser?.displayName, tags['end_user_display_name']];
    const known = [...new Set([...emails, ...others])].filter((value) => typeof value === 'string' && value !== '');
    // The longest first, because one value may be a part of another.
    this.#values = (known as string[])
      .sort((a, b) => b.length - a.length)
      .map((value) => soughtValue(value, emails.includes(value)));
  }

  /** The text without the person. `isOwn`: it belongs to the connection. */
  erase(text: string, isOwn: boolean): string {
    const lower = text.toLowerCase();
    return this.#values.reduce(
      (rest, { isTelling, needle, pattern, by }) =>
        (isTelling || isOwn) && lower.includes(needle) ? rest.replace(pattern, by) : rest,
      text,
    );
  }
}

/** As `Person.erase`, for bytes that may be no text: those are read as one character each. */
export function eraseBytes(bytes: Buffer, erase: (text: string) => string): Buffer {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const erased = erase(text);
  return erased === text ? bytes : Buffer.from(erased, encoding);
}

function soughtValue(value: string, isEmail: boolean): SoughtValue {
  const isNumber = /^\d+$/.test(value);
  const isTelling =
    isEmail || (value.length >= (isNumber ? MIN_TELLING_NUMBER : MIN_TELLING) && /[^\p{L}]/u.test(value));
  const isWord = value.length >= MIN_WORD && !isNumber && !JSON_WORDS.has(value);
  const spelled = Array.from(value.toWellFormed(), spellingsOf).join('');
  const source = isTelling
    ? `${beginAfter(IN_TELLING)}${spelled}(?![${IN_TELLING}])`
    : isWord
      ? `${beginAfter(IN_WORD)}${spelled}(?![${IN_WORD}])${NO_MEMBER_NAME}`
      : `${QUOTE_BEFORE}${spelled}${QUOTE_AFTER}${NO_MEMBER_NAME}`;
  const [needle = ''] = (isEmail ? value.slice(0, value.lastIndexOf('@')) : value)
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.sort((a, b) => b.length - a.length) ?? [''];
  return { needle, pattern: new RegExp(source, 'giu'), by: isNumber ? REMOVED_NUMBER : REMOVED, isTelling };
}

/** The character as it is, as addresses encode it, also twice, and as JSON escapes it, also in a text inside of JSON. */
function spellingsOf(character: string): string {
  if (/^[a-z0-9]$/i.test(character)) return character;
  const own = `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  const bytes = Array.from(Buffer.from(character), (byte) => `%(?:25)*${byte.toString(16).padStart(2, '0')}`).join('');
  const units = Array.from(
    { length: character.length },
    (_, index) => `\\\\+u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
  return `(?:\\\\*${own}|${bytes}|${units}${character === ' ' ? '|\\+' : ''})`;
}
