import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { repeatWhile } from '../../support/repeat-while.ts';
import { type CliRun, runCli, runCliProcess } from '../../support/run-cli.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const CANARY = 'acme-canary-of-transfer';
const METADATA_CANARY = 'metadata-canary';
const CONFIG_CANARY = 'config-canary';
const ADDRESS_CANARY = 'address-canary';
const SECRETS = [CANARY, METADATA_CANARY, CONFIG_CANARY, ADDRESS_CANARY, 'variable-canary'];

let hub: FunctionHub;
let project: TempHome;
beforeAll(async () => {
  project = await createTempHome();
  hub = await startFunctionHub({
    'actions/of-file.ts': actionSource('return 1;'),
    'actions/fails.ts': actionSource('throw new Error(`no row ${input} at all`);'),
    'lib/kept.ts': 'export const kept = 1;',
    'actions/shares.ts': `import { kept } from '../lib/kept.js';\n${actionSource('return kept;')}`,
  });
  await hub.addConnection('canary', {
    credentials: { type: 'API_KEY', apiKey: CANARY },
    metadata: { team: 'blue' },
    tags: { a: 'b' },
  });
});
afterAll(async () => {
  await hub?.stop();
  await project.remove();
});

const cli = (args: string[], env: Record<string, string> = {}): Promise<CliRun> =>
  runCli(args, { cwd: project.path, home: hub.server.home, env });
async function write(path: string, text: string): Promise<void> {
  await mkdir(join(project.path, path, '..'), { recursive: true });
  await writeFile(join(project.path, path), text);
}

describe('the key of a command', () => {
  it('comes from the own hub when no variable names one, and from the variable when there is one', async () => {
    expect((await cli(['connections', 'list', '--json'])).json()).toHaveLength(2);

    const unknown = await cli(['connections', 'list'], {
      NANGO_SECRET_KEY_DEV: '99999999-9999-4999-8999-999999999999',
    });
    expect(unknown.status).toBe(1);
    expect(unknown.errors).toContain('The key comes from NANGO_SECRET_KEY_DEV');
  });

  it('is read from .env in the folder of the command', async () => {
    await write('.env', `NANGO_SECRET_KEY_DEV=${hub.server.secretKey}\nNANGO_HOSTPORT=${hub.server.url}\n`);

    const run = await runCli(['connections', 'list', '--json'], { cwd: project.path, home: project.path });

    expect(run.json()).toHaveLength(2);
    await write('.env', '');
  });

  it('is requested with a helpful message when there is none', async () => {
    const run = await runCli(['connections', 'list'], {
      cwd: project.path,
      home: project.path,
      env: { NANGO_HOSTPORT: hub.server.url },
    });

    expect([run.status, run.errors]).toEqual([1, expect.stringContaining('Set NANGO_SECRET_KEY_DEV')]);
  });
});

describe('homeport connections and token', () => {
  it('lists, shows without secrets, prints the token on request, and deletes on purpose', async () => {
    await hub.addConnection('short-lived');

    expect((await cli(['connections', 'list'])).output).toMatch(/^canary +acme +acme +ok$/m);
    const shown = await cli(['connections', 'get', 'canary']);
    expect(shown.output).toContain('"team": "blue"');
    expect(shown.output).not.toContain(CANARY);
    expect((await cli(['token', 'canary'])).output.trim()).toBe(CANARY);
    expect((await cli(['connections', 'delete', 'short-lived'])).status).toBe(64);
    expect((await cli(['connections', 'delete', 'short-lived', '--auto-confirm'])).status).toBe(0);
    expect((await cli(['connections', 'get', 'short-lived'])).errors).toContain('There is no connection');
  });
});

