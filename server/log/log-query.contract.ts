/**
 * The query language of the log (ui.md 5.2), as in `search`: `state:failed -connection:abc duration>2s "exact words"`.
 * The server runs it. The page completes it and applies it to rows that arrive as events. Plain code without schemas.
 */

/** Types of operations by group (ui.md 6.11). */
export const OPERATION_TYPES = {
  auth: ['create_connection', 'refresh_token', 'post_connection', 'connection_test'],
  sync: [
    'init',
    'run',
    'request_run',
    'request_run_full',
    'cancel',
    'pause',
    'unpause',
    'create_variant',
    'delete_variant',
  ],
  webhook: ['incoming', 'forward', 'connection_create', 'sync', 'connection_refresh'],
  action: ['run'],
  events: ['post_connection_creation', 'pre_connection_deletion', 'validate_connection'],
  proxy: ['call'],
  deploy: ['prebuilt', 'custom'],
  function: ['invoke'],
  agent_session: ['create', 'search', 'execute', 'proxy', 'query', 'connect', 'limit', 'end'],
  command: ['run'],
  records: ['import'],
} as const;

export const LOG_FIELDS = ['state', 'type', 'integration', 'connection', 'function', 'trigger', 'session'] as const;
export type LogField = (typeof LOG_FIELDS)[number];

/** Other names of the same fields. */
const ALIASES: Readonly<Record<string, LogField>> = { status: 'state', sync: 'function', script: 'function' };

/** Fields with a fixed set of values. A type is a group or `group:action`. */
export const KNOWN_VALUES: Readonly<Partial<Record<LogField, readonly string[]>>> = {
  state: ['waiting', 'running', 'success', 'failed', 'timeout', 'cancelled'],
  type: Object.entries(OPERATION_TYPES).flatMap(([group, actions]) => [
    group,
    ...actions.map((action) => `${group}:${action}`),
  ]),
  trigger: ['schedule', 'api', 'ui', 'function', 'webhook', 'mcp'],
};

/** Selects rows that have one of the values, or rows that have none of them. */
export interface LogSet {
  field: LogField;
  values: readonly string[];
  isExcluded: boolean;
}

export interface LogQuery {
  sets: LogSet[];
  /** Milliseconds; both ends are included. A range never matches an operation that has not ended. */
  minDurationMs: number | undefined;
  maxDurationMs: number | undefined;
  /** Words that must all occur, in the form of a search box: "exact words" in quotes. */
  text: string;
  /** Words that must not occur; one entry for each term. */
  excludedTexts: string[];
  /** Problems of the query, one sentence each. */
  problems: string[];
}

export interface QueryToken {
  text: string;
  from: number;
  to: number;
}

/** The rest of a longer text is no search of a person, and is not read. */
const MAX_SEARCH_LENGTH = 20_000;

/** Splits the text at spaces. Quotes keep their content together. */
export function logQueryTokens(search: string): QueryToken[] {
  return [...search.slice(0, MAX_SEARCH_LENGTH).matchAll(/(?:"[^"]*"?|[^\s"])+/g)].map(({ 0: text, index }) => ({
    text,
    from: index,
    to: index + text.length,
  }));
}

const FIELD = /^(-?)([a-z]+):(.*)$/i;
const DURATION = /^(-?)duration(>=|<=|>|<)(.*)$/i;

/** The field of a token and the text after its colon; undefined for words. */
export function fieldOfToken(token: string): { field: LogField; isExcluded: boolean; rest: string } | undefined {
  const [, minus, name = '', rest = ''] = FIELD.exec(token) ?? [];
  const key = name.toLowerCase();
  const field = LOG_FIELDS.find((one) => one === key) ?? (Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined);
  return field && { field, isExcluded: minus === '-', rest };
}

/** What is wrong with a word that has the form of a field; an address, and a name before its value, have nothing wrong. */
function unknownField(token: string): string | undefined {
  const [, minus, name = '', rest = ''] = FIELD.exec(token) ?? [];
  if (name === '' || rest === '' || rest.startsWith('//')) return undefined;
  const types: readonly string[] = KNOWN_VALUES.type ?? [];
  if (types.includes(`${name}:${rest}`)) return `"${name}" is not a field. Write ${minus}type:${name}:${rest}.`;
  return `"${name}" is not a field: ${LOG_FIELDS.join(', ')} and duration are. Put it in quotes to search for the words.`;
}

