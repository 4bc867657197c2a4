// @module-tag slow
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import {
  emptyHome,
  expectGoldenContents,
  makePackages,
  passClientStory,
  startPackaged,
  TARGET,
} from './packaged-program.ts';

const run = promisify(execFile);

interface Refusal {
  code: number;
  stderr: string;
}

describe.skipIf(process.platform === 'win32')('the headless bundle', () => {
  let temp: TempHome;
  let out: string;
  let archive: string;
  let bundle: string;
  let command: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    temp = await createTempHome();
    out = path.join(temp.path, 'out');
    await makePackages(out, '--headless');
    archive = readdirSync(out).find((name) => name.endsWith(`-${TARGET}.tar.gz`)) ?? '';
    await run('tar', ['-xzf', path.join(out, archive), '-C', temp.path]);
    bundle = path.join(temp.path, archive.replace('.tar.gz', ''));
    // As its README installs it: a link in a folder on the path.
    command = path.join(temp.path, 'bin/homeport');
    mkdirSync(path.dirname(command));
    symlinkSync(path.join(bundle, 'bin/homeport'), command);
    env = await emptyHome(temp.path);
  }, 240_000);
  afterAll(() => temp.remove());

  it('holds exactly what it should', () => {
    expectGoldenContents('headless', bundle);
    expect(readdirSync(out).sort()).toEqual(['SHA256SUMS', archive].sort());
    const digest = createHash('sha256')
      .update(readFileSync(path.join(out, archive)))
      .digest('hex');
    expect(readFileSync(path.join(out, 'SHA256SUMS'), 'utf8')).toBe(`${digest}  ${archive}\n`);
  });

  it('names everything inside, with licences', () => {
    const bill = JSON.parse(readFileSync(path.join(bundle, 'sbom.cdx.json'), 'utf8'));
    const licences = readFileSync(path.join(bundle, 'LICENSES.txt'), 'utf8');
    const names: string[] = bill.components.map((component: { name: string }) => component.name);

    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    // Files of the server, of the pages, beside the bundles, and Node itself; none that only builds or tests need.
    const expected = [
      'express',
      'react',
      '@mantine/core',
      '@fontsource-variable/inter',
      'simple-icons',
      'isolated-vm',
      'zod',
    ];
    expect(names).toEqual(expect.arrayContaining(expected));
    expect(names.filter((name) => /^node-(linux|win|darwin|bin-darwin)-/.test(name))).toHaveLength(1);
    expect(
      names.filter((name) => /vitest|electron-builder|biome|node-gyp$|prebuild-install|@nangohq/.test(name)),
    ).toEqual([]);
    expect(new Set(bill.components.map((component: { 'bom-ref': string }) => component['bom-ref'])).size).toBe(
      names.length,
    );
    for (const { name, version, licenses } of bill.components) {
      expect(licences).toContain(`${name} ${version} (`);
      expect(JSON.stringify(licenses)).not.toMatch(/unknown|UNLICENSED|\bA?GPL/i);
    }
  });

  it('has a command that needs no other Node', { tags: ['nightly'] }, async () => {
    const help = await run(command, ['--help'], { env });
    const version = await run(command, ['--version'], { env });

    expect(help.stdout).toContain('Usage: homeport');
    expect(version.stdout.trim()).toBe(archive.split('-')[1]);
  });

  it('makes and compiles a project, types included', { tags: ['nightly'] }, async () => {
    const project = path.join(temp.path, 'project');

    await run(command, ['init', project, '--copy', '--no-interactive'], { env });
    const { stdout } = await run(command, ['compile', '--json'], { env, cwd: project });

    expect(JSON.parse(stdout)).toMatchObject({ functions: [{ type: 'action', name: 'whoami' }], diagnostics: [] });
  });

  it('serves an official client from an empty home, and stops when asked', async () => {
    const server = await startPackaged(command, ['serve'], env);
    let status: number | null = null;
    try {
      await passClientStory(server);
    } finally {
      status = await server.stop();
    }

    expect(status).toBe(0);
    const data = path.join(
      env['HOME'] ?? '',
      process.platform === 'darwin' ? 'Library/Application Support' : '.local/share',
    );
    expect(existsSync(data)).toBe(true);
  });

  it('is not made without what its system needs', { tags: ['nightly'] }, async () => {
    const other = TARGET.startsWith('mac') ? 'linux-arm64' : 'mac-arm64';
    const refusal = (await makePackages(path.join(temp.path, 'other'), '--headless', '--target', other).then(
      () => expect.unreachable('a package was made'),
      (error: unknown) => error,
    )) as Refusal;

    expect(refusal.code).toBe(1);
    expect(refusal.stderr).toMatch(new RegExp(`for ${other} .*Make packages of ${other} on such a machine`, 's'));
    expect(existsSync(path.join(temp.path, 'other/SHA256SUMS'))).toBe(false);
  });
});
