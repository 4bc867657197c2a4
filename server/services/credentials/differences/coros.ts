import type { ProviderDifference } from './provider-difference.ts';

const MONTH_S = 30 * 24 * 3600;
const DONE = '0000';

/** A refresh makes no new token: it answers that the one in use is good for another 30 days. */
const coros: ProviderDifference = {
  refuses: ({ result }) => result !== undefined && result !== DONE,
  read: (answer, { stored }) =>
    stored && answer['access_token'] === undefined
      ? { access_token: stored['access_token'], expires_in: MONTH_S }
      : answer,
};

export const COROS: Record<string, ProviderDifference> = { coros, 'coros-sandbox': coros };
