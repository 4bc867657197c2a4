import { spawn, spawnSync } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { officialClient, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { launchChromium, openContext } from '../../support/launch-chromium.ts';
import { CLI_ENTRY } from '../../support/run-cli.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

interface Block {
  language: string;
  text: string;
}

let server: StartedServer;
let folder: TempHome;
let blocks: Block[];
let pagePort: number;
/** The variables that the reader has set in the terminal. */
let exports = '';

beforeAll(async () => {
  server = await startServer({ hasExamples: true });
  folder = await createTempHome();
  const [webhooksPort, freePort] = [await findFreePort(), await findFreePort()];
  pagePort = freePort;
  const text = (await readFile(join(ROOT, 'server/docs/first-hour.md'), 'utf8'))
    .replaceAll('http://127.0.0.1:3003', server.url)
    .replaceAll('paste-the-secret-key-here', server.secretKey)
    .replaceAll('4000', String(webhooksPort))
    .replaceAll('4001', String(pagePort));
  blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    language,
    text: code,
  }));
});
afterAll(async () => {
  await server?.stop();
  await folder?.remove();
});

/** The next block of the page, which must be in this language. Files are saved under the name in their first line. */
async function next(language: string): Promise<string> {
  const block = blocks.shift();
  expect(block?.language, block?.text).toBe(language);
  const text = block?.text ?? '';
  const [, name] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text) ?? [];
  if (name) await writeFile(join(folder.path, name), text);
  return text;
}

/** Runs the next block in the reader's shell; resolves to its output. */
async function run(): Promise<string> {
  const script = `set -e\n${exports}\n${await next('sh')}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: folder.path,
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(status, `${script}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** JSON documents that were printed one after the other. */
function documents(output: string): Array<Record<string, unknown>> {
  return output.split(/(?<=\})(?=\{)/).map((one) => JSON.parse(one) as Record<string, unknown>);
}

describe('the page of the first hour', () => {
  it('goes from the key to a connection and its credentials', async () => {
    exports = await next('sh');
    expect(documents(await run())).toMatchObject([{ data: { unique_key: 'practice' } }, { connection_id: 'me' }]);

    const [connection, page] = documents(await run());
    expect(connection).toMatchObject({ credentials: { apiKey: PRACTICE_KEY } });
    expect(page).toMatchObject({ issues: [{}, {}] });
  });

  it('gets a token and makes a request in Node and in Python', async () => {
    expect(await next('sh')).toBe('npm install @nangohq/node @nangohq/frontend\n');
    await symlink(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
    const printed = `the key: ${PRACTICE_KEY}\nissues of the first page: `;
    await next('js');
    expect(await run()).toContain(printed);

    await next('python');
    if (spawnSync('python3', ['--version']).status === 0) expect(await run()).toContain(printed);
    else await next('sh');
  });

  it('reads records and runs an action', async () => {
    const connection = { nango: officialClient(server), integration: 'practice', connectionId: 'me' };
    await waitForSync(connection, 'fetch-issues', hasSucceeded);

    expect(documents(await run())).toMatchObject([
      { records: [{ _nango_metadata: {} }, {}] },
      { title: 'Made by the first hour', state: 'open' },
    ]);
  });

  it('receives a signed webhook', async () => {
    await next('js');

    expect(await run()).toContain('genuine: sync fetch-issues');
    expect(documents(await run())).toMatchObject([{ data: { webhook: { primary_url: null } } }]);
  });

  it('connects an account in a page', async () => {
    await next('js');
    const script = `${exports}\nexec ${await next('sh')}`;
    const app = spawn('bash', ['-c', script], { cwd: folder.path, stdio: ['ignore', 'pipe', 'inherit'] });
    let browser: Browser | undefined;
    try {
      await new Promise((resolve) => app.stdout.once('data', resolve));
      browser = await launchChromium();
      const page = await (await openContext(browser)).newPage();
      await page.goto(`http://127.0.0.1:${pagePort}`);
      await page.getByRole('button', { name: 'Connect the tracker' }).click();
      const connect = page.frameLocator('#connect-ui');
      await connect.getByLabel('API key', { exact: true }).fill(PRACTICE_KEY);
      await connect.getByRole('button', { name: /^Connect / }).click();
      await page.getByText(/^Connected: [0-9a-f-]{36}$/).waitFor();
    } finally {
      await browser?.close();
      app.kill();
    }
  });

  it('adds a provider of its own in five lines', async () => {
    const entry = await next('yaml');
    expect(entry.trim().split('\n')).toHaveLength(5);
    await writeFile(join(server.workspace, 'providers.yaml'), entry);
    await waitFor(async () => (await providerStatus('my-shop')) === 200, { what: 'the provider' });

    expect(documents(await run())).toMatchObject([{ data: { name: 'my-shop' } }]);
  });

  it('tries, records and deploys a function', { tags: ['slow'] }, async () => {
    // The packages that `npm install` would bring; the command of a checkout runs in no other folder.
    exports += `homeport_init() { '${process.execPath}' '${CLI_ENTRY}' init integrations --copy && ln -s '${ROOT}node_modules' integrations; }
export HOMEPORT_HOME='${server.home}'\n`;
    const block = blocks[0];
    if (block)
      block.text = block.text
        .replace('npx homeport init ../my-integrations', 'homeport_init')
        .replace('cd ../my-integrations', 'cd integrations');

    const printed = await run();

    expect(printed).toContain('"login": "me"');
    expect(printed).toContain('1 passed, 0 failed');
    expect(printed).toContain('1 function live in dev');
    expect(blocks).toEqual([]);
  });
});

async function providerStatus(name: string): Promise<number> {
  const headers = { authorization: `Bearer ${server.secretKey}` };
  return (await fetch(`${server.url}/providers/${name}`, { headers })).status;
}

/** The ports of the page's own programs, which cannot ask the system for a free one. */
function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
