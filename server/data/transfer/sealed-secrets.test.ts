import { beforeAll, describe, expect, it } from 'vitest';
import { openSecrets, type SealedSecrets, sealSecrets } from './sealed-secrets.ts';

const SECRETS = { token: 'canary-123' };

describe('sealed secrets', () => {
  // Once: scrypt is slow on purpose.
  let sealed: SealedSecrets;
  beforeAll(async () => {
    sealed = await sealSecrets(SECRETS, 'correct horse');
  });

  it('open with their passphrase and show nothing without it', async () => {
    expect(JSON.stringify(sealed)).not.toContain('canary');
    expect(await openSecrets(sealed, 'correct horse')).toEqual(SECRETS);
    await expect(openSecrets(sealed, 'wrong horse')).rejects.toThrow('The passphrase does not open this file');
  });

  it('notice every change', { tags: ['slow'] }, async () => {
    const flip = (text: string): string => {
      const bytes = Buffer.from(text, 'base64');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      return bytes.toString('base64');
    };

    for (const name of ['data', 'tag', 'iv', 'salt'] as const)
      await expect(openSecrets({ ...sealed, [name]: flip(sealed[name]) }, 'correct horse')).rejects.toThrow(
        'was changed',
      );
  });

  it('are different each time', async () => {
    const other = await sealSecrets(SECRETS, 'correct horse');

    expect(other.data).not.toBe(sealed.data);
    expect(other.salt).not.toBe(sealed.salt);
  });

  it('need a passphrase worth the name', async () => {
    await expect(sealSecrets(SECRETS, 'short')).rejects.toThrow('at least 8 characters');
  });
});
