import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { COMMAND_EXAMPLES } from '../../../server/cli/command-examples.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

let hub: FunctionHub;
let project: TempHome;
beforeAll(async () => {
  project = await createTempHome();
  hub = await startFunctionHub({
    'actions/whoami.ts': actionSource('return 1;'),
    'on-events/hello.ts': `import { createOnEvent } from 'homeport';
export default createOnEvent({ event: 'pre-connection-deletion', description: 'x', exec: async () => {} });`,
  });
});
afterAll(async () => {
  await hub?.stop();
  await project.remove();
});

const cli = (args: string[], env: Record<string, string> = {}): Promise<CliRun> =>
  runCli(args, { cwd: project.path, home: hub.server.home, env });
/** In the functions folder of the hub. */
const live = (args: string[]): Promise<CliRun> =>
  runCli(args, { cwd: join(hub.server.home, 'functions'), home: hub.server.home });
const errorsOf = async (...args: string[]): Promise<string> => (await cli(args)).errors;

describe('the help', () => {
  it('shows for each command examples that the command understands', async () => {
    const { output } = await cli(['help', 'dryrun']);
    expect(output).toContain('homeport dryrun whoami try');

    const paths = Object.keys(COMMAND_EXAMPLES);
    const helps = await Promise.all(
      paths.map(async (path) => [path, (await cli([...path.split(' '), '--help'])).output] as const),
    );
    for (const [path, help] of helps) {
      expect(help, path).toContain('Examples:');
      const flags = (COMMAND_EXAMPLES[path] ?? []).flatMap((line) => line.match(/--[a-zA-Z-]+/g) ?? []);
      for (const flag of flags) expect(help.split('Examples:')[0], path).toContain(flag);
    }
  });
});

describe('the message of a command that fails', () => {
  it('names the mistake and its correction', async () => {
    expect(await errorsOf('completion', 'klingon')).toContain('choose bash, zsh, fish');
    expect(await errorsOf('logs', '-n', 'abc')).toContain('"abc" is not one');
    expect((await live(['dryrun', 'whoami', 'c1', '--integration-id', 'my-shop'])).errors).toContain(
      'It belongs to acme.',
    );
  });

  it('looks for a hub where HOMEPORT_PORT puts it, and names the variable of a wrong key', async () => {
    const nowhere = { cwd: project.path, home: project.path };
    const port = await runCli(['doctor'], { ...nowhere, env: { HOMEPORT_PORT: '9' } });
    expect(port.output).toContain('nothing answers at http://127.0.0.1:9');

    const wrong = await cli(['connections', 'list'], { HOMEPORT_SECRET_KEY: '99999999-9999-4999-8999-999999999999' });
    expect(wrong.errors).toContain('The key comes from HOMEPORT_SECRET_KEY');
  });
});

