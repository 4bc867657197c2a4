import { BRAINTREE } from './braintree.ts';
import { BULLHORN } from './bullhorn.ts';
import { COROS } from './coros.ts';
import { HEADER_CLIENTS } from './header-clients.ts';
import { META } from './meta.ts';
import { MICROSOFT } from './microsoft.ts';
import type { ProviderDifference } from './provider-difference.ts';
import { PUBLIC_CLIENTS } from './public-clients.ts';
import { RENAMED_TOKENS } from './renamed-tokens.ts';
import { SALESFORCE } from './salesforce.ts';
import { SIGNED_CLIENTS } from './signed-clients.ts';
import { SLACK } from './slack.ts';
import { TIKTOK } from './tiktok.ts';

const NONE: ProviderDifference = {};

const DIFFERENCES: Readonly<Record<string, ProviderDifference>> = {
  ...BRAINTREE,
  ...BULLHORN,
  ...COROS,
  ...HEADER_CLIENTS,
  ...META,
  ...MICROSOFT,
  ...PUBLIC_CLIENTS,
  ...RENAMED_TOKENS,
  ...SALESFORCE,
  ...SIGNED_CLIENTS,
  ...SLACK,
  ...TIKTOK,
};

/** How a provider departs from OAuth 2 beyond what its entry says; mostly not at all. */
export function differenceOf(provider: string): ProviderDifference {
  return Object.hasOwn(DIFFERENCES, provider) ? (DIFFERENCES[provider] ?? NONE) : NONE;
}
