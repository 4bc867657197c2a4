import { isLoopbackHost } from './address-guard.ts';

export interface OwnAddresses {
  /** Where the hub listens, for example `http://127.0.0.1:3003`. */
  local: string;
  /** Its public origin; the local one under another name, when there is no tunnel. */
  public: string;
}

/** Whether a request to this address would come back to the hub, by a name of this computer or by the tunnel. */
export function isOwnAddress(address: string, own: OwnAddresses): boolean {
  const url = new URL(address);
  if (url.host === new URL(own.public).host) return true;
  return portOf(url) === portOf(new URL(own.local)) && isLoopbackHost(url.hostname);
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
