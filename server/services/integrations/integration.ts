import type { IntegrationRow } from '../../stores/integrations-store.ts';

/** The developer's app at the provider; which members exist follows from the auth mode (http-api.md 3). */
export interface AppCredentials {
  clientId?: string;
  clientSecret?: string;
  /** Comma-separated. */
  scopes?: string;
  webhookSecret?: string;
  appId?: string;
  appLink?: string;
  privateKey?: string;
}

export type Integration = Omit<IntegrationRow, 'credentials' | 'custom'>;
