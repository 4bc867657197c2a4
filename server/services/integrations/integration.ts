import type { IntegrationRow } from '../../stores/integrations-store.ts';

/** The developer's app at the provider; which members exist follows from the auth mode (http-api.md 3). */
export interface IntegrationAppCredentials {
  clientId?: string;
  clientSecret?: string;
  /** Comma-separated. */
  scopes?: string;
  webhookSecret?: string;
  appId?: string;
  appLink?: string;
  privateKey?: string;
  /** Set on a client that a provider registered for the hub: the callback address it was registered for. */
  registeredFor?: string;
  /** When such a client ends, ISO 8601; absent when it does not. */
  registrationEndsAt?: string;
}

/** A client that a provider registered for the hub (RFC 7591). */
export type RegisteredApp = Required<Pick<IntegrationAppCredentials, 'clientId' | 'registeredFor'>> &
  Pick<IntegrationAppCredentials, 'clientSecret' | 'registrationEndsAt'>;

export type Integration = Omit<IntegrationRow, 'credentials' | 'custom'>;
