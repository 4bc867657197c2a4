// @module-tag slow
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunCertificates } from '../../../server/egress/run-certificates.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { type CliRun, runCliProcess } from '../../support/run-cli.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { TlsProvider } from '../../support/tls-provider.ts';

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
    expect(await readdir(join(home.path, 'runs'))).toEqual([]);
  });
});