describe('the output of commands', () => {
  it('takes as many operations as are asked for', async () => {
    await hub.action('whoami');

    const run = await cli(['logs', '-n', '1000', '--json']);

    expect(run.status).toBe(0);
    expect(run.json().length).toBeGreaterThan(0);
  });

  it('clears a list of settings', async () => {
    await cli(['settings', 'set', 'allowed_hosts', 'nas.local']);

    expect((await cli(['settings', 'unset', 'allowed_hosts'])).status).toBe(0);
    expect((await cli(['settings', 'get', 'allowed_hosts', '--json'])).json()).toEqual([]);
  });

  it('says that a handler ended, which gives nothing back', async () => {
    const run = await live(['dryrun', 'hello', 'c1']);

    expect([run.status, run.output]).toEqual([0, expect.stringContaining('The handler ended without an error')]);
  });

  it('lists, creates and deletes environments', async () => {
    expect((await cli(['environments', 'create', 'staging', '--json'])).json()).toMatchObject({ name: 'staging' });
    expect((await cli(['environments', 'list'])).output).toMatch(/^staging +\d+$/m);
    expect((await cli(['environments', 'create', 'staging'])).status).toBe(1);
    expect((await cli(['environments', 'delete', 'nothing'])).errors).toContain('There is no environment "nothing"');
    // There is no terminal to answer the question.
    expect((await cli(['environments', 'delete', 'staging'])).status).toBe(64);
    expect((await cli(['environments', 'delete', 'staging', '--auto-confirm', '--json'])).json()).toEqual({
      deleted: 'staging',
    });
    expect((await cli(['environments', 'list'])).output).not.toContain('staging');
    const refused = await cli(['environments', 'delete', 'dev', '--auto-confirm']);
    expect([refused.status, refused.errors]).toEqual([1, expect.stringContaining('functions folder')]);
  });

  it('creates the production environment only when that is meant, for it cannot be deleted', async () => {
    const help =
      (await cli(['help', 'environments', 'delete'])).output + (await cli(['help', 'environments', 'create'])).output;
    expect(help).not.toMatch(/(create|delete) prod\b/);
    const asked = await cli(['environments', 'create', 'prod']);

    expect([asked.status, asked.output]).toEqual([64, '']);
    expect(asked.errors).toMatch(/cannot be deleted again. Create it\? .*--auto-confirm/);
    expect((await cli(['environments', 'list'])).output).not.toContain('prod');
    expect((await cli(['environments', 'create', 'prod', '--auto-confirm'])).status).toBe(0);
    const deleted = await cli(['environments', 'delete', 'prod', '--auto-confirm']);
    expect([deleted.status, deleted.errors]).toEqual([1, expect.stringContaining('cannot be deleted')]);
  });

  it('names functions that no recorded run tests', async () => {
    const folder = await createTempHome();
    await mkdir(join(folder.path, 'acme/actions'), { recursive: true });
    await mkdir(join(folder.path, 'acme/tests'), { recursive: true });
    await writeFile(join(folder.path, 'acme/actions/one.ts'), actionSource('return 1;'));
    await writeFile(join(folder.path, 'acme/actions/two.ts'), actionSource('return 2;'));
    await writeFile(join(folder.path, 'acme/tests/one.test.json'), '{"output":1}');

    const run = await runCli(['test'], { cwd: folder.path, home: folder.path });

    expect([run.status, run.errors]).toEqual([
      0,
      expect.stringContaining('1 function without a recorded run: acme/actions/two.ts'),
    ]);
    await folder.remove();
  });
});

describe('homeport doctor', () => {
  it('calls a connection usable whose sync failed', async () => {
    await hub.deploy({ 'syncs/failing.ts': syncSource("throw new Error('no');") });
    const body = { provider_config_key: 'acme', connection_id: 'c1', syncs: ['failing'] };
    expect((await hub.call('POST', '/sync/trigger', { body })).status).toBe(200);
    await waitFor(
      async () => {
        const { body } = await hub.call('GET', '/connections');
        return body.connections.some(({ errors }: { errors: unknown[] }) => errors.length > 0);
      },
      { what: 'the failed run of a sync' },
    );

    const { output } = await cli(['doctor']);

    expect(output).toMatch(/! connections .*a sync failed on c1/);
    expect(output).not.toContain('cannot be used');
  });

  it('names a change of a provider that waits for approval', async () => {
    const path = join(hub.server.workspace, 'providers.yaml');
    const before = existsSync(path) ? await readFile(path, 'utf8') : '';
    const entry = (port: number): string =>
      `${before}\nwaiting-shop:\n  display_name: Shop\n  auth_mode: API_KEY\n  proxy:\n    base_url: http://127.0.0.1:${port}\n    headers:\n      x-key: \${apiKey}\n  credentials:\n    apiKey:\n      type: string\n      title: Key\n      description: A key\n`;
    await writeFile(path, entry(9));
    await waitFor(async () => (await hub.call('GET', '/providers/waiting-shop')).status === 200, { what: 'the entry' });
    await hub.call('POST', '/integrations', { body: { provider: 'waiting-shop', unique_key: 'waiting-shop' } });
    const made = await hub.call('POST', '/connections', {
      body: { provider_config_key: 'waiting-shop', connection_id: 's1', credentials: { type: 'API_KEY', apiKey: 'k' } },
    });
    expect(made.status).toBe(201);
    await writeFile(path, entry(10));

    const waiting = await waitFor(
      async () => {
        const { output } = await cli(['doctor']);
        return /! providers .*/.exec(output)?.[0];
      },
      { what: 'the line of doctor' },
    );

    expect(waiting).toContain('changes of waiting-shop wait for approval');
  });

  it('names the fault of a provider entry, with its line', async () => {
    const path = join(hub.server.workspace, 'providers.yaml');
    const good = await readFile(path, 'utf8');
    onTestFinished(() => writeFile(path, good));
    await writeFile(path, `${good}\nbroken:\n  auth_mode: NOTHING\n`);

    const run = await cli(['doctor']);

    expect(run.status).toBe(1);
    expect(run.output).toMatch(/✗ providers +providers\.yaml:\d+ broken/);
  });
});
