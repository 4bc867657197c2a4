import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts';
import { commandName, commandNameAnywhere, withCommandName } from './command-name.ts';
import { createLogger } from './logger.ts';

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
    expect(commandNameAnywhere(launcher)).toBe(`node ${launcher}`);
    expect(commandName({ launcher: join(checkout.path, 'none'), cwd: '/', env: {} })).toBe('homeport');
  });

  it('is a file of an installed package, or its name where a shell finds it', async () => {
    const installed = join(checkout.path, 'installed/bin/homeport');
    const onPath = join(checkout.path, 'on the path');
    const ofNpm = join(checkout.path, 'node_modules/.bin');
    for (const folder of [join(installed, '..'), onPath, ofNpm]) await mkdir(folder, { recursive: true });
    await writeFile(installed, '');
    for (const folder of [onPath, ofNpm]) await symlink(installed, join(folder, 'homeport'));
    const nameWith = (PATH: string): string =>
      commandName({ launcher: installed, cwd: join(installed, '..'), env: { PATH } });

    expect(nameWith(`/usr/bin:${onPath}`)).toBe('homeport');
    expect(nameWith('/usr/bin')).toBe(installed);
    expect(nameWith(`${ofNpm}:/usr/bin`)).toBe(installed);
    expect(commandNameAnywhere(installed)).toBe(installed);
  });

  it('is that of npx in a folder that has the npm package', async () => {
    const folder = join(checkout.path, 'app');
    const local = join(folder, 'node_modules/@homeport-hub/homeport/build/scripts/homeport.mjs');
    await mkdir(join(local, '..'), { recursive: true });
    await writeFile(local, '');

    expect(commandName({ launcher: local, cwd: folder, env: {} })).toBe('npx homeport');
    expect(commandName({ launcher: local, cwd: join(folder, 'src'), env: {} })).toBe('npx homeport');
    expect(commandName({ launcher: local, cwd: checkout.path, env: {} })).toContain('node ');
    expect(commandNameAnywhere(local)).toContain('node ');
  });

  it('is used in the lines of the log', () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'warn', commandName: 'npx homeport', write: (line) => lines.push(line) });

    logger.warn({ job: 7 }, 'Look with: homeport logs');

    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ job: 7, msg: 'Look with: npx homeport logs' });
  });

  it('replaces commands in messages and nothing else', () => {
    const text = 'Run "homeport logs --failed", or homeport providers approve x. npx homeport open; homeport is a hub.';

    expect(withCommandName(text, 'npx homeport')).toBe(
      'Run "npx homeport logs --failed", or npx homeport providers approve x. npx homeport open; homeport is a hub.',
    );
    expect(withCommandName('cd /opt/homeport serve', '$&')).toBe('cd /opt/homeport serve');
  });
});
