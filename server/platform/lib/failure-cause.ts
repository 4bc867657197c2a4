import { createHash } from 'node:crypto';

/** The provider's refusal that ended an operation. */
export interface Refusal {
  method: string;
  /** Path of the address, without host and query. */
  path: string;
  /** Null when no response arrived. */
  code: number | null;
  /** Number of the same responses in a row. */
  times: number;
}

/** What is known about a failure. */
export interface FailureFacts {
  message: string | null;
  type?: string | null | undefined;
  refusal?: Refusal | null | undefined;
}

/** Failures with the same key have the same cause (design.md 7.52). */
export interface FailureCause {
  key: string;
  /** The reason without what differs from failure to failure. */
  reason: string;
  /** The reason if it may appear on a locked screen: a text of a function or a provider may not. */
  safeReason: string | null;
}

const MAX_LENGTH = 300;
/** What replaces a variable part. */
const GAP = '…';
/** Words with digits that are names. */
const NAMED = /^(?:v\d{1,3}|oauth\d|utf-?\d{1,2}|sha-?\d{1,3}|md5|http\d?|h2|ipv[46]|s3|ts\d{4}|base64)$/i;
const BEFORE_STATUS = /(?:^|[^\p{L}])(?:status|code|http|answered)[\s:=(]*$/iu;
const STATUS = /^[1-5]\d\d$/;
const URL_LIKE = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>`]+/gi;
/** A number or a word, with what belongs to an id, an e-mail address, a time or a path. */
const WORD = /[\p{L}\p{N}@/][\p{L}\p{N}@/_.:+%~-]*/gu;
const GAPS = /…(?:\s?[,;]?\s?…)+/g;

/** The cause of a failure. `variables`: values that differ from failure to failure, such as the id of the connection. */
export function causeOf(facts: FailureFacts, variables: readonly string[] = []): FailureCause {
  const { refusal, type } = facts;
  const reason = refusal
    ? wordsOf({ ...refusal, path: withoutVariablePath(refusal.path, variables) })
    : normaliseMessage(reasonOf(facts), variables);
  const kind = refusal ? 'refusal' : (type ?? '');
  const key = createHash('sha256')
    .update(JSON.stringify([kind, reason]))
    .digest('hex')
    .slice(0, 16);
  return { key, reason, safeReason: refusal ? reason : null };
}

/** Why it failed, in a few words: "429 on GET /v1/issues", else the first line of the message. */
export function reasonOf({ message, refusal }: FailureFacts): string {
  if (refusal) return wordsOf(refusal);
  const line = firstLineOf(message ?? '');
  return line === '' ? 'no longer in the log' : line;
}

/**
 * The first line of a message without what differs from failure to failure: numbers, ids, e-mail addresses, times, and
 * the variable parts of addresses. Statuses of HTTP stay, because they say what happened.
 */
export function normaliseMessage(message: string, variables: readonly string[] = []): string {
  let text = firstLineOf(message);
  for (const value of variables) if (value.length > 2) text = text.replaceAll(value, GAP);
  text = text.replaceAll(URL_LIKE, (url) => withoutVariableUrl(url, variables));
  return text
    .replaceAll(WORD, (word, at: number) => withoutVariableWord(word, text.slice(0, at)))
    .replaceAll(GAPS, GAP);
}

const wordsOf = ({ method, path, code }: Refusal): string =>
  code === null ? `no answer to ${method} ${path}` : `${code} on ${method} ${path}`;

function firstLineOf(message: string): string {
  const [line = ''] = message.trim().split('\n', 1);
  const clean = line.slice(0, MAX_LENGTH).replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_LENGTH ? `${clean}${GAP}` : clean;
}

function withoutVariableUrl(url: string, variables: readonly string[]): string {
  // What ends a sentence or a bracket does not belong to the address.
  const [address, end] = splitEnd(url, ').,;:]}');
  const parsed = URL.parse(address);
  if (!parsed) return GAP;
  const host = parsed.hostname
    .split('.')
    .map((label) => (isVariable(label) ? GAP : label))
    .join('.');
  return `${parsed.protocol}//${host}${withoutVariablePath(parsed.pathname, variables)}${end}`;
}

function withoutVariablePath(path: string, variables: readonly string[]): string {
  return path
    .split('/')
    .map((segment) => (isVariable(segment) || variables.includes(decoded(segment)) ? GAP : segment))
    .join('/');
}

function withoutVariableWord(word: string, before: string): string {
  if (/[^/]\/|^\//.test(word) && !word.includes('@')) {
    const [path, end] = splitEnd(word, '.:');
    return withoutVariablePath(path, []) + end;
  }
  const [inner, end] = splitEnd(word, '.:');
  if (STATUS.test(inner) && BEFORE_STATUS.test(before)) return word;
  return (isVariable(inner) ? GAP : inner) + end;
}

/** The word, and those of `characters` after it. A loop: an expression that ends in `$` takes quadratic time. */
function splitEnd(word: string, characters: string): [string, string] {
  let length = word.length;
  while (length > 0 && characters.includes(word.charAt(length - 1))) length -= 1;
  return [word.slice(0, length), word.slice(length)];
}

function isVariable(part: string): boolean {
  if (part.includes('@') || /%40/.test(part)) return true;
  if (part.length >= 32 && !/[\s/.]/.test(part)) return true;
  return /\p{N}/u.test(part) && !NAMED.test(part);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // Not an encoded text, so it is compared as it is.
  }
}

const HOUR_MS = 3_600_000;
/** A cause that grew by this factor is told again. */
const GROWTH = 10;

/** What is known of the last notification about a cause. */
interface ToldBefore {
  /** Number of failures when it was told. */
  toldSize: number;
  /** When the cause ended, in milliseconds since the epoch; null while it lasts. */
  overAt: number | null;
}

/** Whether a person is told of a failure again: only when it was gone for an hour, or grew tenfold (design.md 7.52). */
export function isToldAgain(before: ToldBefore, size: number, now: number): boolean {
  const wasGone = before.overAt !== null && now - before.overAt >= HOUR_MS;
  return wasGone || size >= before.toldSize * GROWTH;
}
