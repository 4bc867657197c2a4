import { Conditions } from '../platform/database/conditions.ts';
import type { LogField, LogSet } from './log-query.contract.ts';

/** The newest operations: all that were created after a time, and the lowest `seq` of them. */
export interface LogPart {
  after: number;
  firstSeq: number;
}

export interface OperationFilter {
  environmentId: number;
  id?: string | undefined;
  states?: readonly string[] | undefined;
  /** `group` or `group:action`. */
  types?: readonly string[] | undefined;
  integrations?: readonly string[] | undefined;
  connections?: readonly string[] | undefined;
  functions?: readonly string[] | undefined;
  /** Further sets of values; a row must have one of the values of each set, or none of them when the set excludes. */
  sets?: readonly LogSet[] | undefined;
  /** Milliseconds, both ends included; operations that have not ended never match. */
  minDurationMs?: number | undefined;
  maxDurationMs?: number | undefined;
  /** Milliseconds, both ends included. */
  from?: number | undefined;
  to?: number | undefined;
  /** Full-text terms (`search-terms.ts`); every term must occur in the operation or in one of its messages. */
  terms?: readonly string[] | undefined;
  /** Terms that must not occur. */
  excludedTerms?: readonly string[] | undefined;
  /** Only these of the newest operations. */
  part?: LogPart | undefined;
  /** Highest `seq` to include: operations stored later are left out of the result. */
  snapshot?: number | undefined;
}

export const OPERATION_COLUMNS: Record<Exclude<LogField, 'type'>, string> = {
  state: 'state',
  integration: 'integration_key',
  connection: 'connection_id',
  function: 'function_name',
  trigger: 'triggered_by',
  session: 'session_id',
};

/** Every filter is answered from this index alone; table rows are read only for the page that is shown. */
export const FROM_INDEX = 'FROM log_operations INDEXED BY log_operations_list';

/** The entries of one session are few, and have an index of their own. */
export const fromIndex = ({ sets = [] }: Pick<OperationFilter, 'sets'>): string =>
  sets.some(({ field, isExcluded }) => field === 'session' && !isExcluded)
    ? 'FROM log_operations INDEXED BY log_operations_of_session'
    : FROM_INDEX;

/** DISTINCT drops the repeated operations of messages before IN does it at a higher price; UNION would do it twice. */
const HAS_TERM = `seq IN (SELECT rowid FROM log_operations_search WHERE log_operations_search MATCH ?
  UNION ALL SELECT DISTINCT rowid >> 20 FROM log_messages_search WHERE log_messages_search MATCH ?)`;
const HAS_TERM_IN_PART = `seq IN (SELECT rowid FROM log_operations_search WHERE log_operations_search MATCH ? AND rowid >= ?
  UNION ALL SELECT DISTINCT rowid >> 20 FROM log_messages_search WHERE log_messages_search MATCH ? AND rowid >= ? << 20)`;

/** Which operations a filter selects. */
export function operationConditions(filter: OperationFilter): Conditions {
  const where = new Conditions('environment_id = ?', filter.environmentId);
  const addTypes = (values: readonly string[], isExcluded: boolean): void => {
    const parts = values.map((value) => {
      const at = value.indexOf(':');
      return at < 0 ? [value] : [value.slice(0, at), value.slice(at + 1)];
    });
    const clauses = parts.map(({ length }) => (length === 1 ? 'type = ?' : '(type = ? AND action = ?)'));
    where.add(`${isExcluded ? 'NOT ' : ''}(${clauses.join(' OR ') || 'FALSE'})`, ...parts.flat());
  };

  if (filter.id !== undefined) where.add('id = ?', filter.id);
  if (filter.from !== undefined) where.add('created_at >= ?', filter.from);
  if (filter.to !== undefined) where.add('created_at <= ?', filter.to);
  if (filter.snapshot !== undefined) where.add('seq <= ?', filter.snapshot);
  where.addOneOf('state', filter.states);
  if (filter.types) addTypes(filter.types, false);
  where.addOneOf('integration_key', filter.integrations);
  where.addOneOf('connection_id', filter.connections);
  where.addOneOf('function_name', filter.functions);
  for (const { field, values, isExcluded } of filter.sets ?? []) {
    if (field === 'type') addTypes(values, isExcluded);
    else if (isExcluded && values.length === 1)
      where.add(`ifnull(${OPERATION_COLUMNS[field]}, '') <> ?`, values[0] ?? '');
    else if (isExcluded)
      where.add(
        `ifnull(${OPERATION_COLUMNS[field]}, '') NOT IN (SELECT value FROM json_each(?))`,
        JSON.stringify(values),
      );
    else where.addOneOf(OPERATION_COLUMNS[field], values);
  }
  if (filter.minDurationMs !== undefined) where.add('duration_ms >= ?', filter.minDurationMs);
  if (filter.maxDurationMs !== undefined) where.add('duration_ms <= ?', filter.maxDurationMs);
  const { part } = filter;
  if (part) where.add('created_at > ?', part.after);
  const [hasTerm, paramsOf] = part
    ? [HAS_TERM_IN_PART, (term: string) => [term, part.firstSeq, term, part.firstSeq]]
    : [HAS_TERM, (term: string) => [term, term]];
  for (const term of filter.terms ?? []) where.add(hasTerm, ...paramsOf(term));
  for (const term of filter.excludedTerms ?? []) where.add(`NOT ${hasTerm}`, ...paramsOf(term));
  return where;
}
