// @module-tag slow
import { execFile, spawn, spawnSync } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../architecture/source-tree.ts';
import {
  importPracticeConnection,
  PRACTICE_KEY,
  type PracticeConnection,
} from '../../support/import-practice-connection.ts';
import { openContext, sharedBrowser } from '../../support/launch-chromium.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';

const run = promisify(execFile);

let server: StartedServer;
let folder: TempHome;
let connection: PracticeConnection;
beforeAll(async () => {
  // Nobody is there to answer the question of the agent.
  server = await startServer({ hasExamples: true, env: { HOMEPORT_MCP: 'allow' } });
  folder = await createTempHome();
  await cp(join(ROOT, 'functions/examples'), folder.path, { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  connection = await importPracticeConnection(server);
  await waitForSync(connection, 'fetch-issues', hasSucceeded);
});
afterAll(async () => {
  await server?.stop();
  await folder?.remove();
});

const inFolder = (name: string) => ({
  cwd: join(folder.path, name),
  env: { PATH: process.env['PATH'], HOMEPORT: server.url, HOMEPORT_SECRET_KEY: server.secretKey },
});

describe('the sample apps', () => {
  it('report in Node about records, and create an issue', async () => {
    const { stdout } = await run(process.execPath, ['report.mjs'], inFolder('node-script'));

    expect(stdout).toMatch(/^\d+ of 250 issues are open\.\nThe oldest is #\d+: .+\nCreated #\d+: Look at #\d+\n$/);
  });

  it('write all records as CSV in Python', async ({ skip }) => {
    if (spawnSync('python3', ['--version']).status !== 0) skip();
    const { stdout } = await run('python3', ['issues.py'], inFolder('python-script'));
    const [head, ...rows] = stdout.trim().split('\r\n');

    expect(head).toBe('id,number,title,state');
    expect(rows.length).toBeGreaterThan(200);
  });

  it('say in Python what the hub refused, and where it is explained', async ({ skip }) => {
    if (spawnSync('python3', ['--version']).status !== 0) skip();
    const { cwd, env } = inFolder('python-script');
    const wrong = { ...env, HOMEPORT_SECRET_KEY: '11111111-2222-4333-8444-555555555555' };

    await expect(run('python3', ['issues.py'], { cwd, env: wrong })).rejects.toThrow(
      `${server.url}/docs/errors#unknown_account`,
    );
  });

  it('find and call a tool in a session', async () => {
    const args = ['agent.mjs', 'create an issue', '{"title": "Made by the sample agent"}'];
    const { stdout } = await run(process.execPath, args, inFolder('agent'));

    expect(stdout).toContain('practice__create-issue: ');
    expect(stdout).toContain('Made by the sample agent');
    await expect(run(process.execPath, ['agent.mjs', 'zzqx'], inFolder('agent'))).rejects.toThrow('No tool');
  });

  it('connect an account in a page', async () => {
    const { cwd, env } = inFolder('web-page');
    const app = spawn(process.execPath, ['server.mjs'], {
      cwd,
      env: { ...env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const context = await openContext(await sharedBrowser());
    try {
      const [line] = await new Promise<[Buffer]>((resolve) =>
        app.stdout.once('data', (...data: [Buffer]) => resolve(data)),
      );
      const page = await context.newPage();
      await page.goto(/http:\S+/.exec(line.toString())?.[0] ?? '');
      await page.getByRole('button', { name: 'Connect the tracker' }).click();
      const connect = page.frameLocator('#connect-ui');
      await connect.getByLabel('API key', { exact: true }).fill(PRACTICE_KEY);
      await connect.getByRole('button', { name: /^Connect / }).click();
      await page.getByText(/^Connected: [0-9a-f-]{36}$/).waitFor();
    } finally {
      await context.close();
      app.kill();
    }
  });
});
