import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
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

it.each(['.claude', '.agents'])('tells an agent in %s how to build, with an example that compiles', async (place) => {
  const root = join(folder.path, 'my project');
  const text = await readFile(join(root, place, 'skills/homeport/SKILL.md'), 'utf8');
  const [, front = ''] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
  const [, description = ''] = /^description: (.+)$/m.exec(front) ?? [];
  const [, example = ''] = /```ts\n(.*?)```/s.exec(text) ?? [];

  expect(front).toMatch(/^name: homeport$/m);
  expect(description.length).toBeLessThan(1024);
  // A colon and a space would begin another member.
  expect(description).not.toContain(': ');
  await writeFile(join(root, 'practice/actions/from-skill.ts'), example);
  const index = await readFile(join(root, 'index.ts'), 'utf8');
  await writeFile(join(root, 'index.ts'), `${index}import './practice/actions/from-skill.js';\n`);
  const compiled = await runCli(['compile'], { cwd: root, home: home.path });
  await writeFile(join(root, 'index.ts'), index);
  await rm(join(root, 'practice/actions/from-skill.ts'));
  expect(compiled.status, compiled.errors).toBe(0);
});

it('keeps what a person wrote for agents', async () => {
  const root = join(folder.path, 'with skill');
  await mkdir(join(root, '.claude/skills/homeport'), { recursive: true });
  await writeFile(join(root, '.claude/skills/homeport/SKILL.md'), 'mine');

  await runCli(['init', 'with skill', '--copy'], { cwd: folder.path, home: home.path });

  expect(await readFile(join(root, '.claude/skills/homeport/SKILL.md'), 'utf8')).toBe('mine');
});

/** A project as its author commits it, on this computer or on another one. */
async function committed(name: string): Promise<string> {
  const root = join(folder.path, name);
  await cp(join(folder.path, 'my project'), root, {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  // zod comes from the registry, which this test does not need.
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  delete manifest.devDependencies.zod;
  await writeFile(join(root, 'package.json'), JSON.stringify(manifest));
  return root;
}

const shell = (script: string, cwd: string, env: Record<string, string> = {}) =>
  run('sh', ['-c', script], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: home.path, HOMEPORT_HOME: home.path, ...env },
  }).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({ status: error.code, ...error }),
  );

it('makes a project that holds no path of this computer', async () => {
  const root = join(folder.path, 'my project');
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path.includes('node_modules')) continue;
    const text = await readFile(path, 'utf8');
    for (const own of [ROOT, home.path, folder.path, process.execPath]) expect(text, path).not.toContain(own);
  }
});

it('makes a project in which npx homeport is this program, before and after it is moved', {
  tags: ['slow'],
}, async () => {
  const root = await committed('installed');
  const installed = await shell('npm install --offline --no-audit --no-fund', root);
  expect(installed.status, installed.stderr).toBe(0);

  const inside = await shell('npx --no homeport version', join(root, 'practice/actions'));
  const help = await shell('npx --no homeport connections get', root);

  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  expect([inside.status, inside.stdout.trim()]).toEqual([0, version]);
  expect([help.status, help.stderr]).toEqual([64, expect.stringContaining('"npx homeport help connections get"')]);
});

it('says what to do where Homeport is not, instead of a stack trace', async () => {
  const root = await committed('elsewhere');
  const nowhere = await shell('node .homeport/homeport.mjs version', root, { HOMEPORT_HOME: folder.path });
  const gone = await shell('npm run --silent homeport -- version', root, { HOMEPORT_PROGRAM: '/nowhere/homeport' });

  for (const { status, stdout, stderr } of [nowhere, gone]) {
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: Homeport was not found on this computer\./);
    expect(stderr).toContain('Start it once');
  }
  expect(gone.stderr).toContain('/nowhere/homeport');
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
