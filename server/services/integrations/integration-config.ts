import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { AppCredentials } from './integration.ts';

/** What a person enters for an integration, by field name. Secret values are among them. */
export type IntegrationConfig = Record<string, string>;

/** By field name; null empties a field. */
export type ConfigChanges = Record<string, string | null>;

const APP_MEMBERS: Record<string, keyof AppCredentials> = {
  client_id: 'clientId',
  client_secret: 'clientSecret',
  scopes: 'scopes',
  webhook_secret: 'webhookSecret',
  app_id: 'appId',
  app_link: 'appLink',
  private_key: 'privateKey',
};

export function toIntegrationConfig(app: AppCredentials, custom: Record<string, string>): IntegrationConfig {
  const config: IntegrationConfig = { ...custom };
  for (const [field, member] of Object.entries(APP_MEMBERS)) {
    const value = app[member];
    if (value !== undefined) config[field] = value;
  }
  return config;
}

/** The stored parts after the changes; a field that the provider declares itself is never an app credential. */
export function applyConfigChanges(
  entry: ProviderEntry,
  stored: { app: AppCredentials; custom: Record<string, string> },
  changes: ConfigChanges,
): { app: AppCredentials; custom: Record<string, string> } {
  const app = { ...stored.app };
  const custom = { ...stored.custom };
  for (const [field, value] of Object.entries(changes)) {
    const member = field in (entry.integration_config ?? {}) ? undefined : APP_MEMBERS[field];
    if (member !== undefined) setOrDelete(app, member, value);
    else setOrDelete(custom, field, value);
  }
  // A client that a person enters is not the one that was registered.
  if (app.clientId !== stored.app.clientId) {
    delete app.registeredFor;
    delete app.registrationEndsAt;
  }
  return { app, custom };
}

function setOrDelete(target: Record<string, string> | AppCredentials, key: string, value: string | null): void {
  const members = target as Record<string, string>;
  if (value === null || value === '') delete members[key];
  else members[key] = value;
}
