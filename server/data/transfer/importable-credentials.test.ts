import { describe, expect, it } from 'vitest';
import { toImportable } from './write-hub.ts';

describe('credentials of an export', () => {
  it('keep the members that an import accepts', () => {
    const read = { type: 'API_KEY', apiKey: 'k', something: 'else' };

    expect(toImportable(read, {})).toEqual({ type: 'API_KEY', apiKey: 'k' });
  });

  it('of OAuth 2 say when they do not expire', () => {
    expect(toImportable({ type: 'OAUTH2', access_token: 't', expires_at: null }, {})).toEqual({
      type: 'OAUTH2',
      access_token: 't',
      no_expiration: true,
    });
  });

  it.each(['APP', 'CUSTOM'])('of %s name the installation: its token is made again', (type) => {
    const config = { app_id: 7, installation_id: '8', other: 'x' };

    expect(toImportable({ type, access_token: 't' }, config)).toEqual({ type, app_id: '7', installation_id: '8' });
    expect(toImportable({ type, access_token: 't' }, { app_id: 7 })).toBeUndefined();
  });

  it.each(['JWT', 'TWO_STEP', 'SIGNATURE', 'BILL', 'AWS_SIGV4'])('of %s cannot be imported', (type) => {
    expect(toImportable({ type }, {})).toBeUndefined();
  });
});
