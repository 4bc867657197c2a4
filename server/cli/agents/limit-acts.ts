import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';

export interface LimitOptions {
  environment: string;
  callsPerMinute?: string;
  calls?: string;
  writes?: string;
  cost?: string;
  repeats?: string;
  hosts?: string;
  methods?: string;
  defaults?: boolean;
}

/** One row of `GET /environment/limits` (http-api.md). Null is no limit. */
interface Limited {
  kind: string;
  id: string;
  name: string | null;
  limits: Limits;
  used: { calls: number; writes: number; cost: number };
}
type Limits = Record<string, number | string[] | null>;

const ROUTE = '/environment/limits';
const KINDS = ['sessions', 'key', 'program', 'session', 'run'];

/** Limits of keys, programs, sessions and runs, and what is used of them. */
export async function listLimits({ hubs, terminal }: CliContext, { environment }: LimitOptions): Promise<void> {
  const hub = await hubs.open(environment);
  const { data } = await hub.call<{ data: Limited[] }>('GET', ROUTE);
  terminal.printJson({ limits: data });
  const of = (used: number, limit: Limits[string] | undefined): string =>
    limit === null ? `${used}` : `${used} of ${limit}`;
  terminal.table(
    ['WHOSE', 'ID', 'A MINUTE', 'CALLS', 'WRITES', 'COST', 'REPEATS', 'ONLY'],
    data.map(({ id, kind, limits, name, used }) => [
      kind === 'sessions' ? 'each session' : kind,
      name === null || name === id ? id : `${id} (${name})`,
      shown(limits['calls_per_minute']),
      kind === 'sessions' ? shown(limits['calls']) : of(used.calls, limits['calls']),
      kind === 'sessions' ? shown(limits['writes']) : of(used.writes, limits['writes']),
      kind === 'sessions' ? shown(limits['cost']) : of(used.cost, limits['cost']),
      shown(limits['repeats']),
      [limits['hosts'], limits['methods']].flatMap((one) => (Array.isArray(one) ? one : [])).join(', '),
    ]),
  );
}

const shown = (limit: Limits[string] | undefined): string =>
  limit === null || limit === undefined ? 'no limit' : String(limit);

/** Changes the limits that are named; `--defaults` takes all own limits back. */
export async function setLimits(
  { hubs, terminal }: CliContext,
  kind: string,
  id: string | undefined,
  options: LimitOptions,
): Promise<void> {
  if (!KINDS.includes(kind)) throw new CliFailure(`Name one of ${KINDS.join(', ')}.`, EXIT.usage);
  if ((kind === 'sessions') !== (id === undefined))
    throw new CliFailure(
      kind === 'sessions'
        ? '"sessions" has no id: it is what each session has.'
        : `Name the id of the ${kind}: homeport agents limits`,
      EXIT.usage,
    );
  const changes = readLimits(options);
  if (Object.keys(changes).length === 0 && !options.defaults)
    throw new CliFailure('Say what to change, such as --writes 100, --calls none or --defaults.', EXIT.usage);
  const hub = await hubs.open(options.environment);
  const { data } = await hub.call<{ data: Limited[] }>('GET', ROUTE);
  const before = data.find((one) => one.kind === kind && (id === undefined || one.id === id))?.limits;
  const limits = options.defaults ? (Object.keys(changes).length > 0 ? changes : null) : { ...before, ...changes };
  const body = { kind, ...(id === undefined ? {} : { id }), limits };
  const changed = await hub.call<{ data: Limited }>('PUT', ROUTE, { body });
  terminal.printJson(changed.data);
  terminal.print(`${terminal.colors.green('✓')} ${kind === 'sessions' ? 'each session' : `${kind} ${id}`}`);
  for (const [name, limit] of Object.entries(changed.data.limits)) terminal.print(`  ${name}: ${shown(limit)}`);
}

/** `none` is no limit. */
function readLimits(options: LimitOptions): Limits {
  const number = (name: string, text: string | undefined): Array<[string, number | null]> => {
    if (text === undefined) return [];
    const value = text === 'none' ? null : Number(text);
    if (value !== null && (text.trim() === '' || !Number.isFinite(value) || value < 0))
      throw new CliFailure(`--${name.replaceAll('_', '-')} takes a number or "none", not "${text}".`, EXIT.usage);
    return [[name, value]];
  };
  const list = (name: string, text: string | undefined): Array<[string, string[] | null]> => {
    if (text === undefined) return [];
    const parts = text.split(',').map((one) => one.trim());
    return [[name, text === 'none' ? null : parts.filter((one) => one !== '')]];
  };
  return Object.fromEntries([
    ...number('calls_per_minute', options.callsPerMinute),
    ...number('calls', options.calls),
    ...number('writes', options.writes),
    ...number('cost', options.cost),
    ...number('repeats', options.repeats),
    ...list('hosts', options.hosts),
    ...list('methods', options.methods?.toUpperCase().replace('NONE', 'none')),
  ]);
}
