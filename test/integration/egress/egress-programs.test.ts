// @module-tag slow
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunCertificates } from '../../../server/egress/run-certificates.ts';
import { serveGit } from '../../support/git-backend.ts';
import { importConnection, officialClient } from '../../support/import-practice-connection.ts';
import { type CliRun, runCliProcess } from '../../support/run-cli.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { TlsProvider } from '../../support/tls-provider.ts';

/** Programs that people use at GitHub, with the shipped entry of it; the hub reaches a local server in its place. */
const TOKEN = 'ghp_RealTokenOfThePerson0123456789abcd';
const BASIC = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;
const AUTHORITIES = new RunCertificates(Date.now());
const MAP_HOSTS = fileURLToPath(new URL('../../support/map-hosts.cjs', import.meta.url));
const PATH = process.env['PATH'] ?? '';

let home: TempHome;
let github: TlsProvider;
let server: StartedServer;

beforeAll(async () => {
  home = await createTempHome();
  const repositories = join(home.path, 'repositories');
  makeRepository(repositories);
  github = await TlsProvider.start(AUTHORITIES, (request, response) => {
    const { authorization = '', host } = request.headers;
    if (host === 'github.com') {
      if (authorization === BASIC) serveGit(repositories, request, response);
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end('who are you?');
      return;
    }
    const isKnown = [`Bearer ${TOKEN}`, `token ${TOKEN}`].includes(authorization);
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKnown ? { login: 'octo', sent: authorization } : { message: 'Bad credentials' }));
  });
  const authority = join(home.path, 'test-authority.pem');
  await writeFile(authority, AUTHORITIES.authority);
  server = await startServer({
    home: home.path,
    env: {
      NODE_EXTRA_CA_CERTS: authority,
      NODE_OPTIONS: `--require ${MAP_HOSTS}`,
      HOMEPORT_TEST_HOSTS: JSON.stringify({ 'api.github.com:443': github.port, 'github.com:443': github.port }),
    },
  });
  await officialClient(server).createIntegration({ provider: 'github-pat', unique_key: 'github' });
  const imported = await importConnection(server, {
    provider_config_key: 'github',
    connection_id: 'mine',
    credentials: { type: 'API_KEY', apiKey: TOKEN },
  });
  expect(imported.status).toBe(201);
});
afterAll(async () => {
  await server?.stop();
  await github?.stop();
  await home?.remove();
});
beforeEach(() => {
  github.requests.length = 0;
});

function makeRepository(folder: string): void {
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=Me', '-c', 'user.email=me@example.com', ...args], { stdio: 'ignore' });
  const bare = join(folder, 'acme/demo.git');
  const work = join(folder, 'work');
  git('init', '--bare', '-b', 'main', bare);
  git('-C', bare, 'config', 'http.receivepack', 'true');
  git('init', '-b', 'main', work);
  git('-C', work, 'commit', '--allow-empty', '-m', 'First');
  git('-C', work, 'push', bare, 'main');
}

const run = (words: string[], env: Record<string, string> = {}): Promise<CliRun> =>
  runCliProcess(['run', '--connection', 'mine', '--', ...words], { cwd: home.path, home: home.path, env });

function expectAnswer(done: CliRun): void {
  expect(done.errors).toBe('');
  expect(done.status).toBe(0);
  expect(done.output).toContain('octo');
  expect(done.output).not.toContain('RealToken');
  expect(github.requests.map(({ headers }) => headers.authorization)).toEqual(
    expect.arrayContaining([expect.stringContaining(TOKEN)]),
  );
}

/** The bundled Node, and the one of this computer, which may be older. */
const NODES = [...new Set([process.execPath, '/usr/bin/node', '/usr/local/bin/node'])].filter(existsSync);
const GH = PATH.split(':')
  .map((folder) => join(folder, 'gh'))
  .find(existsSync);

describe('homeport run with', () => {
  it('curl', async () => {
    expectAnswer(
      await run(['sh', '-c', 'curl -sS -H "Authorization: token $GITHUB_TOKEN" https://api.github.com/user']),
    );
  });

  it('git over https: clones and pushes', { tags: ['main-path'] }, async () => {
    const script = `set -e
git clone -q https://github.com/acme/demo.git clone && cd clone
head -c 3000000 /dev/urandom > large && git add large
git -c user.name=Me -c user.email=me@example.com commit -q -m Second
git push -q origin main && git ls-remote origin main`;
    const done = await run(['sh', '-c', script], { GIT_TERMINAL_PROMPT: '0' });
    expect(done.errors).toBe('');
    expect(done.status).toBe(0);
    const pushed = execFileSync('git', ['-C', join(home.path, 'repositories/acme/demo.git'), 'log', '--format=%s'], {
      encoding: 'utf8',
    });
    expect(pushed).toBe('Second\nFirst\n');
    expect(new Set(github.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([BASIC]));
    expect(await readFile(join(home.path, 'clone/.git/config'), 'utf8')).not.toContain('hp_');
  });

  it.skipIf(GH === undefined)('gh', async () => {
    const config = join(home.path, 'gh-config');
    await mkdir(config, { recursive: true });
    expectAnswer(await run([GH ?? '', 'api', 'user'], { GH_CONFIG_DIR: config }));
  });

  it.each(NODES)('Node (%s): fetch, and https', async (node) => {
    const headers = '{ headers: { authorization: "Bearer " + process.env.GITHUB_TOKEN } }';
    expectAnswer(
      await run([
        node,
        '-e',
        `fetch("https://api.github.com/user", ${headers}).then(async (one) => console.log(await one.text()))`,
      ]),
    );
    github.requests.length = 0;
    expectAnswer(
      await run([
        node,
        '-e',
        `require("node:https").get("https://api.github.com/user", ${headers}, (one) => one.pipe(process.stdout))`,
      ]),
    );
  });

  it('Python', async () => {
    const script = `import os, urllib.request
request = urllib.request.Request("https://api.github.com/user", headers={"Authorization": "Bearer " + os.environ["GITHUB_TOKEN"]})
print(urllib.request.urlopen(request).read().decode())`;
    expectAnswer(await run(['python3', '-c', script]));
  });
});
