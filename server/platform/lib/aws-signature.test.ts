import { describe, expect, it } from 'vitest';
import { awsAuthorization, awsDate, signAwsRequest } from './aws-signature.ts';

/** The examples of "Authenticating Requests: Using the Authorization Header" in the documentation of Amazon S3. */
const S3_KEY = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
};
const S3_TIME = Date.UTC(2013, 4, 24);

/** The key of the Signature Version 4 test suite. */
const SUITE_KEY = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
};
const SUITE_TIME = Date.UTC(2015, 7, 30, 12, 36);

const signatureOf = (authorization: string): string => authorization.split('Signature=')[1] ?? '';

describe('signAwsRequest', () => {
  it.each([
    [
      'GET Object',
      { method: 'GET', path: '/test.txt', headers: { range: 'bytes=0-9' } },
      'host;range;x-amz-content-sha256;x-amz-date',
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'PUT Object',
      {
        method: 'PUT',
        path: '/test%24file.text',
        headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
        body: 'Welcome to Amazon S3.',
      },
      'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    [
      'GET Bucket Lifecycle',
      { method: 'GET', path: '/?lifecycle', headers: {} },
      'host;x-amz-content-sha256;x-amz-date',
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'GET Bucket (List Objects)',
      { method: 'GET', path: '/?max-keys=2&prefix=J', headers: {} },
      'host;x-amz-content-sha256;x-amz-date',
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('makes the published signature of %s', (_name, request, signedHeaders, signature) => {
    const { authorization } = signAwsRequest({ host: 'examplebucket.s3.amazonaws.com', ...request }, S3_KEY, S3_TIME);

    expect(authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signature}`,
    );
  });

  it('brings date, body hash and session token, and replaces an older signature', () => {
    const headers = signAwsRequest(
      { method: 'POST', host: 'a.test', path: '/', headers: { authorization: 'old', 'user-agent': 'me' }, body: '{}' },
      { ...SUITE_KEY, sessionToken: 'session' },
      SUITE_TIME,
    );

    expect(headers).toEqual({
      'x-amz-date': '20150830T123600Z',
      'x-amz-content-sha256': '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
      'x-amz-security-token': 'session',
      authorization: expect.stringContaining(
        'SignedHeaders=host;user-agent;x-amz-content-sha256;x-amz-date;x-amz-security-token, ',
      ),
    });
  });

  it('signs every header, also those that intermediaries may change', () => {
    const sign = (agent: string): string =>
      signAwsRequest({ method: 'GET', host: 'a.test', path: '/', headers: { 'user-agent': agent } }, SUITE_KEY, 0)[
        'authorization'
      ] ?? '';

    expect(signatureOf(sign('one'))).not.toBe(signatureOf(sign('two')));
  });
});

describe('awsAuthorization', () => {
  const date = { 'x-amz-date': awsDate(SUITE_TIME) };

  it.each([
    ['get-vanilla', '/', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      '/?Param2=value2&Param1=value1',
      {},
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
  ])('makes the signature of the test suite: %s', (_name, path, headers, signature) => {
    const request = { method: 'GET', host: 'example.amazonaws.com', path, headers: { ...date, ...headers } };

    expect(signatureOf(awsAuthorization(request, SUITE_KEY, SUITE_TIME))).toBe(signature);
  });

  it('makes the published signature of the ListUsers example', () => {
    const request = {
      method: 'GET',
      host: 'iam.amazonaws.com',
      path: '/?Action=ListUsers&Version=2010-05-08',
      headers: { ...date, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    };

    expect(awsAuthorization(request, { ...SUITE_KEY, service: 'iam' }, SUITE_TIME)).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });

  it('encodes the path once more, except for s3', () => {
    const sign = (service: string, path: string): string =>
      signatureOf(
        awsAuthorization({ method: 'GET', host: 'a.test', path, headers: date }, { ...SUITE_KEY, service }, SUITE_TIME),
      );

    expect(sign('s3', '/a%20b')).toBe(sign('s3', '/a b'));
    expect(sign('execute-api', '/a%20b')).not.toBe(sign('execute-api', '/a+b'));
    expect(() => sign('s3', '/a%2')).toThrow(URIError);
  });
});
