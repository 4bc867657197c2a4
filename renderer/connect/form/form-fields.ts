import type { OfferedIntegration, OfferedProvider, OpenConnectSession } from '../../api/connect-api.ts';
import type { TextKey, Translate } from '../texts/translate.ts';
import type { FieldPart, FormField, FormFieldDefinition } from './form-field.ts';

export interface FormSubject {
  provider: OfferedProvider;
  integration: OfferedIntegration;
  session: OpenConnectSession;
  t: Translate;
  makeId(): string;
}

type Definitions = Record<string, FormFieldDefinition>;
type BaseField = [key: string, title: TextKey, isSecret?: 'secret'];

const LOGIN: BaseField[] = [
  ['username', 'field.username'],
  ['password', 'field.password', 'secret'],
];

/** Fields that a mode always needs, even when the provider's definition omits them (ui.md 11.4). */
const BASE_FIELDS: Record<string, BaseField[]> = {
  API_KEY: [['apiKey', 'field.apiKey', 'secret']],
  BASIC: LOGIN,
  SIGNATURE: LOGIN,
  BILL: [...LOGIN, ['organization_id', 'field.organizationId'], ['dev_key', 'field.devKey', 'secret']],
  TBA: [
    ['oauth_client_id_override', 'field.clientId'],
    ['oauth_client_secret_override', 'field.clientSecret', 'secret'],
    ['token_id', 'field.tokenId'],
    ['token_secret', 'field.tokenSecret', 'secret'],
  ],
  AWS_SIGV4: [['role_arn', 'field.roleArn']],
};

/** When a session gives one of these an empty value, the person is asked for it. */
const CLIENT_OVERRIDES: BaseField[] = [
  ['oauth_client_id_override', 'field.clientId'],
  ['oauth_client_secret_override', 'field.clientSecret', 'secret'],
  ['oauth_refresh_token_override', 'field.refreshToken', 'secret'],
];

/** All fields in their order, invisible ones included; fields that are filled automatically are left out. */
export function formFields(subject: FormSubject): FormField[] {
  const { provider, integration } = subject;
  const presets = presetsOf(subject);
  const build = (part: FieldPart, definitions: Definitions, values: Record<string, unknown> = {}): FormField[] =>
    Object.entries(definitions)
      .filter(([, { automated }]) => automated !== true)
      .map(([key, definition]) => toField(part, key, definition, values[key]));
  const ofIntegration = new Set(integration.preconfigured_connection_config);
  const asked = Object.entries(definitionsOf(provider.connection_config)).filter(([key]) => !ofIntegration.has(key));
  const params = build('params', Object.fromEntries(asked), presets);
  const ordered = params.filter(({ order }) => order !== undefined).sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  return [
    ...generatedFields(subject),
    ...ordered,
    ...build('credentials', credentialDefinitions(subject, presets)),
    ...params.filter(({ order }) => order === undefined),
    ...build('assertion_option', definitionsOf(provider['assertion_option'])),
  ];
}

function toField(part: FieldPart, key: string, definition: FormFieldDefinition, preset: unknown): FormField {
  const isPreset = preset !== undefined && preset !== null;
  const isRequired = definition.optional !== true && definition.default_value === undefined;
  const firstChoice = isRequired ? definition.enum?.[0] : undefined;
  return {
    ...definition,
    id: `${part}.${key}`,
    part,
    key,
    title: definition.title ?? key,
    initial: isPreset ? String(preset) : (definition.default_value ?? firstChoice ?? ''),
    isRequired,
    isShown: !isPreset && definition.hidden !== true,
    isPreset,
  };
}

function credentialDefinitions(subject: FormSubject, presets: Record<string, unknown>): Definitions {
  const { provider, integration, t } = subject;
  const own = definitionsOf(provider.credentials);
  const base: Definitions = {};
  for (const [key, title, isSecret] of baseFields(subject)) {
    base[key] = { title: t(title), secret: isSecret === 'secret', ...own[key] };
  }
  for (const [key, title, isSecret] of overrideFields(subject, presets)) {
    base[key] = { title: t(title), secret: isSecret === 'secret', ...own[key], optional: true };
  }
  // The first spread puts the mode's fields first; the last one sets their values, which include the provider's part.
  const definitions = { ...base, ...own, ...base };
  if (provider.auth_mode === 'TWO_STEP') addIntegrationFields(definitions, subject);
  const label = integration.credentials_label?.apiKey;
  if (label && definitions['apiKey']) definitions['apiKey'] = { ...definitions['apiKey'], title: label };
  return definitions;
}

function baseFields({ provider }: FormSubject): BaseField[] {
  return provider.auth_mode === 'OAUTH2_CC' ? clientFields(provider) : (BASE_FIELDS[provider.auth_mode] ?? []);
}

function clientFields(provider: OfferedProvider): BaseField[] {
  const hasSecret = provider['token_request_auth_method'] !== 'private_key_jwt';
  return [
    ['client_id', 'field.clientId'],
    ...(hasSecret ? ([['client_secret', 'field.clientSecret', 'secret']] satisfies BaseField[]) : []),
    ...(provider['require_client_certificate'] === true
      ? ([
          ['client_certificate', 'field.clientCertificate', 'secret'],
          ['client_private_key', 'field.privateKey', 'secret'],
        ] satisfies BaseField[])
      : []),
  ];
}

function overrideFields({ provider }: FormSubject, presets: Record<string, unknown>): BaseField[] {
  return provider.auth_mode === 'OAUTH2' ? CLIENT_OVERRIDES.filter(([key]) => presets[key] === '') : [];
}

/** Values of the integration that its owner lets the person enter. */
function addIntegrationFields(definitions: Definitions, { provider, integration }: FormSubject): void {
  for (const [key, definition] of Object.entries(definitionsOf(provider['integration_config']))) {
    if (integration.preconfigured_credentials?.includes(key)) continue;
    const { optional: _optional, default_value: _default, ...required } = definition;
    definitions[key] ??= required;
  }
}

/** AWS needs an id that only we and the person's role know; it stays the same when an account is reconnected. */
function generatedFields({ provider, session, t, makeId }: FormSubject): FormField[] {
  if (provider.auth_mode !== 'AWS_SIGV4' || session.isReconnecting) return [];
  const definition = { title: t('field.externalId'), description: t('field.externalId.hint') };
  return [{ ...toField('params', 'external_id', definition, undefined), initial: makeId(), isGenerated: true }];
}

const definitionsOf = (value: unknown): Definitions => (value ?? {}) as Definitions;

function presetsOf({ session, integration }: FormSubject): Record<string, unknown> {
  return session.integrations_config_defaults?.[integration.unique_key]?.connection_config ?? {};
}