describe('homeport logs', () => {
  it('shows operations and the messages of one', async () => {
    await hub.action('of-file');

    const readNewest = async () => (await cli(['logs', '--json', '-n', '1'])).json()[0];
    // The log is written in batches, a moment after the response.
    const newest = await waitFor(
      async () => {
        const run = await readNewest();
        return run.syncConfigName === 'of-file' && run.state === 'success' ? run : undefined;
      },
      { what: 'the run in the log with its end' },
    );
    const { output } = await cli(['logs', '-n', '1']);
    expect(output).toContain(newest.id);
    // In the time of this computer; with --json in UTC.
    expect(output).toMatch(/^TIME +STATE +WHAT +WHERE +WHY +ID\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/);
    const messages = await cli(['logs', newest.id]);
    expect(messages.status).toBe(0);
    expect(messages.errors).toMatch(/below level warn are not recorded; `.*settings set log_level debug` records them/);
    expect((await cli(['settings', 'set', 'log_level', 'debug'])).status).toBe(0);
    expect((await cli(['logs', newest.id])).errors).toBe('');
    expect((await cli(['settings', 'unset', 'log_level'])).status).toBe(0);
  });

  it('shows failures with one cause as one line, and each on request', async () => {
    for (const id of [1, 2, 3]) await hub.action('fails', id);
    await waitFor(async () => (await cli(['logs', '--failed', '--json'])).json().length >= 3, { what: 'the failures' });
    const grouped = await cli(['logs', '--failed']);
    expect(grouped.output.match(/acme \/ fails failed 3 times {2}\S+ +no row … at all {2}/g)).toHaveLength(1);
    expect(grouped.errors).toContain('--each');
    expect((await cli(['logs', '--failed', '--each'])).output.match(/no row \d at all/g)).toHaveLength(3);
  });

  it('follows new operations until it is stopped', async () => {
    // Repeatedly: the exact moment when the stream opens is not reported.
    const run = await repeatWhile(
      () => hub.action('of-file', 'followed'),
      runCliProcess(['logs', '--follow', '-n', '1'], {
        cwd: project.path,
        home: hub.server.home,
        onOutput: (output) => (output.trim().split('\n').length > 3 ? 'stop' : undefined),
      }),
    );

    expect(run.status).toBe(0);
    expect(run.output.match(/of-file/g)?.length).toBeGreaterThan(1);
  });
});

describe('homeport settings', () => {
  it('shows and changes settings by their names', async () => {
    expect((await cli(['settings', 'set', 'webhook.on_sync_error', 'false'])).output).toContain('changed');
    expect((await cli(['settings', 'get', 'webhook.on_sync_error'])).output.trim()).toBe('false');
    expect((await cli(['settings', 'set', 'retention.webhooks_days', '30'])).status).toBe(0);
    expect((await cli(['settings', 'set', 'allowed_hosts', 'a.test, b.test'])).status).toBe(0);
    expect((await cli(['settings', 'get', '--json'])).json()).toMatchObject({
      webhook: { on_sync_error: false },
      retention: { webhooks_days: 30 },
      allowed_hosts: ['a.test', 'b.test'],
    });
    expect((await cli(['settings', 'unset', 'retention.webhooks_days'])).status).toBe(0);
    expect((await cli(['settings', 'get', 'retention.webhooks_days'])).output.trim()).toBe('');
  });

  it('tells the value of a variable only when it is named', async () => {
    await cli(['settings', 'set', 'variables.FIRST', '1']);
    await cli(['settings', 'set', 'variables.SECRET', 'canary-of-settings']);

    expect((await cli(['settings', 'get', '--json'])).output).not.toContain('canary-of-settings');
    expect((await cli(['settings', 'get', 'variables.SECRET'])).output.trim()).toBe('canary-of-settings');
    await cli(['settings', 'unset', 'variables.SECRET']);
    const left = (await cli(['settings', 'get', '--json'])).json().variables;
    expect(left).toEqual([{ name: 'FIRST', value: '••••••••' }]);
  });

  it('says what is wrong', async () => {
    expect((await cli(['settings', 'get', 'nothing'])).errors).toContain('There is no setting "nothing"');
    const own = await cli(['settings', 'set', 'webhook.primary_url', hub.server.url]);
    expect([own.status, own.errors]).toEqual([1, expect.stringContaining('Homeport itself')]);
  });
});

