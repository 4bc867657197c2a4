import type { IntegrationRow } from './integrations.store.ts';

/** The developer's app at the provider; the auth mode determines its members (http-api.md 3). */
export interface IntegrationAppCredentials {
  clientId?: string;
  clientSecret?: string;
  /** Comma-separated. */
  scopes?: string;
  webhookSecret?: string;
  appId?: string;
  appLink?: string;
  privateKey?: string;
  /** For a client that a provider registered for the hub: the callback address of the registration. */
  registeredFor?: string;
  /** When such a client expires, ISO 8601; absent when it does not expire. */
  registrationEndsAt?: string;
}

/** A client that a provider registered for the hub (RFC 7591). */
export type RegisteredApp = Required<Pick<IntegrationAppCredentials, 'clientId' | 'registeredFor'>> &
  Pick<IntegrationAppCredentials, 'clientSecret' | 'registrationEndsAt'>;

export type Integration = Omit<IntegrationRow, 'credentials' | 'custom'>;
