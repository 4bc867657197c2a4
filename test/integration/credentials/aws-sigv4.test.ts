import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issueAwsSigv4 } from '../../../server/connections/credentials/auth-modes/issue-other-modes.ts';
import { FakeProvider, type ScriptedResponse } from '../../support/fake-provider.ts';
import { TOKEN_UUID, tokenContext } from '../../support/token-fixture.ts';
import { verifyAwsSignature } from '../../support/verify-aws-signature.ts';

const ROLE = 'arn:aws:iam::123456789012:role/team/homeport-reader';
const UUID = '7f3b6f0e-1111-4222-8333-444455556666';
const builtin = {
  service: 's3',
  defaultRegion: 'eu-west-1',
  stsMode: 'builtin',
  awsAccessKeyId: 'AKIDEXAMPLE',
  awsSecretAccessKey: 'canary-own-secret',
};

let provider: FakeProvider;
let assumed: ScriptedResponse;
let identity: ScriptedResponse;

beforeEach(async () => {
  provider = await FakeProvider.start();
  assumed = { headers: { 'content-type': 'text/xml' }, body: assumeRoleXml('ASIAROLE', 'canary-role-secret') };
  identity = { body: identityXml('arn:aws:sts::123456789012:assumed-role/homeport-reader/homeport-abab') };
  provider.on('POST /', ({ body }) => (body.toString().includes('GetCallerIdentity') ? identity : assumed));
});

afterEach(() => provider.stop());

function assumeRoleXml(id: string, secret: string): string {
  return `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
    <AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>canary-session</SessionToken>
    <Expiration>2026-06-01T13:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
}

function identityXml(arn: string): string {
  return `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
    <Arn>${arn}</Arn><UserId>U</UserId></GetCallerIdentityResult></GetCallerIdentityResponse>`;
}

interface MintParts {
  given?: Record<string, unknown>;
  custom?: Record<string, string>;
  config?: Record<string, unknown>;
}

function issue({ given = { role_arn: ROLE }, custom = builtin, config = {} }: MintParts = {}) {
  const plays = Object.fromEntries(
    ['sts.eu-west-1.amazonaws.com', 'sts.us-east-2.amazonaws.com', 'sts.cn-north-1.amazonaws.com.cn'].map((host) => [
      `https://${host}`,
      provider.address,
    ]),
  );
  return issueAwsSigv4(
    tokenContext({ entry: { auth_mode: 'AWS_SIGV4' }, custom, connectionConfig: config, plays }),
    given,
  );
}

const forms = () => provider.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body.toString())));

