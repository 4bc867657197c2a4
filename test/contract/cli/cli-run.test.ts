// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DashboardSession } from '../../../server/cli/hub/dashboard-session.ts';
import { RunCertificates } from '../../../server/egress/run-certificates.ts';
import { importConnection, officialClient } from '../../support/import-practice-connection.ts';
import { CLI_ENTRY, type CliRun, runCliProcess } from '../../support/run-cli.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { TlsProvider } from '../../support/tls-provider.ts';
import { waitFor } from '../../support/wait-for.ts';

const TOKEN = 'sk-live/very+secret=4711&"quoted"';
const AUTHORITIES = new RunCertificates(Date.now());

let home: TempHome;
let provider: TlsProvider;
let stranger: TlsProvider;
let server: StartedServer;

beforeAll(async () => {
  home = await createTempHome();
  provider = await TlsProvider.start(AUTHORITIES, ({ headers, url }, response) => {
    if (url.startsWith('/away')) response.writeHead(302, { location: `${stranger.address}/in?key=${url}` }).end();
    else
      response
        .writeHead(200, { 'content-type': 'application/json', 'x-echo': String(headers.authorization) })
        .end(JSON.stringify({ url, headers }));
  });
  stranger = await TlsProvider.start(AUTHORITIES, ({ headers }, response) => {
    response.end(JSON.stringify({ headers }));
  });
  await mkdir(join(home.path, 'functions'));
  await writeFile(join(home.path, 'functions/providers.yaml'), entry('acme', provider.address));
  const authority = join(home.path, 'test-authority.pem');
  await writeFile(authority, AUTHORITIES.authority);
  server = await startServer({ home: home.path, env: { NODE_EXTRA_CA_CERTS: authority } });
  await fetch(`${server.url}/integrations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'acme', unique_key: 'acme' }),
  });
  await connect('acme', 'mine');
});
afterAll(async () => {
  await server?.stop();
  await Promise.all([provider, stranger].map((one) => one?.stop()));
  await home?.remove();
});
beforeEach(() => {
  provider.requests.length = 0;
  stranger.requests.length = 0;
});

async function connect(integration: string, id: string): Promise<void> {
  const credentials = { type: 'API_KEY', apiKey: TOKEN };
  const response = await importConnection(server, {
    provider_config_key: integration,
    connection_id: id,
    credentials,
  });
  expect(response.status).toBe(201);
}

function entry(name: string, address: string): string {
  return `${name}:
  display_name: Acme
  auth_mode: API_KEY
  docs: https://acme.test
  proxy:
    base_url: ${address}
    headers: { authorization: "Bearer \${apiKey}" }
  credentials:
    apiKey: { type: string, title: Key, description: A key., secret: true }
`;
}

const run = (args: string[], env: Record<string, string> = {}): Promise<CliRun> =>
  runCliProcess(['run', ...args], {
    cwd: home.path,
    home: home.path,
    env: { NODE_EXTRA_CA_CERTS: join(home.path, 'test-authority.pem'), ...env },
  });
const sh = (script: string, options: string[] = []): Promise<CliRun> =>
  run([...options, '--connection', 'mine', '--', 'sh', '-c', script]);

describe('homeport run', () => {
  it('puts the credential into a request of curl, and takes it out of the response', {
    tags: ['main-path'],
  }, async () => {
    const done = await sh(`curl -s -i -H "Authorization: Bearer $ACME_TOKEN" ${provider.address}/user`);
    expect(done.errors).toBe('');
    expect(done.status).toBe(0);
    expect(provider.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`]);
    expect(done.output).toMatch(/"authorization":"Bearer hp_[0-9a-f]{40}"/);
    expect(done.output).not.toContain('4711');
    expect(existsSync(join(home.path, 'runs'))).toBe(false);
  });

  it('ends as the command ends, with its streams', async () => {
    const done = await sh('echo out; echo err >&2; exit 7');
    expect([done.status, done.output, done.errors]).toEqual([7, 'out\n', 'err\n']);
    expect((await sh('kill -TERM $$')).status).toBe(143);
    const unknown = await run(['--connection', 'mine', '--', 'no-such-command']);
    expect([unknown.status, unknown.errors]).toEqual([127, expect.stringContaining('There is no such command')]);
    expect(existsSync(join(home.path, 'runs'))).toBe(false);
  });

  it('passes options behind the command on', async () => {
    const done = await run(['--connection', 'mine', 'sh', '-c', 'echo "$0 $1"', '--connection', '--json']);
    expect([done.status, done.output]).toEqual([0, '--connection --json\n']);
  });

  it('gives no child a credential or a key of the hub', async () => {
    const keys = { NANGO_SECRET_KEY: server.secretKey, NANGO_SECRET_KEY_DEV: server.secretKey };
    const done = await run(
      [
        '--connection',
        'mine',
        '--',
        'sh',
        '-c',
        'sh -c "env; cat /proc/self/environ /proc/$$/environ | tr \\\\0 \\\\n"',
      ],
      keys,
    );
    expect(done.status).toBe(0);
    expect(done.output).toMatch(/ACME_TOKEN=hp_[0-9a-f]{40}/);
    for (const secret of ['4711', server.secretKey, 'MASTER_KEY']) expect(done.output).not.toContain(secret);
  });

  it('refuses to sign in to the hub from inside', async () => {
    const done = await sh(`'${process.execPath}' '${CLI_ENTRY}' connections list`);
    expect([done.status, done.errors]).toEqual([64, expect.stringContaining('homeport run')]);
  });

  it('names the variables that a person asks for, and says when two connections want one', async () => {
    const named = await run(['--env', 'MY_KEY=mine', '--', 'sh', '-c', 'echo "$MY_KEY" "$ACME_TOKEN"']);
    expect(named.output).toMatch(/^hp_[0-9a-f]{40} \n$/);
    await connect('acme', 'second');
    const both = await run(['-c', 'mine', '-c', 'acme/second', '--', 'true']);
    expect([both.status, both.errors]).toEqual([1, expect.stringContaining('ACME_TOKEN')]);
    const apart = await run(['-c', 'mine', '--env', 'OTHER=acme/second', '--', 'sh', '-c', 'env | grep -c =hp_']);
    expect([apart.status, apart.output]).toEqual([0, '2\n']);
  });

  it('reaches a provider over http, and the hub itself', async () => {
    await officialClient(server).createIntegration({ provider: 'practice', unique_key: 'practice' });
    await importConnection(server, { provider_config_key: 'practice', connection_id: 'me' });
    const { base_url: base } = (await officialClient(server).getProvider({ provider: 'practice' })).data.proxy as {
      base_url: string;
    };
    const script = `fetch("${base}/v1/issues", { headers: { authorization: "Bearer " + process.env.PRACTICE_TOKEN } })
      .then(async (one) => console.log(one.status, await one.text()))
      .then(() => fetch("${server.url}/health")).then((one) => console.log(one.status))`;
    const done = await run(['-c', 'practice/me', '--', process.execPath, '-e', script]);
    expect(done.errors).toBe('');
    expect(done.output).toMatch(/^200 [\s\S]*\n200\n$/);
    const curl = await run(['-c', 'practice/me', '--', 'curl', '-sS', `${server.url}/health`]);
    expect([curl.status, curl.errors]).toEqual([0, '']);
  });

  it('ends when the command line is killed: the child that goes on gets nothing any more', async () => {
    const output = join(home.path, 'out.txt');
    const script = `echo "$HTTPS_PROXY" > ${output}.tmp && mv ${output}.tmp ${output}; exec sleep 600`;
    const child = spawn(process.execPath, [CLI_ENTRY, 'run', '-c', 'mine', '--', 'sh', '-c', script], {
      env: { PATH: process.env['PATH'], HOME: home.path, HOMEPORT_HOME: home.path },
      stdio: 'ignore',
      detached: true,
    });
    try {
      const proxy = await waitFor(async () => (await readFile(output, 'utf8').catch(() => '')).trim(), {
        what: 'the command to start',
      });
      child.kill('SIGKILL');
      await waitFor(() => !existsSync(join(home.path, 'runs')), { what: 'the end of the run' });
      const { hostname, port } = new URL(proxy);
      await expect(fetch(`http://${hostname}:${port}/`)).rejects.toThrow('fetch failed');
    } finally {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('passes %s on, and ends with the status of the command', async (signal) => {
    const output = join(home.path, `${signal}.txt`);
    const script = `trap 'exit 5' TERM INT; : > ${output}; while :; do sleep 0.05; done`;
    const child = spawn(process.execPath, [CLI_ENTRY, 'run', '-c', 'mine', '--', 'sh', '-c', script], {
      env: { PATH: process.env['PATH'], HOME: home.path, HOMEPORT_HOME: home.path },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await waitFor(() => existsSync(output), { what: 'the command to start' });
    child.kill(signal);
    expect((await ended)[0]).toBe(5);
  });

  it('tells the command line why a run ended before its command', async () => {
    const output = join(home.path, 'locked.txt');
    const script = `: > ${output}; while [ -e ${output} ]; do sleep 0.05; done; curl -sS -m 5 -H "Authorization: Bearer $ACME_TOKEN" ${provider.address}/user`;
    const running = sh(script);
    await waitFor(() => existsSync(output), { what: 'the command to start' });
    const session = await DashboardSession.open(home.path, fetch);
    await session?.call('POST', '/api/v1/vault/lock');
    await rm(output);
    const done = await running;
    expect(done.errors).toContain('The vault was locked');
    expect(done.status).not.toBe(0);
    expect(provider.requests).toEqual([]);
    await session?.call('POST', '/api/v1/vault/unlock');
  });
});
