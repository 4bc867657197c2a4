import { HomeportError } from '../platform/lib/homeport-error.ts';
import { presetConfig } from '../platform/lib/preset-config.ts';
import type { ProviderEntry } from './catalog/entry-schema.ts';
import type { FieldDefinition } from './catalog/field-schema.ts';
import { fitsField } from './catalog/field-schema.ts';
import { takesPublicClient } from './catalog/ways-in.contract.ts';
import type { IntegrationAppCredentials } from './integration.ts';
import type { IntegrationCredentialsInput } from './integrations.contract.ts';

/** The values that a person entered for an integration, by field name, including secret ones. */
export type IntegrationConfig = Record<string, string>;

/** By field name; null clears a field. */
export type ConfigChanges = Record<string, string | null>;

const APP_MEMBERS: Record<string, keyof IntegrationAppCredentials> = {
  client_id: 'clientId',
  client_secret: 'clientSecret',
  scopes: 'scopes',
  webhook_secret: 'webhookSecret',
  app_id: 'appId',
  app_link: 'appLink',
  private_key: 'privateKey',
};

/** App credentials and custom values as one object, by field name. */
export function toIntegrationConfig(app: IntegrationAppCredentials, custom: Record<string, string>): IntegrationConfig {
  const config: IntegrationConfig = { ...custom };
  for (const [field, member] of Object.entries(APP_MEMBERS)) {
    const value = app[member];
    if (value !== undefined) config[field] = value;
  }
  return config;
}

/** The stored parts after the changes. A field that the provider declares itself is not an app credential. */
export function applyConfigChanges(
  entry: ProviderEntry,
  stored: { app: IntegrationAppCredentials; custom: Record<string, string> },
  changes: ConfigChanges,
): { app: IntegrationAppCredentials; custom: Record<string, string> } {
  const app = { ...stored.app };
  const custom = { ...stored.custom };
  for (const [field, value] of Object.entries(changes)) {
    const member = field in (entry.integration_config ?? {}) ? undefined : APP_MEMBERS[field];
    if (member !== undefined) setOrDelete(app, member, value);
    else setOrDelete(custom, field, value);
  }
  // A client that a person enters replaces the registered one.
  if (app.clientId !== stored.app.clientId) {
    delete app.registeredFor;
    delete app.registrationEndsAt;
  }
  return { app, custom };
}

function setOrDelete(
  target: Record<string, string> | IntegrationAppCredentials,
  key: string,
  value: string | null,
): void {
  const members = target as Record<string, string>;
  if (value === null || value === '') delete members[key];
  else members[key] = value;
}

/**
 * Applies sent credentials to the stored ones (http-api.md 3, PATCH): id and secret are replaced; omitted scopes stay,
 * `""` clears them; for OAUTH2 an omitted webhook secret stays and `""` deletes it.
 */
export function mergeAppCredentials(
  stored: IntegrationAppCredentials,
  sent: IntegrationCredentialsInput,
): IntegrationAppCredentials {
  if (sent.type === 'APP') return { appId: sent.app_id, appLink: sent.app_link, privateKey: sent.private_key };
  if (sent.type === 'CUSTOM') {
    return {
      clientId: sent.client_id,
      clientSecret: sent.client_secret,
      appId: sent.app_id,
      appLink: sent.app_link,
      privateKey: sent.private_key,
    };
  }
  const scopes = sent.scopes ?? stored.scopes;
  const webhookSecret = ('webhook_secret' in sent ? sent.webhook_secret : undefined) ?? stored.webhookSecret;
  return {
    clientId: sent.client_id,
    ...(sent.client_secret === undefined ? {} : { clientSecret: sent.client_secret }),
    ...(scopes ? { scopes } : {}),
    ...(webhookSecret ? { webhookSecret } : {}),
  };
}

type Fields = Record<string, FieldDefinition>;
type Values = Record<string, string>;

/**
 * A problem in the values of an entry's `integration_config` (providers.md 2.4), as a sentence; undefined when there is
 * none. Fields that `visible_when` hides are neither required nor checked.
 */
export function findConfigProblem(
  fields: Fields,
  values: Values,
  options: { requiresAll: boolean },
): string | undefined {
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return `This provider has no integration_config field "${unknown}".`;
  for (const [name, field] of Object.entries(fields)) {
    if (!isVisible(name, fields, values)) continue;
    const value = values[name];
    if (value ? !fits(value, field) : options.requiresAll && isRequired(field)) {
      return value
        ? `integration_config.${name} does not have the expected form.`
        : `integration_config.${name} is required.`;
    }
  }
  return undefined;
}

