import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readProjectEnvironment } from './project-environment.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-env-'));
});
afterEach(() => rm(folder, { recursive: true }));

const read = async (file: string, shell: Record<string, string>) => {
  await writeFile(join(folder, '.env'), file);
  return readProjectEnvironment(folder, shell);
};

describe('the variables of a command', () => {
  it('are those of the shell, with those of .env behind them', async () => {
    const { env, foreignHost } = await read('A=1\nB=1\nNANGO_HOSTPORT=http://127.0.0.1:3004\n', {
      B: '2',
      NANGO_SECRET_KEY_DEV: 'of-shell',
    });

    expect(env).toEqual({
      A: '1',
      B: '2',
      NANGO_HOSTPORT: 'http://127.0.0.1:3004',
      NANGO_SECRET_KEY_DEV: 'of-shell',
    });
    expect(foreignHost).toBeUndefined();
  });

  it('hold no key of the shell for a host that .env names', async () => {
    const shell = { NANGO_SECRET_KEY: 'a', NANGO_SECRET_KEY_DEV: 'b', HOMEPORT_SECRET_KEY: 'c', OTHER: 'd' };

    expect((await read('NANGO_HOSTPORT=https://evil.test', shell)).env).toEqual({
      NANGO_HOSTPORT: 'https://evil.test',
      OTHER: 'd',
    });
    for (const host of ['http://127.0.0.1.evil.test', 'http://localhost@evil.test', 'nonsense', 'http://0.0.0.0:1'])
      expect((await read(`NANGO_HOSTPORT=${host}`, shell)).env).not.toHaveProperty('NANGO_SECRET_KEY');
  });

  it('hold the key that .env names together with the host', async () => {
    const { env, foreignHost } = await read('NANGO_HOSTPORT=https://hub.test\nNANGO_SECRET_KEY_DEV=of-file', {
      NANGO_SECRET_KEY_DEV: 'of-shell',
    });

    expect(env).toEqual({ NANGO_HOSTPORT: 'https://hub.test', NANGO_SECRET_KEY_DEV: 'of-file' });
    expect(foreignHost).toBe('https://hub.test');
  });

  it('go to a host that the shell names', async () => {
    const { env } = await read('NANGO_HOSTPORT=https://evil.test', {
      NANGO_HOSTPORT: 'https://hub.test',
      NANGO_SECRET_KEY: 'a',
    });

    expect(env).toEqual({ NANGO_HOSTPORT: 'https://hub.test', NANGO_SECRET_KEY: 'a' });
  });
});
