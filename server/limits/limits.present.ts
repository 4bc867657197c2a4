import type { CallLimits, LimitedSubject } from './limits.service.ts';

export function presentLimits({ callsPerMinute, ...others }: CallLimits): Record<string, unknown> {
  return { calls_per_minute: callsPerMinute, ...others };
}

/** `name`: of a key. */
export function presentLimited(
  { id, kind, limits, own, used }: LimitedSubject,
  name: string | null,
): Record<string, unknown> {
  const names = own.map((limit) => (limit === 'callsPerMinute' ? 'calls_per_minute' : limit));
  return { kind, id, name, limits: presentLimits(limits), own: names, used };
}