function fits(value: string, field: FieldDefinition): boolean {
  return fitsField(value, field) && (field.format !== 'uri' || /^https?:\/\//i.test(value));
}

function isRequired(field: FieldDefinition): boolean {
  return !field.optional && !field.automated && !field.hidden && field.default_value === undefined;
}

/** A field that depends on a hidden field is hidden too. */
function isVisible(name: string, fields: Fields, values: Values, trail: string[] = []): boolean {
  const rule = fields[name]?.visible_when;
  if (!rule || trail.includes(name)) return true;
  const value = values[rule.field] ?? fields[rule.field]?.default_value;
  return [rule.equals].flat().includes(value ?? '') && isVisible(rule.field, fields, values, [...trail, name]);
}

/** Throws `invalid_body` for credentials of another auth mode. */
export function checkCredentialsType(entry: ProviderEntry, type: string | undefined): void {
  if (type !== undefined && type !== entry.auth_mode) {
    throw new HomeportError(
      'invalid_body',
      `This provider uses ${entry.auth_mode}; credentials of type ${type} cannot be used with it.`,
    );
  }
}

/** Throws `invalid_body` when the credentials of an app are not those that the provider's integrations take. */
export function checkAppCredentials(entry: ProviderEntry, sent: IntegrationCredentialsInput | undefined): void {
  checkCredentialsType(entry, sent?.type);
  if (sent?.type !== 'OAUTH2' || sent.client_secret !== undefined || takesPublicClient(entry)) return;
  const message = `${entry.display_name} needs the client secret of the app beside its client id.`;
  throw new HomeportError('invalid_body', message, {
    issues: [{ code: 'invalid_type', message, path: ['credentials', 'client_secret'] }],
  });
}

interface SentConfig {
  integration_config?: Values | undefined;
  custom?: Values | undefined;
}

/** Throws `invalid_body` when the body contains values in the wrong form for the provider. */
export function checkCustom(entry: ProviderEntry, body: SentConfig): void {
  const declared = entry.integration_config;
  if (body.integration_config && !declared) {
    throw new HomeportError('invalid_body', 'This provider takes no integration_config.');
  }
  if (body.custom && declared) {
    throw new HomeportError('invalid_body', 'This provider takes integration_config instead of custom.');
  }
  checkPresets(entry, body);
}

/** Throws `invalid_body` for a problem in the values of `integration_config`. */
export function checkDeclared(
  entry: ProviderEntry,
  values: Record<string, string> | undefined,
  options: { requiresAll: boolean },
): void {
  const problem = values && findConfigProblem(entry.integration_config ?? {}, values, options);
  if (problem !== undefined) throw new HomeportError('invalid_body', problem);
}

/** Throws `invalid_body` for a value that fields of connections with the same name do not allow (design.md 7.61). */
function checkPresets(entry: ProviderEntry, body: SentConfig): void {
  const member = body.integration_config ? 'integration_config' : 'custom';
  for (const [name, value] of Object.entries(presetConfig(entry, body[member] ?? {}))) {
    const field = entry.connection_config?.[name];
    if (!field || fits(value, field)) continue;
    const example = field.example === undefined ? '' : ` Example: ${field.example}`;
    throw refusedMember(
      `${member}.${name}`,
      `"${name}" does not have the form that connections of ${entry.display_name} need.${example}`,
    );
  }
}

/** Adds the provider's default scopes, unless scopes were sent; an empty text means "no scopes". */
export function withDefaultScopes<Credentials extends object>(
  credentials: Credentials,
  entry: ProviderEntry,
): Credentials {
  if (('scopes' in credentials && credentials.scopes !== undefined) || !entry.default_scopes?.length)
    return credentials;
  return { ...credentials, scopes: entry.default_scopes.join(',') };
}

export function missingIntegration(uniqueKey: string): HomeportError {
  return new HomeportError('not_found', `There is no integration "${uniqueKey}".`);
}

export function takenKey(uniqueKey: string): HomeportError {
  return refusedMember('unique_key', `There is already an integration "${uniqueKey}".`);
}

export function refusedMember(path: string, message: string): HomeportError {
  return new HomeportError('invalid_body', message, { issues: [{ code: 'invalid_string', message, path: [path] }] });
}
