import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { seal, UnsealError, unseal } from './seal.ts';

/** Not a character of base64, so no other sealed value begins with it. */
const MARK = 'box:';
/** What stands before the 32 bytes of an X25519 key in PKCS 8 and in SPKI. */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');

/** Everybody may put something in; only the private key takes it out. */
export interface DropBox {
  put(plain: string, context: string): string;
}

/** `secret`: the 32 bytes of the private key. The drop box does not keep them. */
export function createDropBox(secret: Buffer): DropBox {
  const publicKey = createPublicKey(privateKeyOf(secret));
  return {
    put(plain, context) {
      const once = generateKeyPairSync('x25519');
      const sender = rawOf(once.publicKey);
      const key = sharedKey(once.privateKey, publicKey, sender);
      return `${MARK}${sender.toString('base64')}:${seal(key, plain, context)}`;
    },
  };
}

export function isInDropBox(sealed: string): boolean {
  return sealed.startsWith(MARK);
}

/** Throws UnsealError as `unseal` does. */
export function takeOut(secret: Buffer, sealed: string, context: string): Buffer {
  const [sender64 = '', content = ''] = sealed.slice(MARK.length).split(':');
  const sender = Buffer.from(sender64, 'base64');
  if (sender.length !== 32) throw new UnsealError('The sealed value names no sender.');
  const publicKey = createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, sender]), format: 'der', type: 'spki' });
  return unseal(sharedKey(privateKeyOf(secret), publicKey, sender), content, context);
}

function sharedKey(privateKey: KeyObject, publicKey: KeyObject, sender: Buffer): KeyObject {
  const shared = diffieHellman({ privateKey, publicKey });
  return createSecretKey(Buffer.from(hkdfSync('sha256', shared, sender, 'homeport:drop-box', 32)));
}

function privateKeyOf(secret: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, secret]), format: 'der', type: 'pkcs8' });
}

function rawOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_PREFIX.length);
}
