import { createHash } from 'node:crypto';
import aws4 from 'aws4';

export interface AwsKey {
  accessKeyId: string;
  secretAccessKey: string;
  /** Part of temporary credentials only. */
  sessionToken?: string | undefined;
  region: string;
  service: string;
}

export interface AwsRequest {
  method: string;
  /** Includes the port when it is not the default one. */
  host: string;
  /** Path and query as they are sent, percent-encoded. Throws URIError for a broken escape. */
  path: string;
  /** Lower-case names; all of them are signed. */
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

/**
 * The headers that sign a request with Signature Version 4: `authorization`, `x-amz-date`, `x-amz-content-sha256`
 * and, with a session token, `x-amz-security-token`. They replace headers of the same name.
 */
export function signAwsRequest(request: AwsRequest, key: AwsKey, nowMs: number): Record<string, string> {
  const { authorization: _replaced, ...headers } = request.headers;
  const own = {
    'x-amz-date': awsDate(nowMs),
    'x-amz-content-sha256': createHash('sha256')
      .update(request.body ?? '')
      .digest('hex'),
    ...(key.sessionToken ? { 'x-amz-security-token': key.sessionToken } : {}),
  };
  return { ...own, authorization: awsAuthorization({ ...request, headers: { ...headers, ...own } }, key, nowMs) };
}

/**
 * The value of `authorization` alone; it signs exactly `host` and the given headers, which must contain `x-amz-date`.
 */
export function awsAuthorization(request: AwsRequest, key: AwsKey, nowMs: number): string {
  const { method, host, path, headers, body } = request;
  const signed = { ...headers, host };
  const options = {
    method,
    host,
    path,
    headers: signed,
    service: key.service,
    region: key.region,
    doNotModifyHeaders: true,
    // The signer would leave out headers that intermediaries may change; here they are sent unchanged.
    extraHeadersToInclude: Object.fromEntries(Object.keys(signed).map((name) => [name, true])),
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  };
  const signer = new aws4.RequestSigner(options, {
    accessKeyId: key.accessKeyId,
    secretAccessKey: key.secretAccessKey,
  });
  signer.datetime = awsDate(nowMs);
  return signer.authHeader();
}

/** `YYYYMMDDTHHMMSSZ`. */
export function awsDate(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
}
