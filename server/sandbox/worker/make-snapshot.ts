import ivm from 'isolated-vm';
import { WARM_UP_NAME } from '../../../functions/runtime/guest-link.ts';

/** About four times faster than evaluating the guest code in each context; with what one run compiles. */
export function makeSnapshot(guestCode: string): ivm.ExternalCopy<ArrayBuffer> {
  return ivm.Isolate.createSnapshot(
    [{ code: guestCode, filename: 'homeport-guest.js' }],
    `globalThis.${WARM_UP_NAME}?.()`,
  );
}
