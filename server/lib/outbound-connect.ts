import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { bareHost, isLoopbackIp, isPrivateIp } from './address-guard.ts';
import { OutboundError } from './outbound-error.ts';

/** Node's `dns.lookup` with `all: true`. */
export type ResolveHost = (
  hostname: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface ConnectRules {
  resolveHost: ResolveHost;
  /** True allows public addresses only; false also allows private ones, but never the hub itself. */
  publicOnly: boolean;
  /** The hub's port on this computer. */
  ownPort: () => number | undefined;
  tls: { cert: string; key: string } | undefined;
}

type Refuses = (address: string) => boolean;

/**
 * Opens sockets only to addresses that pass the guard. The check runs between name look-up and connect, on the
 * addresses that are dialled, so that a name cannot resolve to another address in between (DNS rebinding).
 */
export function guardedConnector(rules: ConnectRules): buildConnector.connector {
  const { resolveHost } = rules;
  const refuses: Refuses = rules.publicOnly ? isPrivateIp : () => false;
  const options = { allowH2: false, ...rules.tls };
  const connect = buildConnector({ ...options, lookup: guardedLookup(resolveHost, refuses) });
  const connectToOwnPort = buildConnector({
    ...options,
    lookup: guardedLookup(resolveHost, (address) => refuses(address) || isLoopbackIp(address)),
  });

  return (target, callback) => {
    const isOwnPort = portOf(target) === rules.ownPort();
    const literal = bareHost(target.hostname);
    const isRefusedLiteral = isIP(literal) !== 0 && (refuses(literal) || (isOwnPort && isLoopbackIp(literal)));
    if (isRefusedLiteral) return callback(connectRefusal(literal), null);
    return (isOwnPort ? connectToOwnPort : connect)(target, callback);
  };
}

function guardedLookup(resolveHost: ResolveHost, refuses: Refuses): LookupFunction {
  return (hostname, options, callback) => {
    resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) callback(error, '', 0);
      else if (!first) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
      // One refused address refuses the name, because Node chooses which of the addresses is dialled.
      else if (addresses.some(({ address }) => refuses(address))) callback(connectRefusal(hostname), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function portOf(target: buildConnector.Options): number {
  return Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
}

export function connectRefusal(host: string): OutboundError {
  return new OutboundError('ERR_ADDRESS_REFUSED', `Requests to ${host} are not allowed`);
}
