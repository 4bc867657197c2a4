import { createHash, createPublicKey, verify } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { jwtVerify } from 'jose';
import { parseJson } from '../../platform/lib/parse-json.ts';
import { sortedFields } from './checked-address-routings.ts';
import {
  checkSignature,
  FIVE_MINUTES_MS,
  hmacHeader,
  hmacText,
  isHmac,
  isSameText,
  readPublicKey,
  type SignatureCheck,
  type SignedParts,
  webhookSecret,
} from './signature-checks.ts';
import { INVALID_SIGNATURE, MISSING_SIGNATURE, type ProviderWebhook, textAt } from './webhook-routing.ts';

const TEN_MINUTES_MS = 10 * 60_000;

/** An app has two keys, so that one can be replaced; each signs in a header of its own. */
export function boxSignature(): SignatureCheck {
  return checkSignature({
    find: ({ headers }) => headers['box-signature-primary'] ?? headers['box-signature-secondary'],
    secrets: webhookSecret,
    when: 'secret-is-set',
    fits: (signature) =>
      ['box-signature-primary', 'box-signature-secondary'].some((name) =>
        isHmac(
          {
            header: name,
            encoding: 'base64',
            time: { header: 'box-delivery-timestamp', unit: 'iso', toleranceMs: TEN_MINUTES_MS },
            signs: ({ time, body }) => [body, time],
          },
          signature,
        ),
      ),
  });
}

/** Method, path with query, the headers that it names, and the body, in lines. */
export function contentfulText({ webhook, url, body }: SignedParts): Array<string | Buffer> {
  const { pathname, search } = new URL(url);
  const names = (webhook.headers['x-contentful-signed-headers'] ?? '').split(',').filter((name) => name !== '');
  const headers = names.map((name) => `${name.toLowerCase()}:${(webhook.headers[name.toLowerCase()] ?? '').trim()}`);
  return [`${webhook.method}\n${pathname}${search}\n${headers.join(';')}\n`, body];
}

/** The claims of a token whose signature was checked before, or could not be checked. */
export function dialpadCall(token: string): unknown {
  return parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) ?? token;
}

export function dropboxSignEvent({ headers, body, rawBody }: ProviderWebhook): unknown {
  const field = textAt(body, 'json') ?? multipartField(headers['content-type'] ?? '', rawBody.toString(), 'json');
  return (field === undefined ? undefined : parseJson(field)) ?? body;
}

/** A field of a form with parts (RFC 7578). */
function multipartField(contentType: string, text: string, name: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return undefined;
  for (const part of text.split(`--${boundary}`)) {
    const end = part.indexOf('\r\n\r\n');
    const names = part.slice(0, Math.max(end, 0));
    if (end >= 0 && names.includes(`name="${name}"`)) return part.slice(end + 4).replace(/\r\n$/, '');
  }
  return undefined;
}

/** The fields of the form as JSON, with a space after every comma and colon. */
export function freshbooksText(body: Buffer): string {
  const members = [...new URLSearchParams(body.toString())].map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{${members.join(', ')}}`;
}

/** `sha256=<hex>, t=<milliseconds>` over body and time; older versions sign the body alone. */
export function isGhostSignature(sent: string, secret: string, { rawBody }: ProviderWebhook, now: number): boolean {
  const [, signature = '', time] = /^sha256=([\da-f]{64})(?:, ?t=(\d{1,15}))?$/.exec(sent) ?? [];
  const isInTime = time === undefined || Math.abs(now - Number(time)) <= FIVE_MINUTES_MS;
  const texts = [[rawBody, time ?? ''], [rawBody]];
  return isInTime && texts.some((text) => isSameText(signature, hmacText({ encoding: 'hex' }, secret, ...text)));
}

/** A token in `Authorization` that names the address and the hash of the body. The webhook secret is Gong's public key. */
export function gongSignature(): SignatureCheck {
  return async (webhook, context) => {
    const { webhookSecret: pem } = context.integration.app;
    if (!pem) return 'unchecked';
    const token = webhook.headers['authorization']?.replace(/^bearer /i, '');
    if (!token) return MISSING_SIGNATURE;
    const key = readPublicKey(
      pem.includes('-----BEGIN') ? pem : `-----BEGIN PUBLIC KEY-----\n${pem}\n-----END PUBLIC KEY-----`,
    );
    const claims =
      key &&
      (await jwtVerify(token, key, { algorithms: ['RS256'], currentDate: new Date(context.now()) }).then(
        ({ payload }) => payload,
        () => undefined,
      ));
    const hash = createHash('sha256').update(webhook.rawBody).digest('hex');
    const isRight = claims?.['body_sha256'] === hash && context.urls.includes(String(claims['webhook_url']));
    return isRight ? 'valid' : INVALID_SIGNATURE;
  };
}

/** Anyone may have sent the address of the certificate, so only the provider's hosts are allowed. */
const PAYPAL_CERTIFICATES = /^https:\/\/api(-m)?(\.sandbox)?\.paypal\.com\/v1\/notifications\/certs\/[\w-]+$/;

export function paypalSignature(): SignatureCheck {
  return async ({ headers, rawBody }, context) => {
    const { webhookSecret: id } = context.integration.app;
    if (!id) return 'unchecked';
    const { 'paypal-transmission-sig': sent, 'paypal-cert-url': address = '' } = headers;
    if (!sent) return MISSING_SIGNATURE;
    if (!PAYPAL_CERTIFICATES.test(address)) return INVALID_SIGNATURE;
    const key = readPublicKey((await context.fetchDocument(address)).text);
    const parts = [headers['paypal-transmission-id'], headers['paypal-transmission-time'], id, crc32(rawBody)];
    const isRight = key && verify('RSA-SHA256', Buffer.from(parts.join('|')), key, Buffer.from(sent, 'base64'));
    return isRight ? 'valid' : INVALID_SIGNATURE;
  };
}

/** ECDSA over time and body. */
export function isSendgridSignature(sent: string, secret: string, { headers, rawBody }: ProviderWebhook): boolean {
  const time = headers['x-twilio-email-event-webhook-timestamp'] ?? '';
  try {
    const key = createPublicKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'spki' });
    return verify('SHA256', Buffer.concat([Buffer.from(time), rawBody]), key, Buffer.from(sent, 'base64'));
  } catch {
    return false; // Not a key; the signature counts as wrong.
  }
}

/** The address with the fields of a form; for another body the address, which then contains the hash of the body. */
export function twilioSignature(): SignatureCheck {
  const signed = hmacHeader({
    header: 'x-twilio-signature',
    algorithm: 'sha1',
    encoding: 'base64',
    when: 'secret-is-set',
    secrets: webhookSecret,
    signs: ({ url, body, webhook }) => [url, isForm(webhook) ? sortedFields(body) : ''],
  });
  return async (webhook, context) => {
    const result = await signed(webhook, context);
    if (result !== 'valid' || isForm(webhook)) return result;
    const hash = createHash('sha256').update(webhook.rawBody).digest('hex');
    return isSameText(webhook.query['bodySHA256'] ?? '', hash) ? 'valid' : INVALID_SIGNATURE;
  };
}

function isForm({ headers }: ProviderWebhook): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
}
