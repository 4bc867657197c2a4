import { bareHost } from '../platform/lib/address-guard.ts';
import type { NewCommandRunBody } from './dashboard-command-runs.contract.ts';

/** What happens with a request to a host that belongs to no connection of the run. */
type OtherHosts = NewCommandRunBody['otherHosts'];

export interface HostRules {
  /** For hosts that the lists do not name. */
  others: OtherHosts;
  allowed: readonly string[];
  refused: readonly string[];
}

/** `host`, `host:port` and `*.host`; a refusal is stronger. */
export function ruleFor(url: URL, { allowed, others, refused }: HostRules): OtherHosts {
  const isNamed = (patterns: readonly string[]): boolean => patterns.some((pattern) => matches(url, pattern));
  if (isNamed(refused)) return 'refuse';
  return isNamed(allowed) ? 'pass' : others;
}

function matches(url: URL, pattern: string): boolean {
  const host = url.hostname.replace(/\.$/, '');
  const wanted = pattern.toLowerCase();
  if (wanted.startsWith('*.')) return host.endsWith(wanted.slice(1)) || host === wanted.slice(2);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return [host, bareHost(host), `${host}:${port}`].includes(wanted);
}
