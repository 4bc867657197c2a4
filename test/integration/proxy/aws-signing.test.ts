import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discardBody } from '../../../server/platform/lib/outbound-exchange.ts';
import { OutboundHttp } from '../../../server/platform/lib/outbound-http.ts';
import { type BuiltRequest, buildProviderRequest } from '../../../server/proxy/build-request.ts';
import type { ProviderRequest } from '../../../server/proxy/proxy-types.ts';
import { planRequests } from '../../../server/proxy/request-plan.ts';
import { Redactor } from '../../../server/proxy/request-redactor.ts';
import { FakeProvider, type RecordedRequest } from '../../support/fake-provider.ts';
import { verifyAwsSignature } from '../../support/verify-aws-signature.ts';

const SECRET = 'canary-secret-access-key';
const keys = {
  type: 'AWS_SIGV4',
  access_key_id: 'ASIAEXAMPLE',
  secret_access_key: SECRET,
  session_token: 'canary-session-token',
  region: 'eu-west-1',
  service: 'execute-api',
};

let provider: FakeProvider;
let http: OutboundHttp;

beforeEach(async () => {
  provider = await FakeProvider.start();
  http = new OutboundHttp({ ownPort: () => undefined });
});

afterEach(async () => {
  await http.stop();
  await provider.stop();
});

function targetOf(credentials: Record<string, unknown>) {
  return {
    environmentId: 1,
    providerName: 'aws',
    integration: { uniqueKey: 'aws' },
    connection: {
      id: 1,
      connectionId: 'c',
      credentials,
      connectionConfig: { base_url: provider.address },
      metadata: {},
    },
  };
}

function build(request: Partial<ProviderRequest>, credentials: Record<string, unknown> = keys): BuiltRequest {
  return buildProviderRequest({
    plan: planRequests({ name: 'aws', source: 'builtin', display_name: 'AWS', auth_mode: 'AWS_SIGV4' }),
    target: targetOf(credentials),
    request: { method: 'GET', endpoint: '/items', ...request },
    allowedHosts: [],
    now: Date.UTC(2026, 5, 1, 12),
    random: '0d4f1c5e-0000-4000-8000-000000000000',
  });
}

async function receive(request: Partial<ProviderRequest>, change: Record<string, unknown> = {}) {
  const built = build(request, { ...keys, ...change });
  const response = await http.request({ ...built, allowedHosts: 'all' });
  await discardBody(response.body);
  return provider.requests.at(-1) as RecordedRequest;
}

describe('requests of AWS connections', () => {
  it.each([
    ['a plain path', { endpoint: '/items' }],
    ['a query', { endpoint: '/items?b=2&a=1', params: { c: 'x y&z' } }],
    ['an encoded path', { endpoint: '/a%20b/%C3%A9+c' }],
    ['a JSON body', { method: 'POST', body: { kind: 'json', text: '{"a":"é"}' } as const }],
    [
      'bytes',
      { method: 'PUT', body: { kind: 'bytes', bytes: Buffer.from([0, 255]), contentType: 'image/png' } as const },
    ],
    ['headers of the caller', { headers: { 'X-Amz-Target': 'A.B', 'User-Agent': 'mine  two', range: 'bytes=0-9' } }],
  ])('carry a signature that AWS would accept: %s', async (_name, request) => {
    const received = await receive(request);

    const claims = verifyAwsSignature(received, SECRET);
    expect(claims).toMatchObject({ accessKeyId: 'ASIAEXAMPLE', region: 'eu-west-1', service: 'execute-api' });
    expect(received.headers['x-amz-security-token']).toBe('canary-session-token');
    const sentByUs = ['host', 'user-agent', 'accept', 'x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token'];
    expect(claims.signedHeaders).toEqual(expect.arrayContaining(sentByUs));
  });

  it('sign the path of s3 as it is', async () => {
    const received = await receive({ endpoint: '/bucket/a%20b.txt' }, { service: 's3' });

    expect(verifyAwsSignature(received, SECRET).service).toBe('s3');
  });

  it('replace an authorization and a date that the caller wrote', async () => {
    const received = await receive({ headers: { authorization: 'Bearer mine', 'x-amz-date': '20000101T000000Z' } });

    expect(verifyAwsSignature(received, SECRET).signedHeaders).not.toContain('authorization');
    expect(received.headers['x-amz-date']).toBe('20260601T120000Z');
  });

  it('keep the session token from other hosts and from logs', () => {
    const built = build({});
    const shown = new Redactor(targetOf(keys), undefined).request({ ...built, url: built.url.href });

    expect(built.sensitiveHeaders).toContain('x-amz-security-token');
    expect(JSON.stringify(shown)).not.toMatch(/canary|ASIAEXAMPLE/);
  });

  it.each([
    ['keys', { secret_access_key: undefined }, '/items'],
    ['a region', { region: '' }, '/items'],
    ['a service', { service: undefined }, '/items'],
    ['a whole escape in the path', { service: 's3' }, '/a%2'],
  ])('are refused without %s', (_name, change, endpoint) => {
    expect(() => build({ endpoint }, { ...keys, ...change })).toThrow(
      expect.objectContaining({ code: 'unsupported_auth' }),
    );
  });
});
