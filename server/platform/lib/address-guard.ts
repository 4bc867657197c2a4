import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;

/** The range that IANA allocates to the public; ipaddr.js also calls addresses outside of it `unicast`. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** NAT64 reaches the machine whose IPv4 address is at the end (RFC 6052). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const METADATA_HOSTS = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data']);

/**
 * Whether an IP address is not a public one: an address of this computer or its network, a reserved one, or a kind that
 * carries another address (6to4, Teredo).
 */
export function isPrivateIp(address: string): boolean {
  const target = effectiveAddress(address);
  return target.range() !== 'unicast' || (target.kind() === 'ipv6' && !target.match(GLOBAL_UNICAST));
}

/** Whether an IP address leads to this computer. */
export function isLoopbackIp(address: string): boolean {
  const range = effectiveAddress(address).range();
  return range === 'loopback' || range === 'unspecified';
}

/**
 * Whether a host can be refused without a name look-up: names of this computer and of metadata services, and addresses
 * that are not public.
 */
export function isPrivateHost(hostname: string): boolean {
  const name = withoutDot(hostname);
  const literal = bareHost(name);
  return isLocalhost(name) || METADATA_HOSTS.has(name) || (isIP(literal) !== 0 && isPrivateIp(literal));
}

/** Whether a host is this computer, judged by its name alone. */
export function isLoopbackHost(hostname: string): boolean {
  const name = withoutDot(hostname);
  const literal = bareHost(name);
  return isLocalhost(name) || (isIP(literal) !== 0 && isLoopbackIp(literal));
}

/** A URL's host without the brackets of IPv6. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** The port that a URL names, else the default port of its protocol. */
export function portOf({ port, protocol }: { port?: string | null; protocol: string }): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

/**
 * The host of an address that somebody wrote, with its port: a permission for one program of a computer does not include
 * the others. The default ports of http and https belong together, so that one may redirect to the other.
 */
export function writtenHosts(url: URL): string[] {
  return url.port === '' ? [`${url.hostname}:80`, `${url.hostname}:443`] : [url.host];
}

/** The address itself, or the IPv4 address that it carries. Throws for a text that is not an IP address. */
function effectiveAddress(address: string): Address {
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4' || !parsed.match(NAT64)) return parsed;
  return ipaddr.fromByteArray(parsed.toByteArray().slice(-4));
}

function withoutDot(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}
