import { createHash, createHmac } from 'node:crypto';
import type { RecordedRequest } from './fake-provider.ts';

interface AwsClaims {
  accessKeyId: string;
  region: string;
  service: string;
  signedHeaders: string[];
}

/** Checks a received request as AWS does, without the signer's code; throws with the differences. */
export function verifyAwsSignature(request: RecordedRequest, secretAccessKey: string): AwsClaims {
  const header = (name: string): string => String(request.headers[name] ?? '');
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      header('authorization'),
    );
  if (!match) throw new Error(`Not a signature: ${header('authorization')}`);
  const [, accessKeyId = '', day = '', region = '', service = '', signedNames = '', signature] = match;
  const bodyHash = createHash('sha256').update(request.body).digest('hex');
  if (header('x-amz-content-sha256') !== bodyHash) throw new Error('x-amz-content-sha256 is not the hash of the body');
  if (header('x-amz-date').slice(0, 8) !== day) throw new Error('x-amz-date is another day than the scope');

  const signedHeaders = signedNames.split(';');
  const [path = '', query = ''] = request.url.split('?');
  const canonical = [
    request.method,
    service === 's3' ? path : path.split('/').map(encode).join('/'),
    canonicalQuery(query),
    ...signedHeaders.map((name) => `${name}:${header(name).trim().replace(/\s+/g, ' ')}`),
    '',
    signedNames,
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const canonicalHash = createHash('sha256').update(canonical).digest('hex');
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  const expected = hmac(key, `AWS4-HMAC-SHA256\n${header('x-amz-date')}\n${scope}\n${canonicalHash}`).toString('hex');
  if (signature !== expected) throw new Error(`The signature does not fit the canonical request\n${canonical}`);
  return { accessKeyId, region, service, signedHeaders };
}

function canonicalQuery(query: string): string {
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.sort().join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
