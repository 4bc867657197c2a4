import { type AwsKey, signAwsRequest } from '../../lib/aws-signature.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { ProxyTarget } from './proxy-types.ts';

interface AwsHeadersInput {
  target: ProxyTarget;
  method: string;
  url: URL;
  rawPath: string | undefined;
  /** Everything that is sent; all of it is signed. */
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The signature of AWS_SIGV4 connections (providers.md 5.3, step d); nothing for other credentials. */
export function awsHeaders(input: AwsHeadersInput): Record<string, string> {
  if (input.target.connection.credentials.type !== 'AWS_SIGV4') return {};
  const { method, url, rawPath, headers, body, now } = input;
  try {
    const path = rawPath ?? url.pathname + url.search;
    return signAwsRequest({ method, host: url.host, path, headers, body }, readKey(input.target), now);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new HomeportError('unsupported_auth', 'The path cannot be signed: it holds a broken percent escape.', {
      cause: error,
    });
  }
}

function readKey({ connection: { credentials, connectionConfig } }: ProxyTarget): AwsKey {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: token } = credentials;
  const region = credentials['region'] ?? connectionConfig['region'];
  const service = credentials['service'] ?? connectionConfig['service'];
  if (!isText(accessKeyId) || !isText(secretAccessKey) || !isText(region) || !isText(service))
    throw new HomeportError(
      'unsupported_auth',
      'The connection lacks AWS keys, a region or a service. Reconnect it to sign requests.',
    );
  return { accessKeyId, secretAccessKey, region, service, ...(isText(token) ? { sessionToken: token } : {}) };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
