import { describe, expect, it } from 'vitest';
import { openSecrets, sealSecrets } from './sealed-secrets.ts';

const SECRETS = { token: 'canary-123' };

describe('sealed secrets', () => {
  it('open with their passphrase and show nothing without it', async () => {
    const sealed = await sealSecrets(SECRETS, 'correct horse');

    expect(JSON.stringify(sealed)).not.toContain('canary');
    expect(await openSecrets(sealed, 'correct horse')).toEqual(SECRETS);
    await expect(openSecrets(sealed, 'wrong horse')).rejects.toThrow('The passphrase does not open this file');
  });

  it('notice every change', async () => {
    const sealed = await sealSecrets(SECRETS, 'correct horse');
    const flip = (text: string): string => {
      const bytes = Buffer.from(text, 'base64');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      return bytes.toString('base64');
    };

    for (const name of ['data', 'tag', 'iv', 'salt'] as const)
      await expect(openSecrets({ ...sealed, [name]: flip(sealed[name]) }, 'correct horse')).rejects.toThrow(
        'was changed',
      );
    // Runs scrypt five times, which is slow on purpose.
  }, 60_000);

  it('are different each time', async () => {
    const [one, other] = await Promise.all([
      sealSecrets(SECRETS, 'correct horse'),
      sealSecrets(SECRETS, 'correct horse'),
    ]);

    expect(one.data).not.toBe(other.data);
    expect(one.salt).not.toBe(other.salt);
  });

  it('need a passphrase worth the name', async () => {
    await expect(sealSecrets(SECRETS, 'short')).rejects.toThrow('at least 8 characters');
  });
});
