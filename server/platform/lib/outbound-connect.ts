import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { bareHost, isLoopbackIp, isPrivateIp, portOf } from './address-guard.ts';
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

/** The refusal of an IP address; undefined when it may be dialled. */
type Refusal = (address: string) => OutboundError | undefined;

/**
 * Opens sockets only to addresses that pass the guard. The check runs between name look-up and connect, on the
 * addresses that are dialled, so that a name cannot resolve to another address in between (DNS rebinding).
 */
export function guardedConnector(rules: ConnectRules): buildConnector.connector {
  const { resolveHost } = rules;
  const refusalFor =
    (host: string, ownPort?: number): Refusal =>
    (address) => {
      if (ownPort !== undefined && isLoopbackIp(address)) return new OwnAddressError(`${host}:${ownPort}`);
      return rules.publicOnly && isPrivateIp(address) ? connectRefusal(bareHost(host)) : undefined;
    };
  const options = { allowH2: false, ...rules.tls };
  const connect = buildConnector({ ...options, lookup: guardedLookup(resolveHost, (host) => refusalFor(host)) });
  const connectToOwnPort = buildConnector({
    ...options,
    lookup: guardedLookup(resolveHost, (host) => refusalFor(host, rules.ownPort())),
  });

  return (target, callback) => {
    const port = portOf(target);
    const isOwnPort = port === rules.ownPort();
    const literal = bareHost(target.hostname);
    const refusal =
      isIP(literal) === 0 ? undefined : refusalFor(target.hostname, isOwnPort ? port : undefined)(literal);
    if (refusal) return callback(refusal, null);
    return (isOwnPort ? connectToOwnPort : connect)(target, callback);
  };
}

function guardedLookup(resolveHost: ResolveHost, refusalFor: (host: string) => Refusal): LookupFunction {
  return (hostname, options, callback) => {
    resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      const refusal = addresses?.map(({ address }) => refusalFor(hostname)(address)).find((one) => one !== undefined);
      if (error) callback(error, '', 0);
      else if (!first) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
      // One refused address refuses the name, because Node chooses which of the addresses is dialled.
      else if (refusal) callback(refusal, '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** The address of the hub itself, which no setting allows. */
export class OwnAddressError extends OutboundError {
  constructor(host: string) {
    super('ERR_ADDRESS_REFUSED', `Requests to ${host} are not allowed: it is the address of Homeport itself`);
  }
}

/** A refused address in full sentences, with the way to allow it if there is one. */
export function explainRefusal(error: OutboundError, host = 'the host'): string {
  return error instanceof OwnAddressError
    ? `${error.message}.`
    : `${error.message}. Add ${host} to allowed_hosts (PATCH /environment/settings) to reach it.`;
}

export function connectRefusal(host: string): OutboundError {
  return new OutboundError('ERR_ADDRESS_REFUSED', `Requests to ${host} are not allowed`);
}
