import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts';
import { commandName, withCommandName } from './command-name.ts';

let checkout: TempHome;
let launcher: string;
beforeAll(async () => {
  checkout = await createTempHome();
  launcher = join(checkout.path, 'build/scripts/homeport.mjs');
  await mkdir(join(launcher, '..'), { recursive: true });
  await writeFile(launcher, '');
});
afterAll(() => checkout.remove());

describe('the name of the command', () => {
  it('is what works where the person is', () => {
    const nameIn = (cwd: string, env = {}): string => commandName({ launcher, cwd, env });

    expect(nameIn(checkout.path)).toBe('npx homeport');
    expect(nameIn(join(checkout.path, 'server'))).toBe('npx homeport');
    expect(nameIn('/')).toBe(`node ${launcher}`);
    expect(nameIn('/', { npm_lifecycle_event: 'homeport' })).toBe('npm run homeport --');
    expect(commandName({ launcher: join(checkout.path, 'none'), cwd: '/', env: {} })).toBe('homeport');
  });

  it('replaces commands in messages and nothing else', () => {
    const text = 'Run "homeport logs --failed", or homeport providers approve x. npx homeport open; homeport is a hub.';

    expect(withCommandName(text, 'npx homeport')).toBe(
      'Run "npx homeport logs --failed", or npx homeport providers approve x. npx homeport open; homeport is a hub.',
    );
    expect(withCommandName('cd /opt/homeport serve', '$&')).toBe('cd /opt/homeport serve');
  });
});
