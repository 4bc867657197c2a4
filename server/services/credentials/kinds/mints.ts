import type { Mint } from '../token-context.ts';
import { ENTERED } from './entered-credentials.ts';

/** Loaded when they are first used: their libraries would slow every start. */
const LOADED: Readonly<Record<string, () => Promise<Mint>>> = {
  OAUTH2_CC: async () => (await import('./mint-client-credentials.ts')).mintClientCredentials,
  TWO_STEP: async () => (await import('./mint-two-step.ts')).mintTwoStep,
  JWT: async () => (await import('./mint-jwt.ts')).mintJwt,
  SIGNATURE: async () => (await import('./mint-signature.ts')).mintSignature,
  BILL: async () => (await import('./mint-bill.ts')).mintBill,
  APP: async () => (await import('./mint-github-app.ts')).mintGithubApp,
  CUSTOM: async () => (await import('./mint-github-app.ts')).mintGithubApp,
  AWS_SIGV4: async () => (await import('./mint-aws-sigv4.ts')).mintAwsSigv4,
};

/** How credentials of a mode are made from what is entered, or anew from what is stored; undefined for redirects. */
export async function findMint(mode: string): Promise<Mint | undefined> {
  if (Object.hasOwn(LOADED, mode)) return LOADED[mode]?.();
  return Object.hasOwn(ENTERED, mode) ? ENTERED[mode as keyof typeof ENTERED] : undefined;
}
