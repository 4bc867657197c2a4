import { describe, expect, it } from 'vitest';
import { mergeConfig, moveOverridesToCredentials, pickNamed, withoutOverrides } from './flow-context.ts';

const CREDENTIALS = { type: 'OAUTH2', access_token: 'at', refresh_token: 'rt', raw: { access_token: 'at' } };

describe('configuration of a finished authorization', () => {
  it('is what was entered, with what the provider says where nothing was', () => {
    const found = { instance_url: 'theirs', 'team.id': 'T1', region: 'eu', flag: false };
    const entered = { region: 'us', instance_url: '', note: '', flag: true };

    expect(mergeConfig(found, entered)).toEqual({
      instance_url: 'theirs',
      'team.id': 'T1',
      region: 'us',
      note: '',
      flag: true,
    });
  });

  it('takes of the callback only what the entry names', () => {
    const query = { realmId: '1', code: 'secret', 'accounts-server': 'https://x.test' };

    expect(pickNamed(query, ['realmId', 'accounts-server', 'missing'])).toEqual({
      realmId: '1',
      'accounts-server': 'https://x.test',
    });
    expect(pickNamed(query, undefined)).toEqual({});
  });
});

describe('overrides of an authorization', () => {
  it('become credentials and leave no secret in the configuration', () => {
    const config = {
      tenant: 'mine',
      oauth_client_id_override: 'own',
      oauth_client_secret_override: 'own-secret',
      oauth_refresh_token_override: 'own-refresh',
      oauth_scopes_override: ' read, write,,',
    };

    expect(moveOverridesToCredentials(CREDENTIALS, config)).toEqual({
      credentials: {
        ...CREDENTIALS,
        refresh_token: 'own-refresh',
        raw: { access_token: 'at', refresh_token: 'own-refresh' },
        config_override: { client_id: 'own', client_secret: 'own-secret' },
      },
      config: { tenant: 'mine', oauth_scopes_override: ['read', 'write'], overrideTokenRefresh: true },
    });
  });

  it('that are empty change nothing', () => {
    const empty = {
      oauth_client_id_override: '',
      oauth_client_secret_override: '',
      oauth_refresh_token_override: '',
    };

    expect(moveOverridesToCredentials(CREDENTIALS, empty)).toEqual({ credentials: CREDENTIALS, config: {} });
  });

  it('are dropped where credentials have no place for them', () => {
    const config = { oauth_client_secret_override: 's', oauth_scopes_override: ['a', ' b '], kept: 1 };

    expect(withoutOverrides(config)).toEqual({ oauth_scopes_override: ['a', 'b'], kept: 1 });
  });
});