describe('homeport webhooks', () => {
  it('lists sent webhooks and sends one again', async () => {
    hub.provider.on('POST /hook', { status: 410 }).on('POST /other', { status: 200 });
    await cli(['settings', 'set', 'webhook.primary_url', `${hub.provider.address}/hook`]);
    await hub.action('of-file', 1, { 'x-async': 'true' });
    await waitFor(() => hub.provider.requestsTo('/hook').length === 1);

    const rows = await waitFor(async () => {
      const found = (await cli(['webhooks', 'list', '--failed', '--json'])).json();
      return found.length === 1 ? found : undefined;
    });
    expect(rows).toMatchObject([{ type: 'async_action', state: 'failed', code: 410 }]);
    expect((await cli(['webhooks', 'list'])).output).toContain(rows[0].id);
    expect((await cli(['webhooks', 'get', rows[0].id])).output).toContain('"attempts"');

    const other = `${hub.provider.address}/other`;
    expect((await cli(['webhooks', 'replay', rows[0].id, '--to', other])).output).toContain('on its way');
    await waitFor(() => hub.provider.requestsTo('/other').length === 1);
    expect((await cli(['webhooks', 'replay', '--failed'])).output).toContain('Nothing failed');
    await cli(['settings', 'unset', 'webhook.primary_url']);
  });

  it('asks which one is meant', async () => {
    expect((await cli(['webhooks', 'replay'])).status).toBe(64);
    expect((await cli(['webhooks', 'replay', 'x', '--failed'])).status).toBe(64);
  });
});

describe('homeport deploy', () => {
  beforeEach(() => rm(join(project.path, 'acme'), { recursive: true, force: true }));

  it('shows the plan and deploys; asks before syncs with connections go, which a general yes does not answer', async () => {
    await write('acme/actions/pushed.ts', actionSource("return 'pushed';"));
    await write('acme/syncs/things.ts', syncSource("await nango.batchSave([{ id: '1', text: 'a' }], 'Item');"));

    const run = await cli(['deploy']);

    expect([run.status, run.errors]).toEqual([0, expect.stringContaining('+ acme/pushed')]);
    expect(run.output).toContain('2 functions live in dev');
    expect((await hub.action('pushed')).body).toBe('pushed');

    await rm(join(project.path, 'acme/syncs/things.ts'));

    const refused = await cli(['deploy', '--auto-confirm']);
    expect([refused.status, refused.errors]).toEqual([64, expect.stringContaining('--allow-destructive')]);
    expect((await cli(['deploy', '--allow-destructive', '--json'])).json().plan.deletedSyncs).toHaveLength(1);
  });

  it('ends with 10 when something does not compile and with 11 when the hub refuses', async () => {
    await write('acme/actions/of-file.ts', actionSource('return 2;'));
    const refused = await cli(['deploy']);
    expect([refused.status, refused.errors]).toEqual([11, expect.stringContaining('functions folder')]);

    await write('acme/actions/of-file.ts', actionSource('return (;'));
    expect((await cli(['deploy'])).status).toBe(10);
    await rm(join(project.path, 'acme/actions/of-file.ts'));
  });

  it('takes a version for all, and one function alone', async () => {
    await write('acme/actions/stays.ts', actionSource("return 'stays';"));
    await cli(['deploy']);
    await write('acme/actions/alone.ts', actionSource('return 3;'));

    const run = await cli(['deploy', '-a', 'alone', '-v', '9.9.9', '--json']);

    expect(run.json().deployed).toEqual([expect.objectContaining({ name: 'alone', version: '9.9.9' })]);
    expect((await hub.action('stays')).body).toBe('stays');

    // Pull brings the source back.
    const pulled = await runCli(['pull', 'acme', 'alone', '--force'], { cwd: project.path, home: hub.server.home });
    expect(pulled.status).toBe(0);
    expect(await readFile(join(project.path, 'acme/actions/alone.ts'), 'utf8')).toBe(actionSource('return 3;'));
    expect((await cli(['pull', 'acme', 'alone'])).status).toBe(64);
  });

  it('gives event handlers the version of their file, or the one that is given', async () => {
    await write('acme/on-events/after.ts', onEventSource('await nango.log("after");'));
    const versionAfter = async (...args: string[]): Promise<string | undefined> => {
      const { deployed } = (await cli(['deploy', '--json', ...args])).json();
      return (deployed as Array<{ name: string; version: string }>).find(({ name }) => name === 'after')?.version;
    };

    expect([await versionAfter(), await versionAfter('-v', '3.0.0')]).toEqual(['1.4.0', '3.0.0']);
    await rm(join(project.path, 'acme/on-events/after.ts'));
  });

  it('brings the files that a function of the hub imports, but for those that the project has', async () => {
    const empty = await createTempHome();
    try {
      await writeFile(join(empty.path, 'package.json'), '{"type": "module"}');
      await mkdir(join(empty.path, '.nango'));
      const at = { cwd: empty.path, home: hub.server.home };
      const pulled = await runCli(['pull', 'acme', 'shares', '--json'], at);
      expect([pulled.status, pulled.json()]).toEqual([
        0,
        { path: 'acme/actions/shares.ts', imports: ['acme/lib/kept.ts'], missing: [] },
      ]);
      const kept = join(empty.path, 'acme/lib/kept.ts');
      expect(await readFile(kept, 'utf8')).toBe('export const kept = 1;');

      await writeFile(kept, 'export const kept = 2;');
      const again = await runCli(['pull', 'acme', 'shares', '--force'], at);
      expect([again.status, again.errors]).toEqual([0, expect.stringContaining('left as it is')]);
      expect(await readFile(kept, 'utf8')).toBe('export const kept = 2;');
    } finally {
      await empty.remove();
    }
  });
});

