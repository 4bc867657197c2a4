import { createHash, createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { awsAuthorization, awsDate } from '../../../platform/lib/aws-signature.ts';
import { toPem } from './pem.ts';
import type { TemplateContext } from './resolve-template.ts';

type TemplateFunction = (args: string[], context: TemplateContext) => string | undefined;

/**
 * Functions of the placeholder language. They get resolved arguments and return undefined for unusable ones (such as an
 * unreadable key); the placeholder then counts as unresolved.
 */
export const TEMPLATE_FUNCTIONS: Record<string, TemplateFunction> = {
  base64: ([text = '']) => Buffer.from(text).toString('base64'),
  sha256Hex: ([text = '']) => createHash('sha256').update(text).digest('hex'),
  sha256Base64: ([text = '']) => createHash('sha256').update(text).digest('base64'),
  hmacSha1Hex: ([message, key]) =>
    message === undefined || key === undefined ? undefined : createHmac('sha1', key).update(message).digest('hex'),
  ed25519Sign: ([message, pem]) => {
    const key = pem === undefined ? undefined : readPrivateKey(pem);
    return key && message !== undefined ? sign(null, Buffer.from(message), key).toString('base64') : undefined;
  },
  fingerprint: ([pem = '']) => {
    const key = readPrivateKey(pem);
    if (!key) return undefined;
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
    return `SHA256:${createHash('sha256').update(spki).digest('base64')}`;
  },
  awsSigV4: signWithAws,
};

function readPrivateKey(pem: string): ReturnType<typeof createPrivateKey> | undefined {
  try {
    return createPrivateKey(toPem(pem, 'PRIVATE KEY'));
  } catch {
    return undefined; // Not a private key: a person entered this text in a form.
  }
}

/**
 * `${awsSigV4(id, secret, region, service[, host])}`: signs host, `x-amz-date` and the caller's content type of the
 * current request (providers.md 4). Undefined when there is no request.
 */
function signWithAws(args: string[], context: TemplateContext): string | undefined {
  const [accessKeyId, secretAccessKey, region, service] = args;
  if (!accessKeyId || !secretAccessKey || !region || !service) return undefined;
  const read = (path: string): string => {
    const value = context.lookup(path);
    return typeof value === 'string' ? value : '';
  };
  const [method, path, query, contentType] = ['method', 'path', 'urlCanonicalParams', 'contentType'].map(read);
  if (!method || !path) return undefined;
  const request = {
    method,
    host: args[4] ?? `${service}.amazonaws.com`,
    path: query ? `${path}?${query}` : path,
    headers: { 'x-amz-date': awsDate(context.now), ...(contentType ? { 'content-type': contentType } : {}) },
    body: read('bodyCanonicalParams'),
  };
  return awsAuthorization(request, { accessKeyId, secretAccessKey, region, service }, context.now);
}
