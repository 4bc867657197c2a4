import { isIP } from 'node:net';
import { bareHost, writtenHosts } from '../../platform/lib/address-guard.ts';
import type { ProviderEntry } from './entry-schema.ts';

/** Hosts that the entry itself writes in these addresses and that may be loopback or private (design.md 7.4). */
export function privateHostsOf(entry: ProviderEntry, addresses: ReadonlyArray<string | undefined>): string[] {
  return addresses
    .flatMap((address) => (address ?? '').split('||'))
    .flatMap(literalHost)
    .filter((host) => mayBePrivate(host, entry));
}

/**
 * In a workspace entry any host may be private. In a built-in entry (practice) only a host that is private by its own
 * address.
 */
function mayBePrivate(host: string, entry: ProviderEntry): boolean {
  return entry.source !== 'builtin' || isIP(bareHost(host.replace(/:\d+$/, ''))) !== 0;
}

/**
 * The host of an address without a placeholder in its host part, with its port.
 */
export function literalHost(address: string): string[] {
  const origin = /^\s*https?:\/\/[^/?#]*/i.exec(address)?.[0];
  const url = origin === undefined || origin.includes('${') ? null : URL.parse(origin);
  return url ? writtenHosts(url) : [];
}
