import { createHash, createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { signWithAws } from './aws-sig-v4.ts';
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
