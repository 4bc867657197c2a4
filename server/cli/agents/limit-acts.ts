import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { LIMIT_NAMES, type LimitName, type LimitValue, readLimitValue } from '../limit-values.ts';

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
  /** Names of those that are its own and not the defaults. */
  own: string[];
  used: { calls: number; writes: number; cost: number };
}
type Limits = Record<string, number | string[] | null>;

const ROUTE = '/environment/limits';
const KINDS = ['sessions', 'key', 'program', 'session'];

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
  const changes = readChanges(options);
  if (Object.keys(changes).length === 0 && !options.defaults)
    throw new CliFailure('Say what to change, such as --writes 100, --calls none or --defaults.', EXIT.usage);
  const hub = await hubs.open(options.environment);
  const change = (limits: Record<string, LimitValue> | null) =>
    hub.call<{ data: Limited }>('PUT', ROUTE, { body: { kind, ...(id === undefined ? {} : { id }), limits } });
  let changed = options.defaults ? await change(null) : undefined;
  if (!changed || Object.keys(changes).length > 0) changed = await change(changes);
  terminal.printJson(changed.data);
  terminal.print(`${terminal.colors.green('✓')} ${kind === 'sessions' ? 'each session' : `${kind} ${id}`}`);
  for (const [name, limit] of Object.entries(changed.data.limits))
    terminal.print(`  ${name}: ${shown(limit)}${changed.data.own.includes(name) ? '' : ' (default)'}`);
}

const OPTIONS = {
  calls_per_minute: 'callsPerMinute',
  calls: 'calls',
  writes: 'writes',
  cost: 'cost',
  repeats: 'repeats',
  hosts: 'hosts',
  methods: 'methods',
} as const satisfies Record<LimitName, keyof LimitOptions>;

/** `none` is no limit, `default` takes one back. */
function readChanges(options: LimitOptions): Record<string, LimitValue> {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name): Array<[string, LimitValue]> => {
      const text = options[OPTIONS[name]];
      if (text === undefined) return [];
      return [[name, readLimitValue(name, text, `--${name.replaceAll('_', '-')}`, ['none', 'default'])]];
    }),
  );
}
