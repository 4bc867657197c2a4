import type { RedirectRule } from '../../contract/dashboard/dashboard-integrations.ts';

/**
 * What providers take as redirect address, where their documentation says so: `loopback` is http under any name of this
 * computer, `localhost` http under that name only, `https` nothing without TLS.
 */
const RULES: Readonly<Record<string, RedirectRule>> = {
  google: 'loopback',
  'google-calendar': 'loopback',
  'google-mail': 'loopback',
  hubspot: 'localhost',
  'practice-oauth1': 'loopback',
  'practice-oauth2': 'loopback',
  slack: 'https',
};

/** Null where we do not know. */
export const redirectRuleOf = (provider: string): RedirectRule | null => RULES[provider] ?? null;
