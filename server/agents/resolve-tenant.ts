import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { TenantConnection } from './agent-sessions.store.ts';

interface Pin {
  integrationKey: string;
  connectionId: string;
}

/** Named in an error; the count says how many there are. */
const MAX_CANDIDATES = 100;

/**
 * The connection of each integration for which there is exactly one (agents.md 2 and 7). `wanted` undefined means every
 * integration. Throws `unknown_pinned_connection`, `pinned_connection_not_matched` and `ambiguous_connections`.
 */
export function resolveTenant({
  hasSelectors,
  known,
  matches,
  pinned,
  pins,
  wanted,
}: {
  /** Integrations of the environment. */
  known: ReadonlySet<string>;
  wanted: ReadonlySet<string> | undefined;
  hasSelectors: boolean;
  /** Connections that the selectors match. */
  matches: readonly TenantConnection[];
  pins: readonly Pin[];
  /** Those of the pinned connections that exist. */
  pinned: readonly TenantConnection[];
}): Map<string, TenantConnection> {
  const isWanted = (key: string): boolean => wanted === undefined || wanted.has(key);
  const matchesOf = Map.groupBy(
    matches.filter(({ integrationKey }) => isWanted(integrationKey)),
    ({ integrationKey }) => integrationKey,
  );
  // A pin of another integration is not needed; one of none at all is a mistake.
  const counted = pins.filter(({ integrationKey }) => isWanted(integrationKey) || !known.has(integrationKey));
  const found = counted.map((pin) => ({ pin, connection: pinned.find((one) => isSame(one, pin)) }));
  const unknown = found.flatMap(({ connection, pin }) => (connection ? [] : [named(pin)]));
  if (unknown.length > 0)
    throw new HomeportError(
      'unknown_pinned_connection',
      `There is no connection ${listed(unknown.map((one) => `"${one.connection_id}" of "${one.integration_id}"`))}.`,
      { payload: { pinned: unknown } },
    );
  if (hasSelectors) {
    const unmatched = counted.filter((pin) => !matchesOf.get(pin.integrationKey)?.some((one) => isSame(one, pin)));
    if (unmatched.length > 0)
      throw new HomeportError(
        'pinned_connection_not_matched',
        `No selector of the tenant matches the pinned connection ${listed(unmatched.map(({ connectionId }) => `"${connectionId}"`))}. Change the tags, or pin one of the candidates.`,
        {
          payload: {
            pinned: unmatched.map((pin) => ({
              ...named(pin),
              candidates: candidatesOf(matchesOf.get(pin.integrationKey) ?? []),
            })),
          },
        },
      );
  }
  const pinnedOf = Map.groupBy(
    found.flatMap(({ connection }) => connection ?? []),
    ({ integrationKey }) => integrationKey,
  );
  const resolved = new Map<string, TenantConnection>();
  const ambiguous: Record<string, { match_count: number; candidates: Array<{ connection_id: string }> }> = {};
  for (const key of new Set([...matchesOf.keys(), ...pinnedOf.keys()])) {
    const all = distinct(pinnedOf.get(key) ?? matchesOf.get(key) ?? []);
    const [only, ...others] = all;
    if (only && others.length === 0) resolved.set(key, only);
    else ambiguous[key] = { match_count: all.length, candidates: candidatesOf(all) };
  }
  if (Object.keys(ambiguous).length > 0)
    throw new HomeportError(
      'ambiguous_connections',
      `The tenant has more than one connection of ${listed(Object.keys(ambiguous).map((key) => `"${key}"`))}. Add tags, or pin one connection of each.`,
      { payload: { integrations: ambiguous } },
    );
  return resolved;
}

const isSame = (one: TenantConnection, pin: Pin): boolean =>
  one.integrationKey === pin.integrationKey && one.connectionId === pin.connectionId;

const named = ({ connectionId, integrationKey }: Pin) => ({
  integration_id: integrationKey,
  connection_id: connectionId,
});

// Without tags: the key may not be allowed to read them.
const candidatesOf = (connections: readonly TenantConnection[]): Array<{ connection_id: string }> =>
  connections.slice(0, MAX_CANDIDATES).map(({ connectionId }) => ({ connection_id: connectionId }));

const distinct = (connections: readonly TenantConnection[]): TenantConnection[] => [
  ...new Map(connections.map((one) => [one.id, one])).values(),
];

const MAX_LISTED = 5;

/** "a, b and 3 more". */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).join(', ');
  return names.length > MAX_LISTED ? `${shown} and ${names.length - MAX_LISTED} more` : shown;
}
