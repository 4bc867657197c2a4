import type { OutboundRequest } from '../../../server/platform/lib/outbound-http.ts';

/** Headers of every request of a kind; only differences get a line. */
const USUAL: Record<string, readonly string[]> = {
  accept: ['application/json, text/plain, */*', 'application/json'],
  'user-agent': ['Homeport'],
};

type Sent = Pick<OutboundRequest, 'method' | 'url' | 'rawPath' | 'headers' | 'body' | 'tls'>;

/** Bodies whose type follows from the line of the body. */
const BODY_TYPES: Record<string, string> = { 'application/x-www-form-urlencoded': 'form', 'application/json': 'json' };
/** The same in every authorization, and long. */
const CALLBACK = encodeURIComponent('http://localhost:3003/oauth/callback');
const CHALLENGE = /(?<=code_challenge=)[\w-]{43}/;

/** A request in lines, with encoded parameters; unreadable encodings and signatures are decoded. */
export function describeSent({ method, url, rawPath, headers = {}, body, tls }: Sent): string[] {
  const { origin, href } = new URL(url);
  const [address = '', query] = split(rawPath === undefined ? href : `${origin}${rawPath}`, '?');
  const text = String(body ?? '');
  const type = text === '' ? undefined : BODY_TYPES[headers['content-type'] ?? ''];
  return [
    `  ${method} ${address}`,
    ...(query === undefined ? [] : [`    ? ${open(query)}`]),
    ...Object.entries(headers)
      .filter(([name, value]) => !USUAL[name]?.includes(value) && !(type && name === 'content-type'))
      .map(([name, value]) => `    ${name}: ${open(value)}`),
    ...(text === '' ? [] : [`    ${type ?? 'body'}: ${open(text).replaceAll(/\r?\n/g, ' ')}`]),
    ...(tls ? ['    with the client certificate'] : []),
  ];
}

function split(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function open(text: string): string {
  return text
    .replaceAll(CALLBACK, '<callback>')
    .replace(CHALLENGE, '<challenge>')
    .replaceAll(/-----BEGIN [^-]+-----[\s\S]*?-----END [^-]+-----/g, '<PEM>')
    .replaceAll(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*/g, openToken)
    .replaceAll(
      /\bBasic ([A-Za-z0-9+/]+=*)/g,
      (_all, credentials: string) => `Basic base64(${fromBase64(credentials)})`,
    )
    .replace(/(?<==)PHNhbWw[\w%+/-]+=*/, openAssertion);
}

function openToken(token: string): string {
  const [header = '', payload = ''] = token.split('.');
  return `JWT ${fromBase64(header)} ${fromBase64(payload).replace(/SHA256:[\w+/]{43}=/, 'SHA256:…')}`;
}

/** Signatures and fingerprints change with the key in every run. */
function openAssertion(text: string): string {
  return fromBase64(decodeURIComponent(text)).replaceAll(
    /<((?:\w+:)?(?:SignatureValue|DigestValue|X509Certificate))>[^<]*</g,
    '<$1>…<',
  );
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString();
}
