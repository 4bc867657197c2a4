import { HomeportError } from '../platform/lib/homeport-error.ts';
import { type LimitSubject, matchesHost } from './call-limits.ts';
import type { CallLimits } from './limits.contract.ts';

/** The limit that does not admit a call. */
export interface LimitRefusal {
  limit: keyof CallLimits;
  allowed: number | readonly string[];
  /** What was used, or the host or method that is not allowed. */
  used: number | string;
  retryAfterS?: number;
}

interface RefusedCall {
  kind: 'read' | 'write';
  host?: string | undefined;
  method?: string | undefined;
}

/** Undefined for a call within the limits. `minute` is absent for a call that was counted before. */
export function findRefusal(
  { host, kind, method }: RefusedCall,
  {
    limits,
    minute,
    used,
  }: {
    limits: CallLimits;
    used: { calls: number; writes: number; cost: number };
    minute: { used: number; freeInS: number } | undefined;
  },
): LimitRefusal | undefined {
  const { calls, callsPerMinute, cost, hosts, methods, writes } = limits;
  if (method !== undefined && methods !== null && !methods.includes(method.toUpperCase()))
    return { limit: 'methods', allowed: methods, used: method };
  if (host !== undefined && hosts !== null && !matchesHost(hosts, host))
    return { limit: 'hosts', allowed: hosts, used: host };
  if (kind === 'write' && writes !== null && used.writes >= writes)
    return { limit: 'writes', allowed: writes, used: used.writes };
  if (!minute) return undefined;
  if (calls !== null && used.calls >= calls) return { limit: 'calls', allowed: calls, used: used.calls };
  // What nothing has cost yet is free.
  if (cost !== null && used.cost > 0 && used.cost >= cost) return { limit: 'cost', allowed: cost, used: used.cost };
  if (callsPerMinute !== null && minute.used >= callsPerMinute)
    return { limit: 'callsPerMinute', allowed: callsPerMinute, used: minute.used, retryAfterS: minute.freeInS };
  return undefined;
}

/** For a model: what, which limit, whose, when again, what to do. */
export function refusalOf(
  { id, kind }: LimitSubject,
  { allowed, limit, retryAfterS, used }: LimitRefusal,
): HomeportError {
  const whose = WHOSE[kind];
  const payload = { limit: limit === 'callsPerMinute' ? 'calls_per_minute' : limit, of: kind, id, allowed, used };
  if (retryAfterS !== undefined)
    return new HomeportError(
      'call_rate_reached',
      `${whose} may make ${allowed} calls per minute, and has made them. Nothing was done. Repeat this call after ${retryAfterS} s, and make fewer calls.`,
      { retryAfterS, payload: { ...payload, retry_after: retryAfterS } },
    );
  const raise =
    kind === 'run'
      ? 'start the command again with a higher limit'
      : `raise it with: homeport agents limits set ${kind} ${JSON.stringify(id)} --${limit.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} <number>`;
  return new HomeportError(
    'call_limit_reached',
    `${whose} ${wordsOf(limit, allowed, used)}. Nothing was done, and a repeat does not help. ${
      limit === 'writes' ? 'Tools that only read still work. ' : ''
    }Go on without this call, or ask the person to ${raise}`,
    { payload },
  );
}

const WHOSE: Record<LimitSubject['kind'], string> = {
  key: 'The API key',
  program: 'The program',
  session: 'The session',
  run: 'The command',
};

function wordsOf(limit: keyof CallLimits, allowed: LimitRefusal['allowed'], used: LimitRefusal['used']): string {
  const most = describeLimit(allowed);
  if (limit === 'hosts') return `may reach only ${most}, not ${used}`;
  if (limit === 'methods') return `may send only ${most}, not ${used}`;
  if (limit === 'writes') return `may write ${most} times in all, and has written ${used} times`;
  if (limit === 'cost') return `may cost ${most} in all, and has cost ${used}`;
  return `may make ${most} calls in all, and has made ${used}`;
}

export function describeLimit(value: CallLimits[keyof CallLimits] | undefined): string {
  if (typeof value === 'object' && value !== null) return value.length === 0 ? 'none' : value.join(', ');
  return String(value ?? 'any number');
}