describe('a command for the data of the own hub', () => {
  it('refuses when NANGO_HOSTPORT names another hub', async () => {
    const other = 'http://127.0.0.1:9';
    for (const command of [['logs'], ['webhooks', 'list'], ['providers', 'list']]) {
      const run = await cli(command, { NANGO_HOSTPORT: other });
      expect([run.status, run.errors]).toEqual([64, expect.stringContaining(`NANGO_HOSTPORT names ${other}`)]);
    }
    expect((await cli(['logs', '--json'], { NANGO_HOSTPORT: hub.server.url })).status).toBe(0);
  });
});

describe('homeport export and import', () => {
  beforeAll(async () => {
    await hub.call('PATCH', '/environment/settings', {
      body: { variables: [{ name: 'V', value: 'variable-canary' }], log_level: 'debug' },
    });
    await hub.addConnection('other', {
      credentials: { type: 'API_KEY', apiKey: CANARY },
      metadata: { team: 'blue', token: METADATA_CANARY },
      connection_config: { oauth_client_secret: CONFIG_CANARY, region: 'eu' },
      webhook_url_override: `https://user:${ADDRESS_CANARY}@127.0.0.1:1/hook`,
    });
    await write('acme/actions/carried.ts', actionSource("return 'carried';"));
    expect((await cli(['deploy', '-a', 'carried'])).status).toBe(0);
    expect((await cli(['export', 'bare.json'])).status).toBe(0);
  });
  afterAll(() => hub.call('DELETE', '/connections/other?provider_config_key=acme'));

  it('carry an environment to another hub, secrets under a passphrase only', { tags: ['slow'] }, async () => {
    const refused = await cli(['export', 'all.json', '--credentials']);
    expect([refused.status, refused.errors]).toEqual([64, expect.stringContaining('under a passphrase')]);
    const passphrase = { HOMEPORT_PASSPHRASE: 'correct horse battery' };

    expect((await cli(['export', 'all.json', '--credentials'], passphrase)).status).toBe(0);

    const file = join(project.path, 'all.json');
    const text = await readFile(file, 'utf8');
    for (const secret of [...SECRETS, passphrase.HOMEPORT_PASSPHRASE]) expect(text).not.toContain(secret);
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(JSON.parse(text).functions).toHaveProperty('acme/lib/kept.ts');
    await importInto(file, passphrase);
  });

  async function importInto(file: string, passphrase: Record<string, string>): Promise<void> {
    const home = await createTempHome();
    await mkdir(join(home.path, 'functions'));
    // The other hub already has the provider; its folder of functions is its own.
    await writeFile(
      join(home.path, 'functions/providers.yaml'),
      await readFile(join(hub.server.workspace, 'providers.yaml'), 'utf8'),
    );
    const other = await startInProcess({ home: home.path });
    try {
      const run = (args: string[], env = {}) => runCli(args, { cwd: project.path, home: home.path, env });
      const wrong = await run(['import', file, '--auto-confirm'], { HOMEPORT_PASSPHRASE: 'another horse' });
      expect([wrong.status, wrong.errors]).toEqual([1, expect.stringContaining('does not open')]);

      const report = (await run(['import', file, '--json', '--auto-confirm'], passphrase)).json();

      expect(report).toMatchObject({ integrations: 1, connections: 3, skipped: [] });
      expect((await run(['token', 'canary'])).output.trim()).toBe(CANARY);
      const shown = (await run(['connections', 'get', 'canary', '--json'])).json();
      expect(shown).toMatchObject({ metadata: { team: 'blue' }, tags: { a: 'b' } });
      expect((await run(['connections', 'get', 'other', '--json'])).json()).toMatchObject({
        metadata: { team: 'blue', token: METADATA_CANARY },
        connection_config: { oauth_client_secret: CONFIG_CANARY, region: 'eu' },
        webhook_url_override: `https://user:${ADDRESS_CANARY}@127.0.0.1:1/hook`,
      });
      const call = (method: string, path: string, body?: unknown) =>
        fetch(`${other.url}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${other.secretKey}`,
            'content-type': 'application/json',
            'provider-config-key': 'acme',
            'connection-id': 'canary',
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      expect(await (await call('GET', '/environment-variables')).json()).toEqual([
        { name: 'V', value: 'variable-canary' },
      ]);
      expect(await (await call('POST', '/action/trigger', { action_name: 'carried' })).json()).toBe('carried');
      expect(await (await call('POST', '/action/trigger', { action_name: 'of-file' })).json()).toBe(1);
    } finally {
      await other.stop();
      await home.remove();
    }
  }

  it('without credentials say what has to be connected again', async () => {
    const text = await readFile(join(project.path, 'bare.json'), 'utf8');
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    const bare = JSON.parse(text);
    bare.connections = [{ ...bare.connections[0], connection_id: 'unknown-here' }];
    bare.functions = {};
    await write('unknown.json', JSON.stringify(bare));

    const run = await cli(['import', 'unknown.json', '--json', '--auto-confirm']);

    // The hub does not yet have everything in the file.
    expect(run.status).toBe(1);
    expect(run.json()).toMatchObject({
      connections: 0,
      skipped: [
        expect.stringContaining('connect it again'),
        ...['connection_config.oauth_client_secret', 'metadata.token', 'webhook_url_override'].map((member) =>
          expect.stringContaining(`${member}: secret`),
        ),
      ],
    });
  });

  it('ask before addresses and functions of a file take effect', async () => {
    const bare = JSON.parse(await readFile(join(project.path, 'bare.json'), 'utf8'));
    const settings = { webhook: { primary_url: 'https://elsewhere.test/hook' }, allowed_hosts: ['nas.local'] };
    await write('foreign.json', JSON.stringify({ ...bare, settings, connections: [] }));

    const refused = await cli(['import', 'foreign.json']);

    expect(refused.status).toBe(64);
    expect(refused.errors).toContain('https://elsewhere.test/hook');
    expect(refused.errors).toContain('nas.local');
    expect(refused.errors).toContain('--auto-confirm');
    const { body } = await hub.call('GET', '/environment/settings');
    expect(JSON.stringify(body)).not.toContain('elsewhere.test');
  });

  it('refuse a file that names paths outside the functions folder', async () => {
    const bare = JSON.parse(await readFile(join(project.path, 'bare.json'), 'utf8'));
    await write('evil.json', JSON.stringify({ ...bare, functions: { '../../evil.ts': 'x' } }));

    expect((await cli(['import', 'evil.json', '--auto-confirm'])).errors).toContain('outside the functions folder');
  });
});

describe('homeport doctor and open', () => {
  it('find nothing to do where all is well, and say what to do where it is not', async () => {
    const well = await cli(['doctor']);
    expect([well.status, well.output]).toEqual([0, expect.stringContaining(`answers at ${hub.server.url}`)]);

    const ill = await runCli(['doctor', '--json'], {
      cwd: project.path,
      home: project.path,
      env: { NANGO_HOSTPORT: 'http://127.0.0.1:9' },
    });
    expect(ill.status).toBe(1);
    const states = Object.fromEntries(
      ill.json().findings.map(({ what, state }: Record<string, string>) => [what, state]),
    );
    expect(states).toMatchObject({ program: 'ok', hub: 'problem' });
    // What a stopped hub cannot answer is no further problem.
    expect(Object.values(states).filter((state) => state === 'problem')).toHaveLength(1);
    expect(ill.json().findings.map(({ what }: { what: string }) => what)).not.toContain('key');
  });

  it('give a link that signs in', async () => {
    expect((await cli(['open'])).output).toMatch(/\/app\/#code=[0-9a-f]+$/m);
    expect((await runCli(['open'], { cwd: project.path, home: project.path })).status).toBe(3);
  });
});

function onEventSource(body: string): string {
  return `import { createOnEvent } from 'homeport';

export default createOnEvent({
  description: 'Written by a test',
  version: '1.4.0',
  event: 'post-connection-creation',
  exec: async (nango) => {
    ${body}
  },
});
`;
}
