import { useMutation, useQuery } from '@tanstack/react-query';
import type { LimitedRow, LimitsForm } from '../contract.ts';
import { routeQuery, rowsIn } from '../route-query.ts';
import { OWN_ERROR, useSend } from '../use-change.ts';
import { useEnv } from '../use-env.ts';

/** Calls are no events. */
const EVERY_MS = 5_000;

/** The defaults of sessions, and everything that has limits of its own or was counted. */
export const limitsQueryOptions = (env: string) =>
  routeQuery(env, 'GET /api/v1/limits', {}, { select: rowsIn, refetchInterval: EVERY_MS });

const NONE: LimitedRow['limits'] = {
  callsPerMinute: null,
  calls: null,
  writes: null,
  cost: null,
  repeats: null,
  hosts: null,
  methods: null,
};

/** The limits of one, and the way to change them. Undefined until they are read. */
export function useLimitsOf({ kind, id }: { kind: LimitsForm['kind']; id: string }) {
  const send = useSend();
  const { data: rows } = useQuery(limitsQueryOptions(useEnv()));
  const change = useMutation({
    meta: OWN_ERROR,
    mutationFn: (limits: LimitsForm['limits']) =>
      send('PUT /api/v1/limits', { body: { kind, ...(kind === 'sessions' ? {} : { id }), limits } }),
  });
  if (!rows) return undefined;
  const defaults = (kind === 'session' ? rows.find((row) => row.kind === 'sessions')?.limits : undefined) ?? NONE;
  const row: LimitedRow = rows.find((one) => one.kind === kind && one.id === id) ?? {
    kind,
    id,
    name: null,
    limits: defaults,
    own: [],
    defaults,
    used: { calls: 0, writes: 0, cost: 0 },
  };
  return { row, change };
}
