import type { Mint } from '../token-context.ts';
import { ENTERED } from './entered-credentials.ts';

const MINTS: Readonly<Record<string, Mint>> = {
  ...ENTERED,
};

/** How credentials of a mode are made from what is entered, or anew from what is stored; undefined for redirects. */
export function findMint(mode: string): Mint | undefined {
  return Object.hasOwn(MINTS, mode) ? MINTS[mode] : undefined;
}
