import { hashAddress } from '../../../lib/address-hash.ts';
import type { PropertyTarget } from './webhook-routing.ts';

/** Connections of a Google account: by what the hub found out itself, then by what functions and callers keep. */
export function addressTargets(address: string): PropertyTarget[] {
  return [
    { property: 'emailAddressHash', value: hashAddress(address) },
    { property: 'metadata.emailAddress', value: address },
    { property: 'metadata.email', value: address },
  ];
}
