import { describe, expect, it } from 'vitest';
import { CONNECT_CHECKS, type ConnectValues, connectBody } from './connect-form.ts';

const EMPTY: ConnectValues = {
  userId: 'test-user',
  userEmail: '',
  userName: '',
  tags: [],
  authorizationParams: [],
  scopes: '',
  clientId: '',
  clientSecret: '',
  docsConnect: '',
  webhookUrl: '',
};
const FULL: ConnectValues = {
  userId: ' u7 ',
  userEmail: 'u7@example.test',
  userName: 'Una',
  tags: [
    { key: 'plan', value: 'pro' },
    { key: '', value: '' },
  ],
  authorizationParams: [{ key: 'prompt', value: 'consent' }],
  scopes: 'repo, user\nread:org',
  clientId: 'own',
  clientSecret: 'secret',
  docsConnect: 'https://docs.example',
  webhookUrl: 'http://localhost:4000/hook',
};

describe('connectBody', () => {
  it('sends only the user when only the user was filled in', () => {
    expect(connectBody('github', EMPTY, true)).toEqual({ integrationKey: 'github', endUser: { id: 'test-user' } });
  });

  it('sends the filled fields, scopes as one list', () => {
    expect(connectBody('github', FULL, true)).toEqual({
      integrationKey: 'github',
      endUser: { id: 'u7', email: 'u7@example.test', displayName: 'Una' },
      tags: { plan: 'pro' },
      authorizationParams: { prompt: 'consent' },
      scopes: 'repo,user,read:org',
      clientId: 'own',
      clientSecret: 'secret',
      docsConnect: 'https://docs.example',
      webhookUrlOverride: 'http://localhost:4000/hook',
    });
  });

  it('leaves out the options of a sign-in that the integration chosen last does not have', () => {
    expect(Object.keys(connectBody('practice', FULL, false))).toEqual([
      'integrationKey',
      'endUser',
      'tags',
      'docsConnect',
      'webhookUrlOverride',
    ]);
  });
});

describe('CONNECT_CHECKS', () => {
  it.each([
    [[{ key: '1st', value: 'x' }], /starts with a letter/],
    [[{ key: 'plan', value: '' }], /needs a value/],
    [[{ key: '', value: 'x' }], /starts with a letter/],
    [
      [
        { key: 'Plan', value: 'a' },
        { key: 'plan', value: 'b' },
      ],
      /same name/,
    ],
    [Array.from({ length: 11 }, (_, index) => ({ key: `t${index}`, value: 'x' })), /At most 10/],
  ])('refuses the tags %j', (tags, message) => {
    expect(CONNECT_CHECKS.tags(tags)).toMatch(message);
  });

  it('accepts empty rows', () => {
    expect(CONNECT_CHECKS.tags([{ key: '', value: '' }])).toBeNull();
  });

  it('wants a client ID with a secret, and web addresses', () => {
    expect(CONNECT_CHECKS.clientSecret('s', EMPTY)).toMatch(/client ID/);
    expect(CONNECT_CHECKS.webhookUrl('ftp://a.example')).toMatch(/http/);
    expect(CONNECT_CHECKS.docsConnect('docs')).toMatch(/http/);
    expect(CONNECT_CHECKS.docsConnect('')).toBeNull();
  });
});