/** Whether more letters can make the name of a field of it: it is still being typed. */
export function isFieldBegun(token: string): boolean {
  const name = /^-?([a-z]+)$/i.exec(token)?.[1]?.toLowerCase();
  return name !== undefined && [...LOG_FIELDS, ...Object.keys(ALIASES), 'duration'].some((one) => one.startsWith(name));
}

export function parseLogQuery(search: string): LogQuery {
  const query: LogQuery = {
    sets: [],
    minDurationMs: undefined,
    maxDurationMs: undefined,
    text: '',
    excludedTexts: [],
    problems: [],
  };
  const words: string[] = [];
  for (const { text } of logQueryTokens(search)) {
    const narrowing = fieldOfToken(text);
    if (narrowing) takeSet(query, narrowing);
    else if (DURATION.test(text)) takeDuration(query, text);
    else {
      const problem = unknownField(text);
      if (problem) query.problems.push(problem);
      if (text.startsWith('-') && text.length > 1) query.excludedTexts.push(text.slice(1));
      else words.push(text);
    }
  }
  query.text = words.join(' ');
  return query;
}

/** The query without its words: the part that the facts of an operation decide, without its messages. */
export const withoutWords = (search: string): string =>
  logQueryTokens(search)
    .map(({ text }) => text)
    .filter((text) => fieldOfToken(text) !== undefined || DURATION.test(text))
    .join(' ');

function takeSet(
  query: LogQuery,
  { field, isExcluded, rest }: { field: LogField; isExcluded: boolean; rest: string },
): void {
  const values = splitValues(rest);
  // The value is still being typed.
  if (values.length === 0) return;
  const known = KNOWN_VALUES[field];
  for (const value of values)
    if (known && !known.includes(value)) query.problems.push(`There is no ${field} "${value}".`);
  query.sets.push({ field, values, isExcluded });
}

/** Values are separated by commas. A value with a comma or a space is in quotes. */
const splitValues = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"?|[^,"]+/g)].map(([whole, quoted]) => quoted ?? whole).filter((one) => one !== '');

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

function takeDuration(query: LogQuery, token: string): void {
  const [, minus, sign = '', text = ''] = DURATION.exec(token) ?? [];
  if (text === '') return;
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([a-z]*)$/i.exec(text) ?? [];
  const unitMs = UNITS_MS[unit.toLowerCase() || 'ms'];
  if (number === '' || unitMs === undefined) {
    query.problems.push(`"${text}" is not a duration. Write 500ms, 2s, 5m or 1h.`);
    return;
  }
  const ms = Number(number) * unitMs;
  // "Not longer than two seconds" means "at most two seconds", so the minus sign reverses the comparison.
  const isLower = sign.startsWith('>') !== (minus === '-');
  const isOpen = (sign.length === 1) !== (minus === '-');
  if (isLower) query.minDurationMs = Math.max(query.minDurationMs ?? 0, isOpen ? Math.floor(ms) + 1 : Math.ceil(ms));
  else
    query.maxDurationMs = Math.min(
      query.maxDurationMs ?? Number.MAX_SAFE_INTEGER,
      isOpen ? Math.ceil(ms) - 1 : Math.floor(ms),
    );
}

/** The value as written after a colon. */
const quoteValue = (value: string): string => (/[\s,"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value);

/** Adds the exclusion of a value to the query, or removes the part that asks for exactly this value. */
export function excludeFromQuery(search: string, field: LogField, value: string): string {
  const part = `${field}:${quoteValue(value)}`;
  const kept = logQueryTokens(search).filter(({ text }) => text !== part && text !== `-${part}`);
  return [...kept.map(({ text }) => text), `-${part}`].join(' ');
}

export interface Suggestion {
  /** Text in the list. */
  label: string;
  /** Text that replaces the token. */
  insert: string;
  hint?: string;
}

const FIELD_HINTS: Readonly<Record<LogField, string>> = {
  state: 'failed, running, success …',
  type: 'sync, action:run, proxy …',
  integration: 'its ID',
  connection: 'its ID',
  function: 'its name',
  trigger: 'schedule, api, ui …',
  session: 'ID of an agent session',
};
const MAX_SUGGESTIONS = 12;

/** The token at the caret; an empty one between two tokens. */
export function tokenAt(search: string, caret: number): QueryToken {
  return (
    logQueryTokens(search).find(({ from, to }) => from < caret && caret <= to) ?? { text: '', from: caret, to: caret }
  );
}

/** Possible continuations of the token. `served` are values of its field from the server. */
export function suggestionsFor(
  token: string,
  served: readonly { value: string; label: string | null }[],
): Suggestion[] {
  const narrowing = fieldOfToken(token);
  const minus = token.startsWith('-') ? '-' : '';
  if (!narrowing) {
    const typed = token.slice(minus.length).toLowerCase();
    const fields = LOG_FIELDS.filter((field) => field.startsWith(typed)).map((field) => ({
      label: `${minus}${field}:`,
      insert: `${minus}${field}:`,
      hint: FIELD_HINTS[field],
    }));
    const takesDuration = 'duration'.startsWith(typed) && minus === '';
    return takesDuration ? [...fields, { label: 'duration>', insert: 'duration>', hint: '500ms, 2s, 5m' }] : fields;
  }
  const { field, rest } = narrowing;
  const before = rest.slice(0, rest.lastIndexOf(',') + 1);
  const typed = rest.slice(before.length).replaceAll('"', '').toLowerCase();
  const known = KNOWN_VALUES[field]?.map((value) => ({ value, label: null as string | null })) ?? served;
  return known
    .filter(({ value, label }) => value.toLowerCase().includes(typed) || label?.toLowerCase().includes(typed))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ value, label }) => ({
      label: value,
      insert: `${minus}${field}:${before}${quoteValue(value)}`,
      ...(label !== null && label !== value && { hint: label }),
    }));
}

