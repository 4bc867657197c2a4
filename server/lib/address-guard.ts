import { BlockList, isIP, isIPv6 } from 'node:net';

const PRIVATE_V4: Array<[network: string, prefix: number]> = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
const PRIVATE_V6: Array<[network: string, prefix: number]> = [
  ['::', 128],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];
const METADATA_HOSTS = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data']);

/** Tells public addresses from those of this computer, its network and cloud metadata services. */
export class AddressGuard {
  readonly #private = new BlockList();
  readonly #loopback = new BlockList();

  constructor() {
    for (const [network, prefix] of PRIVATE_V4) {
      this.#private.addSubnet(network, prefix, 'ipv4');
      // NAT64 and the two IPv4-in-IPv6 forms reach the same machines.
      for (const form of ['64:ff9b::', '::ffff:', '::'])
        this.#private.addSubnet(`${form}${network}`, 96 + prefix, 'ipv6');
    }
    for (const [network, prefix] of PRIVATE_V6) this.#private.addSubnet(network, prefix, 'ipv6');
    for (const network of ['127.0.0.0', '0.0.0.0']) {
      this.#loopback.addSubnet(network, 8, 'ipv4');
      for (const form of ['64:ff9b::', '::ffff:']) this.#loopback.addSubnet(`${form}${network}`, 104, 'ipv6');
    }
    for (const address of ['::', '::1']) this.#loopback.addAddress(address, 'ipv6');
  }

  isPrivate(address: string): boolean {
    return this.#private.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  isLoopback(address: string): boolean {
    return this.#loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  /** Refusals that need no name look-up: names of this computer and of metadata services, address literals. */
  isPrivateName(hostname: string): boolean {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (name === 'localhost' || name.endsWith('.localhost') || METADATA_HOSTS.has(name)) return true;
    const literal = bareHost(name);
    return isIP(literal) !== 0 && this.isPrivate(literal);
  }
}

/** A URL's host without the brackets of IPv6. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