describe('mintAwsSigv4 at AWS', () => {
  it('assumes the role with the keys of the integration and tries the new ones', async () => {
    const { credentials, config } = await issue();

    const [assume, identify] = provider.requests as [(typeof provider.requests)[0], (typeof provider.requests)[0]];
    expect(assume.headers).toMatchObject({
      host: 'sts.eu-west-1.amazonaws.com',
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    });
    expect(verifyAwsSignature(assume, 'canary-own-secret')).toMatchObject({
      accessKeyId: 'AKIDEXAMPLE',
      region: 'eu-west-1',
      service: 'sts',
    });
    expect(verifyAwsSignature(identify, 'canary-role-secret').accessKeyId).toBe('ASIAROLE');
    expect(identify.headers['x-amz-security-token']).toBe('canary-session');
    expect(forms()).toEqual([
      {
        Action: 'AssumeRole',
        Version: '2011-06-15',
        RoleArn: ROLE,
        RoleSessionName: 'homeport-abababababababab',
        ExternalId: TOKEN_UUID,
        DurationSeconds: '3600',
      },
      { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    ]);
    const keys = {
      access_key_id: 'ASIAROLE',
      secret_access_key: 'canary-role-secret',
      session_token: 'canary-session',
      expires_at: '2026-06-01T13:00:00.000Z',
    };
    const entered = { external_id: TOKEN_UUID, role_arn: ROLE, region: 'eu-west-1', service: 's3' };
    expect(credentials).toEqual({ type: 'AWS_SIGV4', ...entered, ...keys, raw: keys });
    expect(config).toEqual(entered);
  });

  it('renews with the stored external id and region, and does not try again', async () => {
    const { credentials } = await issue({
      given: { role_arn: ROLE, region: 'us-east-2' },
      config: { external_id: UUID },
    });
    provider.requests.length = 0;

    const renewed = await issue({ given: credentials, config: { region: 'eu-west-1' } });

    expect(forms()).toMatchObject([{ Action: 'AssumeRole', ExternalId: UUID }]);
    expect(provider.requests[0]?.headers['host']).toBe('sts.us-east-2.amazonaws.com');
    expect(renewed.credentials).toEqual(credentials);
  });

  it.each([
    ['a UUID of the client', { external_id: UUID }, UUID],
    ['a new one for anything else', { external_id: 'mine' }, TOKEN_UUID],
  ])('takes %s for the external id', async (_name, config, expected) => {
    expect((await issue({ config })).config).toMatchObject({ external_id: expected });
  });

  it.each([
    [{ role_arn: ROLE, region: 'us-east-2' }, { region: 'eu-west-1' }, 'us-east-2'],
    [{ role_arn: ROLE }, { region: 'us-east-2' }, 'us-east-2'],
    [{ role_arn: ROLE }, {}, 'eu-west-1'],
  ])('takes the region entered before the one passed before the preset one: %j %j', async (given, config, expected) => {
    expect((await issue({ given, config })).credentials).toMatchObject({ region: expected });
  });

  it('speaks to the hosts of China', async () => {
    const given = { role_arn: 'arn:aws-cn:iam::123456789012:role/homeport-reader', region: 'cn-north-1' };

    await issue({ given });

    expect(provider.requests[0]?.headers['host']).toBe('sts.cn-north-1.amazonaws.com.cn');
  });

  it.each([
    ['another role', { body: identityXml('arn:aws:sts::123456789012:assumed-role/homeport-reader2/x') }],
    ['a role of another account', { body: identityXml('arn:aws:sts::210987654321:assumed-role/homeport-reader/x') }],
    ['a refusal', { status: 403, body: identityXml('arn:aws:sts::123456789012:assumed-role/homeport-reader/x') }],
    ['no XML', { body: 'ok' }],
  ])('fails the test on %s', async (_name, response) => {
    identity = response;

    await expect(issue()).rejects.toMatchObject({ code: 'connection_test_failed', status: 400 });
  });

  it.each([
    [
      'a refusal',
      {
        status: 403,
        body: '<ErrorResponse><Error><Code>AccessDenied</Code><Message>Not with canary-own-secret</Message></Error></ErrorResponse>',
      },
      '(status 403): Not with REDACTED.',
    ],
    ['an answer without keys', { body: '<AssumeRoleResponse/>' }, '(status 200).'],
    ['broken XML', { status: 500, body: '<a><b></a' }, '(status 500).'],
  ])('says why the role was not assumed: %s', async (_name, response, ending) => {
    assumed = response;

    await expect(issue()).rejects.toMatchObject({
      code: 'aws_sigv4_sts_request_failed',
      status: 502,
      message: `The role was not assumed ${ending}`,
    });
  });

  it.each([
    ['missing_aws_sigv4_role_arn', { given: {} }],
    ['missing_aws_sigv4_service', { custom: { ...builtin, service: '' } }],
    ['missing_aws_sigv4_region', { custom: { ...builtin, defaultRegion: '' } }],
    ['missing_aws_sigv4_access_key', { custom: { ...builtin, awsSecretAccessKey: '' } }],
    ['invalid_aws_sigv4_config', { given: { role_arn: 'arn:aws:iam::123456789012:user/me' } }],
    ['invalid_aws_sigv4_config', { given: { role_arn: ROLE, region: 'evil.test/' } }],
    ['invalid_aws_sigv4_config', { config: { region: 'x.evil.test#' } }],
  ])('is %s before anything leaves: %j', async (code, parts) => {
    await expect(issue(parts)).rejects.toMatchObject({ code, status: 400 });
    expect(provider.requests).toEqual([]);
  });
});

describe('mintAwsSigv4 with an endpoint of one’s own', () => {
  const response = { accessKeyId: 'ASIAROLE', secretAccessKey: 'canary-role-secret', sessionToken: 'canary-session' };
  const own = (change: Record<string, string> = {}) => ({
    service: 's3',
    defaultRegion: 'eu-west-1',
    stsMode: 'custom',
    stsEndpointUrl: `${provider.address}/assume`,
    stsAuthType: 'api_key',
    stsApiKey: 'canary-sts-key',
    ...change,
  });

  it('asks it for the keys, which are tried at AWS', async () => {
    provider.on('POST /assume', { body: { credentials: { ...response, expiration: '2026-06-01T12:30:00Z' } } });

    const { credentials } = await issue({ custom: own() });

    const [request] = provider.requests;
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'x-api-key': 'canary-sts-key' });
    expect(JSON.parse(request?.body.toString() ?? '')).toEqual({
      role_arn: ROLE,
      external_id: TOKEN_UUID,
      region: 'eu-west-1',
      service: 's3',
    });
    expect(credentials).toMatchObject({ access_key_id: 'ASIAROLE', expires_at: '2026-06-01T12:30:00.000Z' });
    expect(provider.requests[1]?.headers['host']).toBe('sts.eu-west-1.amazonaws.com');
  });

  it.each([
    ['at the top, in snake case', { access_key_id: 'I', secret_access_key: 'S', session_token: 'T', expires_in: 60 }],
    ['as the command line prints them', { Credentials: { AccessKeyId: 'I', SecretAccessKey: 'S', SessionToken: 'T' } }],
  ])('reads keys %s', async (_name, body) => {
    provider.on('POST /assume', { body });

    const { credentials } = await issue({ custom: own() });

    expect(credentials).toMatchObject({ access_key_id: 'I', secret_access_key: 'S', session_token: 'T' });
    expect(credentials.expires_at).toBe('expires_in' in body ? '2026-06-01T12:01:00.000Z' : '2026-06-01T13:00:00.000Z');
  });

  it.each([
    [{ stsAuthHeader: 'X-Own' }, 'x-own', 'canary-sts-key'],
    [
      { stsAuthType: 'basic', stsAuthUsername: 'u', stsAuthPassword: 'p' },
      'authorization',
      `Basic ${Buffer.from('u:p').toString('base64')}`,
    ],
  ])('authorizes itself as the integration says: %j', async (change, name, value) => {
    provider.on('POST /assume', { body: response });

    await issue({ custom: own(change) });

    expect(provider.requests[0]?.headers[name]).toBe(value);
  });

  it.each([
    ['missing_aws_sigv4_sts_endpoint', { stsEndpointUrl: '' }],
    ['missing_aws_sigv4_sts_credentials', { stsApiKey: '' }],
    ['missing_aws_sigv4_sts_credentials', { stsAuthType: 'basic', stsAuthUsername: 'u' }],
    ['invalid_aws_sigv4_config', { stsEndpointUrl: 'file:///etc/passwd' }],
    ['invalid_aws_sigv4_config', { stsAuthType: 'magic' }],
    ['invalid_aws_sigv4_config', { stsAuthHeader: 'a b' }],
    ['invalid_headers', { stsApiKey: 'canary\r\nx: y' }],
  ])('is %s before anything leaves: %j', async (code, change) => {
    await expect(issue({ custom: own(change) })).rejects.toMatchObject({
      code,
      message: expect.not.stringContaining('canary'),
    });
    expect(provider.requests).toEqual([]);
  });

  it('says why it returned none', async () => {
    provider.on('POST /assume', { status: 401, body: { message: 'Unknown canary-sts-key' } });

    await expect(issue({ custom: own() })).rejects.toMatchObject({
      code: 'aws_sigv4_sts_request_failed',
      message: 'The role was not assumed (status 401): Unknown REDACTED.',
    });
  });
});
