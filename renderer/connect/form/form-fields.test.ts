import { describe, expect, it } from 'vitest';
import type { OfferedIntegration, OfferedProvider, OpenConnectSession } from '../../api/connect-api.ts';
import { createTranslate } from '../texts/translate.ts';
import type { FormField } from './form-field.ts';
import { type FormSubject, formFields } from './form-fields.ts';

interface Parts {
  provider: Record<string, unknown>;
  presets?: Record<string, unknown>;
  integration?: Record<string, unknown>;
  isReconnecting?: boolean;
}

function subject({ provider, presets, integration, isReconnecting }: Parts): FormSubject {
  return {
    provider: provider as OfferedProvider,
    integration: { unique_key: 'crm', display_name: 'CRM', ...integration } as OfferedIntegration,
    session: {
      ...(presets ? { integrations_config_defaults: { crm: { connection_config: presets } } } : {}),
      ...(isReconnecting ? { isReconnecting } : {}),
    } as unknown as OpenConnectSession,
    t: createTranslate({}),
    makeId: () => 'made-id',
  };
}

const fields = (parts: Parts): FormField[] => formFields(subject(parts));
const ids = (parts: Parts): string[] => fields(parts).map(({ id }) => id);
const field = (parts: Parts, id: string): FormField | undefined => fields(parts).find((one) => one.id === id);

describe('the fields of a mode', () => {
  it.each([
    ['API_KEY', ['apiKey']],
    ['BASIC', ['username', 'password']],
    ['SIGNATURE', ['username', 'password']],
    ['OAUTH2_CC', ['client_id', 'client_secret']],
    ['TBA', ['oauth_client_id_override', 'oauth_client_secret_override', 'token_id', 'token_secret']],
    ['BILL', ['username', 'password', 'organization_id', 'dev_key']],
    ['JWT', []],
    ['OAUTH2', []],
    ['APP', []],
    ['NONE', []],
  ])('%s', (auth_mode, keys) => {
    const found = fields({ provider: { auth_mode } });

    expect(found.map(({ id }) => id)).toEqual(keys.map((key) => `credentials.${key}`));
    expect(found.every(({ isRequired, isShown }) => isRequired && isShown)).toBe(true);
  });

  it('OAUTH2_CC without a secret where a key signs, and with certificate and key where they are needed', () => {
    const signed = { auth_mode: 'OAUTH2_CC', token_request_auth_method: 'private_key_jwt' };
    const mutual = { auth_mode: 'OAUTH2_CC', require_client_certificate: true };

    expect(ids({ provider: signed })).toEqual(['credentials.client_id']);
    expect(ids({ provider: mutual })).toEqual(
      ['client_id', 'client_secret', 'client_certificate', 'client_private_key'].map((key) => `credentials.${key}`),
    );
  });

  it('AWS_SIGV4 begins with an id to copy, except when an account is connected again', () => {
    const provider = { auth_mode: 'AWS_SIGV4' };

    expect(ids({ provider })).toEqual(['params.external_id', 'credentials.role_arn']);
    expect(field({ provider }, 'params.external_id')).toMatchObject({ initial: 'made-id', isGenerated: true });
    expect(ids({ provider, isReconnecting: true })).toEqual(['credentials.role_arn']);
  });

  it('TWO_STEP asks for the values that the integration leaves to the person', () => {
    const provider = {
      auth_mode: 'TWO_STEP',
      credentials: { user: { title: 'User' } },
      integration_config: { partner: { title: 'Partner', optional: true }, region: { title: 'Region' } },
    };
    const parts = { provider, integration: { preconfigured_credentials: ['region'] } };

    expect(ids(parts)).toEqual(['credentials.user', 'credentials.partner']);
    expect(field(parts, 'credentials.partner')).toMatchObject({ isRequired: true });
  });

  it('no mode asks for the configuration that the integration has', () => {
    const provider = {
      auth_mode: 'API_KEY',
      credentials: { apiKey: { title: 'Key' } },
      connection_config: { host: { title: 'Host' }, region: { title: 'Region' } },
    };
    const parts = { provider, integration: { preconfigured_connection_config: ['host'] } };

    expect(ids(parts)).toEqual(['credentials.apiKey', 'params.region']);
  });

  it('OAUTH2 asks for an own client where the session names one without a value', () => {
    const presets = { oauth_client_id_override: '', oauth_client_secret_override: '' };
    const parts = { provider: { auth_mode: 'OAUTH2' }, presets };

    expect(ids(parts)).toEqual(['credentials.oauth_client_id_override', 'credentials.oauth_client_secret_override']);
    expect(fields(parts).every(({ isRequired }) => !isRequired)).toBe(true);
    expect(ids({ ...parts, presets: { oauth_client_id_override: 'given' } })).toEqual([]);
  });
});

describe('the definition of a field', () => {
  const provider = {
    auth_mode: 'API_KEY',
    credentials: { apiKey: { title: 'Token', secret: true }, scope: { title: 'Scope' } },
    connection_config: {
      last: { title: 'Last' },
      second: { title: 'Second', order: 2 },
      first: { title: 'First', order: 1 },
      made: { title: 'Made', automated: true },
    },
    assertion_option: { once: { title: 'Once' } },
  };

  it('puts ordered settings first, then credentials, the other settings and the assertion', () => {
    expect(ids({ provider })).toEqual([
      'params.first',
      'params.second',
      'credentials.apiKey',
      'credentials.scope',
      'params.last',
      'assertion_option.once',
    ]);
  });

  it('restyles the mode’s own fields, and the integration relabels the key', () => {
    expect(field({ provider }, 'credentials.apiKey')).toMatchObject({ title: 'Token', secret: true });
    const relabelled = { provider, integration: { credentials_label: { apiKey: 'Personal token' } } };
    expect(field(relabelled, 'credentials.apiKey')?.title).toBe('Personal token');
  });

  it('hides a field that the session fixed, and keeps its value', () => {
    const parts = { provider, presets: { first: 'acme', last: 7 } };

    expect(field(parts, 'params.first')).toMatchObject({ isShown: false, isPreset: true, initial: 'acme' });
    expect(field(parts, 'params.last')).toMatchObject({ isShown: false, initial: '7' });
    expect(field(parts, 'params.second')).toMatchObject({ isShown: true, isPreset: false });
  });

  it('starts required choices at the first one and others at nothing', () => {
    const choice = (definition: object): FormField | undefined =>
      field({ provider: { auth_mode: 'NONE', connection_config: { region: definition } } }, 'params.region');

    expect(choice({ title: 'Region', enum: ['eu', 'us'] })?.initial).toBe('eu');
    expect(choice({ title: 'Region', enum: ['eu', 'us'], optional: true })?.initial).toBe('');
    expect(choice({ title: 'Region', enum: ['eu', 'us'], default_value: 'us' })).toMatchObject({
      initial: 'us',
      isRequired: false,
    });
  });

  it('shows no hidden field and requires none with a default, even an empty one', () => {
    const password = { title: 'Password', hidden: true, default_value: '' };
    const parts = { provider: { auth_mode: 'BASIC', credentials: { password } } };

    expect(field(parts, 'credentials.password')).toMatchObject({ isShown: false, isRequired: false, initial: '' });
  });
});