/** The facts of a row that a query can test. */
export interface QueriedRow extends Readonly<Record<Exclude<LogField, 'type'>, string | null>> {
  /** Both forms: the group and `group:action`. */
  types: readonly string[];
  durationMs: number | null;
  /** Texts in which words are searched. */
  texts: readonly (string | null)[];
}

/**
 * Whether a row from an event matches the query. Words match as parts of words, which is slightly broader than on the
 * server.
 */
export function matchesLogQuery(row: QueriedRow, query: LogQuery): boolean {
  const fits = ({ field, values, isExcluded }: LogSet): boolean => {
    const own = field === 'type' ? row.types : [row[field]];
    return own.some((value) => value !== null && values.includes(value)) !== isExcluded;
  };
  const isLong = query.minDurationMs === undefined || (row.durationMs ?? -1) >= query.minDurationMs;
  const isShort =
    query.maxDurationMs === undefined || (row.durationMs !== null && row.durationMs <= query.maxDurationMs);
  if (!isLong || !isShort || !query.sets.every(fits)) return false;
  const holds = (word: string): boolean => row.texts.some((text) => text?.toLowerCase().includes(word));
  return plainWords(query.text).every(holds) && !query.excludedTexts.flatMap(plainWords).some(holds);
}

/** The facts of an operation that a log filter tests. */
export interface FilteredOperation {
  id: string;
  operation: { type: string; action: string };
  state: string;
  message: string | null;
  integrationName: string | null;
  connectionName: string | null;
  endUserName: string | null;
  syncConfigName: string | null;
  trigger: string | null;
  sessionId: string | null;
  durationMs: number | null;
}

/** Filters of the log in the form of an address: comma-separated lists, where `all` or an empty text means any. */
export type LogFilter = Partial<
  Record<'states' | 'types' | 'integrations' | 'connections' | 'syncs' | 'search', string | undefined>
>;

const allows = (list: string | undefined, value: string | null): boolean =>
  !list || list === 'all' || (value !== null && list.split(',').includes(value));

/** Whether an operation matches the filter, regardless of its time. */
export function matchesLogFilter(row: FilteredOperation, filter: LogFilter): boolean {
  const { type, action } = row.operation;
  const types = [type, `${type}:${action}`];
  return (
    allows(filter.states, row.state) &&
    types.some((one) => allows(filter.types, one)) &&
    allows(filter.integrations, row.integrationName) &&
    allows(filter.connections, row.connectionName) &&
    allows(filter.syncs, row.syncConfigName) &&
    matchesLogQuery(
      {
        state: row.state,
        types,
        integration: row.integrationName,
        connection: row.connectionName,
        function: row.syncConfigName,
        trigger: row.trigger,
        session: row.sessionId,
        durationMs: row.durationMs,
        texts: [row.id, row.message, row.integrationName, row.connectionName, row.syncConfigName, row.endUserName],
      },
      parseLogQuery(filter.search ?? ''),
    )
  );
}

/** The words of a text without their quotes, for searching or highlighting. */
export const plainWords = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"?|[^\s"]+/g)]
    .map(([whole, quoted]) => (quoted ?? whole).toLowerCase())
    .filter((word) => word !== '');
