import { isLoopbackHost, portOf } from './address-guard.ts';

export interface OwnAddresses {
  /** The local origin of the hub, for example `http://127.0.0.1:3003`. */
  local: string;
  /** The public origin of the hub; another name of the local origin when there is no tunnel. */
  public: string;
}

/** Whether a request to this address would return to the hub, through a name of this computer or through the tunnel. */
export function isOwnAddress(address: string, own: OwnAddresses): boolean {
  const url = new URL(address);
  if (url.host === new URL(own.public).host) return true;
  return portOf(url) === portOf(new URL(own.local)) && isLoopbackHost(url.hostname);
}
