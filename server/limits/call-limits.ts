import type { CallLimits, OwnLimits } from './limits.contract.ts';

/** What has limits. `sessions` stands for every session that says nothing else. */
export type LimitKind = 'sessions' | 'key' | 'program' | 'session' | 'run';

/** One of those to which a call belongs. */
export interface LimitSubject {
  kind: Exclude<LimitKind, 'sessions'>;
  /** Id of the key, the session or the run; name of the program. */
  id: string;
}

export const NO_LIMITS: CallLimits = {
  callsPerMinute: null,
  calls: null,
  writes: null,
  cost: null,
  repeats: null,
  hosts: null,
  methods: null,
};

/**
 * For sessions, so that a loop ends and work does not: an agent with several helpers makes some 30 calls a minute, and a
 * person who looks at each write allows far fewer than a thousand.
 */
export const SESSION_LIMITS: CallLimits = { ...NO_LIMITS, callsPerMinute: 120, writes: 1000, repeats: 5 };

/** Whether `host` is one of `hosts`; `*.example.com` stands for every host below it. */
export function matchesHost(hosts: readonly string[], host: string): boolean {
  const name = host.toLowerCase();
  return hosts.some((one) => (one.startsWith('*.') ? name.endsWith(one.slice(1)) : name === one));
}

/** The members of `limits` that allow more than `most` does. */
export function exceedingMembers(limits: OwnLimits, most: CallLimits): Array<keyof CallLimits> {
  const names = Object.keys(limits) as Array<keyof CallLimits>;
  return names.filter((name) => {
    const [own, atMost] = [limits[name], most[name]];
    if (atMost === null) return false;
    if (own === null || own === undefined) return true;
    if (typeof atMost === 'number') return (own as number) > atMost;
    const covers = name === 'hosts' ? coversHost : (all: readonly string[], one: string): boolean => all.includes(one);
    return !(own as readonly string[]).every((one) => covers(atMost, one));
  });
}

/** Whether every host that `wanted` stands for is one of `hosts`. */
function coversHost(hosts: readonly string[], wanted: string): boolean {
  return hosts.includes(wanted) || matchesHost(hosts, wanted.replace(/^\*/, 'any'));
}
