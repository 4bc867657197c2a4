import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

let server: InProcessServer;
let home: TempHome;
let folder: TempHome;
let made: CliRun;
beforeAll(async () => {
  home = await createTempHome();
  folder = await createTempHome();
  server = await startInProcess({ home: home.path });
  made = await runCli(['init', 'my project', '--copy'], { cwd: folder.path, home: home.path });
  // What `npm install` would bring.
  await symlink(join(ROOT, 'node_modules'), join(folder.path, 'my project/node_modules'));
});
afterAll(async () => {
  await server?.stop();
  await home.remove();
  await folder.remove();
});

it('makes a project in which an editor sees no error', async () => {
  expect(made.status).toBe(0);

  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '--noEmit', '-p', '.'], {
    cwd: join(folder.path, 'my project'),
  });

  expect(stdout).toBe('');
});

it('prints commands that work as printed, in any folder', { tags: ['slow'] }, async () => {
  const lines = made.output.split('\n').flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []));
  expect(lines).toEqual([
    'cd "my project"',
    expect.stringMatching(/^npm run homeport -- serve\b/),
    'npm run homeport -- connections add practice try',
    'npm run homeport -- dryrun whoami try',
    'npm run homeport -- deploy',
  ]);
  const script = ['set -e', ...lines.filter((line) => !line.includes('serve'))].join('\n');

  const { stdout } = await run('sh', ['-c', script], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '', HOME: home.path, HOMEPORT_HOME: home.path },
  });

  expect(stdout).toContain('try of practice added');
  expect(stdout).toMatch(/"(?:login|name|email|id)"/);
  expect(stdout).toContain('1 function live in dev');
});
