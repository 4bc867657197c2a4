import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  issueGithubApp,
  issueGithubAppJwt,
} from '../../../server/connections/credentials/auth-modes/issue-github-app.ts';
import { issueBill } from '../../../server/connections/credentials/auth-modes/issue-other-modes.ts';
import type { TokenContext } from '../../../server/connections/credentials/token-context.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { TOKEN_NOW, tokenContext } from '../../support/token-fixture.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await FakeProvider.start();
});

afterEach(() => provider.stop());

describe('mintBill', () => {
  const given = { username: 'me', password: 'canary-pass', organization_id: 'org', dev_key: 'canary-dev' };
  const issue = (values: Record<string, unknown> = given) =>
    issueBill(tokenContext({ entry: { auth_mode: 'BILL', token_url: `${provider.address}/login` } }), values);

  it('logs in and keeps the session for 35 minutes', async () => {
    const body = { sessionId: 'S', organizationId: 'ORG', userId: 'U' };
    provider.on('POST /login', { body });

    const { credentials } = await issue();

    const [request] = provider.requests;
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.body.toString()).toBe(
      '{"username":"me","password":"canary-pass","organizationId":"org","devKey":"canary-dev"}',
    );
    expect(credentials).toEqual({
      type: 'BILL',
      ...given,
      organization_id: 'ORG',
      session_id: 'S',
      user_id: 'U',
      expires_at: '2026-06-01T12:35:00.000Z',
      raw: body,
    });
  });

  it('logs in again from what is stored', async () => {
    provider.on('POST /login', { body: { sessionId: 'S', organizationId: 'ORG', userId: 'U' } });
    const { credentials } = await issue();

    await issue(credentials);

    expect(JSON.parse(provider.requests[1]!.body.toString())).toEqual({
      username: 'me',
      password: 'canary-pass',
      organizationId: 'ORG',
      devKey: 'canary-dev',
    });
  });

  it.each([
    ['a refusal', { status: 401, body: { message: 'Bad canary-pass' } }, '(status 401): Bad REDACTED.'],
    ['another success', { status: 201, body: { sessionId: 'S' } }, '(status 201).'],
    ['an answer without a session', { body: { userId: 'U' } }, '(status 200).'],
    ['a list', { body: [] }, '(status 200).'],
  ])('says why: %s', async (_name, response, ending) => {
    provider.on('POST /login', response);

    await expect(issue()).rejects.toMatchObject({
      code: 'invalid_credentials',
      status: 400,
      message: `The provider refused the login ${ending}`,
    });
  });

  it('needs a token address', async () => {
    await expect(issueBill(tokenContext({ entry: { auth_mode: 'BILL' } }), given)).rejects.toMatchObject({
      code: 'missing_token_url',
    });
  });
});

describe('mintGithubApp', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const app = { appId: '123', privateKey: Buffer.from(pem).toString('base64') };
  const body = { token: 'ghs_T', expires_at: '2026-06-01T13:00:00Z', permissions: { issues: 'read' } };

  const context = (parts: Partial<TokenContext> = {}, mode: 'APP' | 'CUSTOM' = 'APP') => {
    const address = `${provider.address}/app/installations/\${connectionConfig.installation_id}/access_tokens`;
    const entry = {
      auth_mode: mode,
      token_url: mode === 'APP' ? address : { APP: address, OAUTH2: 'https://else.test' },
    };
    return tokenContext({ app, connectionConfig: { installation_id: '77', other: 'o' }, ...parts, entry });
  };

  beforeEach(() => {
    provider.on('POST /app/installations/77/access_tokens', { status: 201, body });
  });

  it('asks for the token of the installation with a token of the app', async () => {
    const { credentials, config } = await issueGithubApp(context(), {});

    const { headers, body: sent } = provider.requests[0]!;
    expect(headers).toMatchObject({ accept: 'application/vnd.github.v3+json', 'user-agent': 'Homeport' });
    expect(sent.toString()).toBe('');
    const jwt = String(headers['authorization']).replace(/^Bearer /, '');
    const { payload, protectedHeader } = await jwtVerify(jwt, publicKey, { currentDate: new Date(TOKEN_NOW) });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT' });
    expect(payload).toEqual({ iss: '123', iat: TOKEN_NOW / 1_000 - 60, exp: TOKEN_NOW / 1_000 + 540 });
    expect(credentials).toEqual({
      type: 'APP',
      access_token: 'ghs_T',
      expires_at: '2026-06-01T13:00:00.000Z',
      raw: body,
      jwtToken: jwt,
    });
    expect(config).toEqual({ installation_id: '77', app_id: '123', jwtToken: jwt });
  });

  it('takes what an import names, and the app half of a combined provider', async () => {
    const given = { type: 'CUSTOM', app_id: '9', installation_id: 77 };
    const { credentials, config } = await issueGithubApp(
      context({ app: { privateKey: pem }, connectionConfig: {} }, 'CUSTOM'),
      given,
    );

    expect(credentials).toMatchObject({ type: 'APP', access_token: 'ghs_T' });
    expect(config).toMatchObject({ installation_id: '77', app_id: '9' });
  });

  it('can renew the token of the app alone', async () => {
    const stored = { type: 'APP', access_token: 'ghs_old', expires_at: 'e', raw: {}, jwtToken: 'old' };

    const { credentials, config } = await issueGithubAppJwt(context(), stored);

    const { jwtToken } = credentials;
    await expect(jwtVerify(String(jwtToken), publicKey, { currentDate: new Date(TOKEN_NOW) })).resolves.toBeDefined();
    expect(credentials).toEqual({ ...stored, jwtToken });
    expect(config).toEqual({ jwtToken });
    expect(provider.requests).toEqual([]);
  });

  it.each([
    ['missing_installation_id', { connectionConfig: {} }],
    ['missing_app_id', { app: { privateKey: app.privateKey } }],
    ['invalid_credentials', { app: { appId: '123' } }],
    ['invalid_credentials', { app: { appId: '123', privateKey: 'canary' } }],
  ])('is %s before anything leaves: %j', async (code, parts) => {
    await expect(issueGithubApp(context(parts), {})).rejects.toMatchObject({
      code,
      message: expect.not.stringContaining('canary'),
    });
    expect(provider.requests).toEqual([]);
  });

  it.each([
    ['a refusal', { status: 404, body: { message: 'Not Found' } }, '(status 404): Not Found.'],
    ['an answer without a token', { status: 201, body: {} }, '(status 201).'],
  ])('says why: %s', async (_name, response, ending) => {
    provider.on('POST /app/installations/77/access_tokens', response);

    await expect(issueGithubApp(context(), {})).rejects.toMatchObject({
      code: 'invalid_credentials',
      message: `GitHub gave no token for the installation ${ending}`,
    });
  });
});
