// @module-tag nightly
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE_NAME } from '../../../server/cli/project/project-bin.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import {
  emptyHome,
  expectGoldenContents,
  makePackages,
  passClientStory,
  ROOT,
  startPackaged,
} from './packaged-program.ts';

const run = promisify(execFile);
/** Limit of one package: larger than a Node needs. */
const MAX_BYTES = 400_000_000;

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  scripts?: object;
  devDependencies?: object;
  bundleDependencies?: string[];
}

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));

/**
 * A registry with the packages that this checkout installed, and none for other systems: it answers `npm install` as the
 * real one does, without a network. Packages are served without the parts that the tests do not use.
 */
async function startRegistry(): Promise<{ server: Server; url: string }> {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as { packages: object };
  const archives = new Map<string, Promise<Buffer>>();
  const pack = async (key: string): Promise<Buffer> => {
    const without = ['node_modules', 'include', 'share', 'src'].map((part) => `--exclude=./${part}`);
    const options = [...without, '--transform', 's,^\\.,package,', '-C', path.join(ROOT, key)];
    const { stdout } = await run('tar', ['-cf', '-', ...options, '.'], { encoding: 'buffer', maxBuffer: MAX_BYTES });
    // Packed and not compressed: the archive lives for a second.
    return gzipSync(stdout, { level: 0 });
  };
  const packed = (key: string): Promise<Buffer> => {
    const archive = archives.get(key) ?? pack(key);
    archives.set(key, archive);
    return archive;
  };
  const describeVersion = async (key: string, host: string): Promise<[string, object]> => {
    const { scripts: _scripts, devDependencies: _dev, ...manifest } = readManifest(path.join(ROOT, key));
    const digest = createHash('sha512')
      .update(await packed(key))
      .digest('base64');
    const dist = { tarball: `http://${host}/archives/${key}`, integrity: `sha512-${digest}` };
    return [manifest.version, { ...manifest, dist }];
  };
  const server = createServer(async (request, response) => {
    const asked = decodeURIComponent(request.url ?? '').slice(1);
    if (asked.startsWith('archives/')) return response.end(await packed(asked.slice('archives/'.length)));
    const keys = Object.keys(packages).filter(
      (key) => key.endsWith(`node_modules/${asked}`) && existsSync(path.join(ROOT, key)),
    );
    const versions = await Promise.all(keys.map((key) => describeVersion(key, request.headers.host ?? '')));
    response.statusCode = versions.length > 0 ? 200 : 404;
    response.setHeader('content-type', 'application/json');
    const latest = versions[0]?.[0];
    return response.end(
      JSON.stringify({ name: asked, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

describe.skipIf(process.platform !== 'linux')('the npm package', () => {
  let temp: TempHome;
  let archive: string;
  let env: Record<string, string>;
  let registry: { server: Server; url: string };
  let npx: string;

  beforeAll(async () => {
    temp = await createTempHome();
    const out = path.join(temp.path, 'out');
    await makePackages(out, '--npm');
    archive = path.join(out, readdirSync(out).find((name) => name.endsWith('.tgz')) ?? '');
    registry = await startRegistry();
    // The machine's own Node, whichever version it is, and its npm.
    npx = (await run('/bin/sh', ['-c', 'command -v npx'])).stdout.trim();
    env = {
      ...(await emptyHome(temp.path)),
      PATH: `${path.dirname(npx)}:/usr/bin:/bin`,
      npm_config_registry: registry.url,
    };
  }, 240_000);
  afterAll(async () => {
    registry.server.closeAllConnections();
    await new Promise((resolve) => registry.server.close(resolve));
    await temp.remove();
  });

  it('holds exactly what it should', async () => {
    await run('tar', ['-xzf', archive, '-C', temp.path]);
    const folder = path.join(temp.path, 'package');

    expectGoldenContents('npm', folder);
    const manifest = readManifest(folder);
    const { optionalDependencies } = readManifest(ROOT);
    expect(manifest).toMatchObject({
      name: PACKAGE_NAME,
      engines: { node: '^20.19.0 || >=22.12.0' },
      bin: { homeport: 'build/scripts/homeport.mjs' },
      optionalDependencies: { ...optionalDependencies, '@esbuild/linux-x64': expect.stringMatching(/^\d/) },
      publishConfig: { access: 'public' },
    });
    expect(manifest).not.toHaveProperty('private');
    expect(JSON.stringify(manifest)).not.toMatch(/"(install|postinstall|prepare)"/);
    // npm would warn about these on the Node of the user, which does not run them.
    const bundled = manifest.bundleDependencies?.map((name) => readManifest(path.join(folder, 'node_modules', name)));
    expect(bundled).toHaveLength(7);
    for (const one of bundled ?? []) {
      expect(one, one.name).not.toHaveProperty('engines');
      expect(one, one.name).not.toHaveProperty('scripts');
    }
  });

  it('is installed into a folder without a warning, and its command makes and compiles a project there', async () => {
    const folder = path.join(temp.path, 'installed');
    await mkdir(folder);
    const typed = async (command: string, cwd = folder) => run('/bin/sh', ['-c', command], { cwd, env });

    const { stderr } = await typed(`npm install '${archive}'`);
    expect(stderr).toBe('');
    expect((await typed('npx homeport help')).stdout).toContain('Usage: homeport');
    await typed('npx homeport init mine --copy');
    expect((await typed('npx homeport compile', path.join(folder, 'mine'))).stdout).toContain('1 function compiled');
  }, 240_000);

  it('serves an official client with npx on a machine that has only Node, and stops when asked', async () => {
    const server = await startPackaged(
      npx,
      ['--yes', `./${path.basename(archive)}`, 'serve'],
      env,
      path.dirname(archive),
    );
    try {
      await passClientStory(server);
    } finally {
      await server.stop();
    }
    // npm first fetches and unpacks 150 MB, on a machine that other tests keep busy.
  }, 240_000);
});
