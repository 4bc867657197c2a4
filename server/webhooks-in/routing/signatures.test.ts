import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  hmacText,
  isRecent,
  isRsaSignature,
  isSameText,
  isStandardSignature,
  isTimestampedSignature,
  prefixedHash,
  readPublicKey,
} from './signature-checks.ts';

const NOW = 1_772_366_400_000;
const MINUTE_MS = 60_000;

describe('isSameText', () => {
  it.each([
    ['', 'abc'],
    ['ab', 'abc'],
    ['abcd', 'abc'],
    ['abd', 'abc'],
    // Three characters, four bytes.
    ['abé', 'abc'],
  ])('tells %j from %j', (sent, expected) => {
    expect(isSameText(sent, expected)).toBe(false);
  });

  it('knows the same text', () => {
    expect(isSameText('abc', 'abc')).toBe(true);
  });
});

describe('hmacText', () => {
  // docs.github.com, "Validating webhook deliveries"
  it('signs the example of GitHub', () => {
    expect(hmacText({ encoding: 'hex', prefix: 'sha256=' }, "It's a Secret to Everybody", 'Hello, World!')).toBe(
      'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    );
  });

  // RFC 2202, test case 2
  it('signs the example of HMAC-SHA1 in hex and base64', () => {
    const digest = 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79';
    const data = 'what do ya want for nothing?';

    expect(hmacText({ algorithm: 'sha1', encoding: 'hex' }, 'Jefe', data)).toBe(digest);
    expect(hmacText({ algorithm: 'sha1', encoding: 'base64' }, 'Jefe', data)).toBe(
      Buffer.from(digest, 'hex').toString('base64'),
    );
  });

  it('signs parts as if they were one', () => {
    expect(hmacText({ encoding: 'hex' }, 'k', 'ab', Buffer.from('c'))).toBe(hmacText({ encoding: 'hex' }, 'k', 'abc'));
  });
});

describe('prefixedHash', () => {
  // FIPS 180: SHA-1 and SHA-256 of "abc"
  it('hashes secret and data', () => {
    expect(prefixedHash('sha1', 'a', 'bc')).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
    expect(prefixedHash('sha256', 'ab', Buffer.from('c'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('isRecent', () => {
  it.each([
    ['now', '1772366400', true],
    ['five minutes ago', '1772366100', true],
    ['five minutes ahead', '1772366700', true],
    ['older', '1772366099', false],
    ['farther ahead', '1772366701', false],
    ['milliseconds', '1772366400000', false],
    ['nothing', '', false],
    ['no number', 'NaN', false],
    ['a sign', '+1772366400', false],
  ])('takes %s: %s', (_name, seconds, expected) => {
    expect(isRecent(seconds, NOW, 5 * MINUTE_MS)).toBe(expected);
  });
});

describe('isTimestampedSignature', () => {
  const body = Buffer.from('{"event":"invitee.created"}');
  const time = String(NOW / 1000);
  const good = createHmac('sha256', 'secret').update(`${time}.${body}`).digest('hex');
  const check = (sent: string, secret = 'secret', now = NOW) =>
    isTimestampedSignature({ sent, secret, body, now, toleranceMs: MINUTE_MS });

  it('takes one right signature among several', () => {
    expect(check(`t=${time},v1=${good}`)).toBe(true);
    expect(check(`t=${time}, v1=${'0'.repeat(64)}, v1=${good}, v0=1`)).toBe(true);
  });

  it.each([
    ['another secret', `t=${time},v1=${good}`, 'other'],
    ['another time than the signed one', `t=${NOW / 1000 - 1},v1=${good}`],
    ['another version', `t=${time},v0=${good}`],
    ['no signature', `t=${time}`],
    ['no time', `v1=${good}`],
    ['a shorter signature', `t=${time},v1=${good.slice(1)}`],
    ['nothing', ''],
  ])('refuses %s', (_name, sent, secret?: string) => {
    expect(check(sent, secret)).toBe(false);
  });

  it('refuses an old webhook', () => {
    expect(check(`t=${time},v1=${good}`, 'secret', NOW + MINUTE_MS + 1000)).toBe(false);
  });
});

describe('isStandardSignature', () => {
  // The example of the libraries at github.com/standard-webhooks
  const example = {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: Buffer.from('{"test": 2432232314}'),
    sent: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };

  it('takes the published example, alone and among others', () => {
    expect(isStandardSignature(example)).toBe(true);
    expect(isStandardSignature({ ...example, sent: `v1,bm9uZQ== ${example.sent} v2,x` })).toBe(true);
  });

  it.each([
    ['another id', { id: 'msg_other' }],
    ['another time', { timestamp: '1614265331' }],
    ['another body', { body: Buffer.from('{"test":2432232314}') }],
    ['another secret', { secret: 'whsec_AAAA' }],
    ['another version', { sent: example.sent.replace('v1', 'v2') }],
    ['a shorter signature', { sent: example.sent.slice(0, -1) }],
  ])('refuses %s', (_name, change) => {
    expect(isStandardSignature({ ...example, ...change })).toBe(false);
  });

  it('refuses what is signed with an empty key', () => {
    const signed = createHmac('sha256', '').update(`${example.id}.${example.timestamp}.${example.body}`);

    expect(isStandardSignature({ ...example, secret: 'whsec_', sent: `v1,${signed.digest('base64')}` })).toBe(false);
  });
});

describe('isRsaSignature', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const body = Buffer.from('{"type":"ContactCreate"}');
  const sent = sign('RSA-SHA256', body, privateKey).toString('base64');

  it('takes what the private key signed and nothing else', () => {
    expect(isRsaSignature(publicKey, sent, body)).toBe(true);
    expect(isRsaSignature(publicKey, sent, Buffer.from('{}'))).toBe(false);
    expect(isRsaSignature(publicKey, sent.slice(8), body)).toBe(false);
    expect(isRsaSignature(publicKey, '', body)).toBe(false);
  });

  it('reads the key of a PEM and returns undefined for other texts', () => {
    const pem = publicKey.export({ type: 'spki', format: 'pem' });

    expect(readPublicKey(String(pem))?.equals(publicKey)).toBe(true);
    expect(readPublicKey('whsec_1')).toBeUndefined();
  });

  it('refuses a key of another kind', () => {
    const other = generateKeyPairSync('ed25519');
    const signed = sign(null, body, other.privateKey).toString('base64');

    expect(isRsaSignature(other.publicKey, signed, body)).toBe(false);
  });
});
