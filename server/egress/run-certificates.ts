import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';

/** Longest life of a run; its certificates end with it. */
export const RUN_LIFE_MS = 30 * 24 * 3_600_000;
/** A clock that is a little behind must not make a new certificate invalid. */
const BACKDATED_MS = 3_600_000;

/** Object identifiers in DER. */
const OID = {
  ecdsaWithSha256: '06082a8648ce3d040302',
  commonName: '0603550403',
  subjectKeyIdentifier: '0603551d0e',
  keyUsage: '0603551d0f',
  subjectAltName: '0603551d11',
  basicConstraints: '0603551d13',
  authorityKeyIdentifier: '0603551d23',
  extendedKeyUsage: '0603551d25',
  serverAuth: '06082b06010505070301',
} as const;

const TAG = { integer: 0x02, bits: 0x03, octets: 0x04, utf8: 0x0c, utcTime: 0x17, sequence: 0x30, set: 0x31 } as const;

/**
 * The certificate authority of one run, and certificates of hosts by it. Its key stays in memory: it is made with the run
 * and dropped with it. One fixed form of a certificate (RFC 5280) needs no library.
 */
export class RunCertificates {
  /** PEM, for the command. */
  readonly authority: string;
  readonly #key: KeyObject;
  readonly #keyId: Buffer;
  readonly #name: Buffer;
  readonly #validity: Buffer;
  readonly #hostKey = makeKey();
  readonly #contexts = new Map<string, SecureContext>();

  constructor(now: number) {
    const { privateKey, publicKey } = makeKey();
    this.#key = privateKey;
    this.#keyId = keyIdOf(publicKey);
    // A name of its own, so that no program takes the authority of one run for that of another.
    this.#name = nameOf(`homeport run ${randomBytes(6).toString('hex')}`);
    this.#validity = sequence(time(now - BACKDATED_MS), time(now + RUN_LIFE_MS));
    this.authority = this.#issue(this.#name, publicKey, [
      extension(OID.basicConstraints, sequence(Buffer.from('0101ff', 'hex')), true),
      // keyCertSign
      extension(OID.keyUsage, Buffer.from('03020204', 'hex'), true),
    ]);
  }

  /** What a server of this host needs for TLS. */
  contextOf(host: string): SecureContext {
    const known = this.#contexts.get(host);
    if (known) return known;
    const { privateKey, publicKey } = this.#hostKey;
    const cert = this.#issue(nameOf(host.slice(0, 64)), publicKey, [
      extension(OID.basicConstraints, sequence(), true),
      // digitalSignature
      extension(OID.keyUsage, Buffer.from('03020780', 'hex'), true),
      extension(OID.extendedKeyUsage, sequence(Buffer.from(OID.serverAuth, 'hex'))),
      extension(OID.subjectAltName, sequence(generalName(host))),
    ]);
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const context = createSecureContext({ cert: cert + this.authority, key, minVersion: 'TLSv1.2' });
    this.#contexts.set(host, context);
    return context;
  }

  #issue(subject: Buffer, publicKey: KeyObject, extensions: Buffer[]): string {
    const algorithm = sequence(Buffer.from(OID.ecdsaWithSha256, 'hex'));
    // The first bit says that the number is negative.
    const serial = randomBytes(16);
    serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
    const body = sequence(
      der(0xa0, der(TAG.integer, Buffer.from([2]))),
      der(TAG.integer, serial),
      algorithm,
      this.#name,
      this.#validity,
      subject,
      publicKey.export({ type: 'spki', format: 'der' }),
      der(
        0xa3,
        sequence(
          ...extensions,
          extension(OID.subjectKeyIdentifier, der(TAG.octets, keyIdOf(publicKey))),
          extension(OID.authorityKeyIdentifier, sequence(der(0x80, this.#keyId))),
        ),
      ),
    );
    const signature = der(TAG.bits, Buffer.from([0]), sign('sha256', body, this.#key));
    const lines =
      sequence(body, algorithm, signature)
        .toString('base64')
        .match(/.{1,64}/g) ?? [];
    return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  }
}

function makeKey(): { privateKey: KeyObject; publicKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function keyIdOf(publicKey: KeyObject): Buffer {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20);
}

function nameOf(text: string): Buffer {
  return sequence(der(TAG.set, sequence(Buffer.from(OID.commonName, 'hex'), der(TAG.utf8, Buffer.from(text)))));
}

function extension(oid: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? Buffer.from('0101ff', 'hex') : Buffer.alloc(0);
  return sequence(Buffer.from(oid, 'hex'), critical, der(TAG.octets, value));
}

/** A DNS name, or the bytes of an address. */
function generalName(host: string): Buffer {
  const version = isIP(host);
  if (version === 0) return der(0x82, Buffer.from(host, 'latin1'));
  if (version === 4) return der(0x87, Buffer.from(host.split('.').map(Number)));
  return der(0x87, ipv6Bytes(host));
}

function ipv6Bytes(host: string): Buffer {
  const [head = '', tail] = host.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const all = [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

function time(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/^..|\.\d+|[-:T]/g, '');
  return der(TAG.utcTime, Buffer.from(text));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(TAG.sequence, ...parts);
}

/** One value of DER: tag, length, content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}
