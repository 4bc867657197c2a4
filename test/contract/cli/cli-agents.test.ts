import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { actionSource } from '../../support/server-workspace.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

let hub: FunctionHub;
let person: TempHome;
beforeAll(async () => {
  hub = await startFunctionHub({ 'actions/echo.ts': actionSource('return { got: input ?? null };') });
});
afterAll(async () => {
  await hub?.stop();
});
beforeEach(async () => {
  person = await createTempHome();
  return () => person.remove();
});

const cli = (args: string[]): Promise<CliRun> =>
  runCli(args, { cwd: person.path, home: hub.server.home, env: { HOME: person.path } });
const inHome = (path: string): string => join(person.path, path);
const read = (path: string): Promise<string> => readFile(inHome(path), 'utf8');
async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(inHome(path)), { recursive: true });
  await writeFile(inHome(path), text);
}

describe.skipIf(process.platform !== 'linux')('homeport agents add', () => {
  it.each([
    ['claude-code', '.claude.json', { mcpServers: { homeport: { type: 'http', url: 'URL' } } }],
    ['cursor', '.cursor/mcp.json', { mcpServers: { homeport: { url: 'URL' } } }],
    ['vscode', '.config/Code/User/mcp.json', { servers: { homeport: { type: 'http', url: 'URL' } } }],
    ['opencode', '.config/opencode/opencode.jsonc', { mcp: { servers: { homeport: { type: 'remote', url: 'URL' } } } }],
    ['gemini', '.gemini/settings.json', { mcpServers: { homeport: { httpUrl: 'URL' } } }],
    ['windsurf', '.codeium/windsurf/mcp_config.json', { mcpServers: { homeport: { serverUrl: 'URL' } } }],
    ['devin', '.config/devin/config.json', { mcpServers: { homeport: { url: 'URL' } } }],
    ['zed', '.config/zed/settings.json', { context_servers: { homeport: { url: 'URL' } } }],
    [
      'copilot-cli',
      '.copilot/mcp-config.json',
      { mcpServers: { homeport: { type: 'http', tools: ['*'], url: 'URL' } } },
    ],
  ])('writes the file of %s', async (program, file, content) => {
    const run = await cli(['agents', 'add', program, '--auto-confirm', '--json']);
    expect([run.status, run.json()]).toEqual([0, { program, file: inHome(file), backup: null, access: 'sign-in' }]);
    const text = await read(file);
    expect(JSON.parse(text.replace(`${hub.server.url}/agents/mcp`, 'URL'))).toEqual(content);
    expect((await stat(inHome(file))).mode & 0o777).toBe(0o600);
  });

  it('writes TOML and YAML, and keeps what is there', async () => {
    await put('.codex/config.toml', 'model = "m" # mine\n');
    await put('.config/goose/config.yaml', '# mine\nextensions:\n  developer:\n    enabled: true # yes\n');
    expect((await cli(['agents', 'add', 'codex', '--auto-confirm'])).status).toBe(0);
    expect((await cli(['agents', 'add', 'goose', '--auto-confirm'])).status).toBe(0);
    expect(await read('.codex/config.toml')).toBe(
      `model = "m" # mine\n\n[mcp_servers.homeport]\nurl = "${hub.server.url}/agents/mcp"\n`,
    );
    const goose = await read('.config/goose/config.yaml');
    expect(goose).toContain('  developer:\n    enabled: true # yes\n');
    expect(goose).toContain(`    type: streamable_http\n    uri: ${hub.server.url}/agents/mcp\n`);
    for (const program of ['codex', 'goose'])
      expect((await cli(['agents', 'remove', program, '--auto-confirm'])).status).toBe(0);
    expect(await read('.codex/config.toml')).toBe('model = "m" # mine\n');
  });

  it('shows the change and asks; without an answer nothing is written', async () => {
    await put('.cursor/mcp.json', '{\n  // mine\n  "mcpServers": {}\n}\n');
    const run = await cli(['agents', 'add', 'cursor']);
    expect([run.status, await read('.cursor/mcp.json')]).toEqual([64, '{\n  // mine\n  "mcpServers": {}\n}\n']);
    expect(run.errors).toContain('+     "homeport": {');
    expect(run.errors).toContain('--auto-confirm');
    expect(await readdir(inHome('.cursor'))).toEqual(['mcp.json']);
  });

  it('keeps a copy, the mode and a link of the file', async () => {
    await put('dotfiles/mcp.json', '{}');
    await mkdir(inHome('.cursor'));
    await symlink(inHome('dotfiles/mcp.json'), inHome('.cursor/mcp.json'));
    const run = await cli(['agents', 'add', 'cursor', '--auto-confirm', '--json']);
    expect((await lstat(inHome('.cursor/mcp.json'))).isSymbolicLink()).toBe(true);
    expect(await readFile(run.json().backup, 'utf8')).toBe('{}');
    expect(await read('dotfiles/mcp.json')).toContain('/agents/mcp');
    expect((await stat(inHome('dotfiles/mcp.json'))).mode & 0o777).toBe(0o644);
  });

  it.each([
    ['cursor', '.cursor', 'mcp.json'],
    ['codex', '.codex', 'config.toml'],
  ])('changes nothing in the file of %s when the entry is there already', async (program, folder, file) => {
    await cli(['agents', 'add', program, '--auto-confirm']);
    const before = await read(join(folder, file));
    const again = await cli(['agents', 'add', program]);
    expect([again.status, again.output]).toEqual([0, expect.stringContaining('Nothing was changed.')]);
    expect([await read(join(folder, file)), await readdir(inHome(folder))]).toEqual([before, [file]]);
  });

  it('only prints with --print', async () => {
    const run = await cli(['agents', 'add', 'claude-code', '--print']);
    expect([run.status, JSON.parse(run.output).mcpServers.homeport.url]).toEqual([0, `${hub.server.url}/agents/mcp`]);
    expect(await readdir(person.path)).toEqual([]);
    const codex = await cli(['agents', 'add', 'codex', '--print']);
    expect(codex.output).toBe(`[mcp_servers.homeport]\nurl = "${hub.server.url}/agents/mcp"\n`);
  });

  it('starts a command where a program takes no address', async () => {
    const run = await cli(['agents', 'add', 'claude-desktop', '--print', '--json', '--connection', 'c1']);
    const { command, args, env } = run.json().entry;
    expect([command.startsWith('/'), env]).toEqual([true, { HOMEPORT_HOME: hub.server.home }]);
    expect(args.join(' ')).toMatch(/agents stdio --env dev --expires-in 30d --connection c1$/);
  });

  it('refuses what it does not know, and files that it cannot read', async () => {
    const unknown = await cli(['agents', 'add', 'claud-code']);
    expect([unknown.status, unknown.errors]).toEqual([64, expect.stringContaining('Did you mean claude-code?')]);
    expect((await cli(['agents', 'add', 'claude-desktop', '--access', 'sign-in'])).status).toBe(64);
    expect((await cli(['agents', 'add', 'cursor', '--connection', 'c1'])).status).toBe(64);
    await put('.cursor/mcp.json', '{ "mcpServers": ');
    const broken = await cli(['agents', 'add', 'cursor', '--auto-confirm']);
    expect([broken.status, broken.errors]).toEqual([1, expect.stringContaining('.cursor/mcp.json: It is not JSON')]);
    expect(await read('.cursor/mcp.json')).toBe('{ "mcpServers": ');
    const none = await cli(['agents', 'remove', 'gemini', '--auto-confirm']);
    expect([none.status, none.errors]).toEqual([1, expect.stringContaining('has no entry')]);
  });
});

describe.skipIf(process.platform !== 'linux')('homeport agents with sessions', () => {
  const sessions = async (): Promise<Array<{ session_id: string; state: string }>> =>
    (await hub.call('GET', '/sessions')).body.data;

  it('puts the token of a session of its own into the file, lists it, and ends it with the entry', async () => {
    const args = ['agents', 'add', 'cursor', '--access', 'session', '--connection', 'c1', '--expires-in', '2h'];
    expect((await cli([...args, '--auto-confirm'])).status).toBe(0);
    const { headers, url } = JSON.parse(await read('.cursor/mcp.json')).mcpServers.homeport;
    const id = /\/session\/([\w-]+)\/mcp$/.exec(url)?.[1];
    expect([headers.Authorization.startsWith('Bearer homeport_agent_'), id === undefined]).toEqual([true, false]);
    expect(await read('.cursor/mcp.json')).not.toContain(hub.server.secretKey);

    const listed = await cli(['agents', '--json']);
    expect(listed.json().programs.find((one: { program: string }) => one.program === 'cursor')).toMatchObject({
      set_up: true,
      access: 'session',
      sessions: [id],
    });
    const shown = (await cli(['agents'])).output;
    expect(shown).toMatch(/^Cursor +has the token of one session/m);
    expect(shown).toMatch(new RegExp(`^${id} +.*acme/c1`, 'm'));

    expect((await cli(['agents', 'remove', 'cursor', '--auto-confirm'])).status).toBe(0);
    expect((await sessions()).find(({ session_id }) => session_id === id)?.state).toBe('terminated');
  });

  it('lets the agent query records with --query-records only', async () => {
    const add = ['agents', 'add', 'cursor', '--connection', 'c1', '--auto-confirm'];
    const metaTools = async (id: string) => (await hub.call('GET', `/sessions/${id}`)).body.data.meta_tools;
    const newest = async () => (await sessions())[0]?.session_id ?? '';
    await cli([...add, '--access', 'session']);
    expect((await metaTools(await newest())).homeport_query_records).toBeUndefined();
    await cli([...add, '--access', 'session', '--query-records']);
    expect((await metaTools(await newest())).homeport_query_records).toBe(true);

    await cli([...add, '--access', 'command', '--query-records']);
    expect(JSON.parse(await read('.cursor/mcp.json')).mcpServers.homeport.args).toContain('--query-records');
    const refused = await cli(['agents', 'add', 'cursor', '--access', 'sign-in', '--query-records', '--auto-confirm']);
    expect([refused.status, refused.errors]).toEqual([64, expect.stringContaining('--access session')]);
  });

  it('makes no session when nobody answers, and ends the one before', async () => {
    const before = (await sessions()).length;
    expect((await cli(['agents', 'add', 'cursor', '--access', 'session', '--connection', 'c1'])).status).toBe(64);
    expect((await sessions()).length).toBe(before);
    const add = () => cli(['agents', 'add', 'cursor', '--access', 'session', '--connection', 'c1', '--auto-confirm']);
    await add();
    await add();
    const states = (await sessions()).map(({ state }) => state).slice(0, 2);
    expect(states).toEqual(['active', 'terminated']);
  });

  it('asks for a connection where an integration has several, and refuses a life that is too long', async () => {
    await hub.addConnection('c2');
    const run = await cli(['agents', 'add', 'cursor', '--access', 'session', '--auto-confirm']);
    expect([run.status, run.errors]).toEqual([64, expect.stringContaining('--connection')]);
    const long = await cli([
      'agents',
      'add',
      'cursor',
      '--access',
      'session',
      '-c',
      'c1',
      '--expires-in',
      '90d',
      '--auto-confirm',
    ]);
    expect([long.status, long.errors]).toEqual([1, expect.stringContaining('expires_in')]);
    await cli(['connections', 'delete', 'c2', '--auto-confirm']);
  });
});

describe.skipIf(process.platform !== 'linux')('the skill of a program', () => {
  it.each([
    ['claude-code', '.claude/skills/homeport/SKILL.md'],
    ['codex', '.agents/skills/homeport/SKILL.md'],
    ['gemini', '.gemini/skills/homeport/SKILL.md'],
  ])('is written for %s, and removed with its entry', async (program, file) => {
    const added = await cli(['agents', 'add', program, '--auto-confirm']);
    expect([added.status, added.errors]).toEqual([0, expect.stringContaining(inHome(file))]);
    expect(await read(file)).toMatch(/^---\nname: homeport\ndescription: /);
    await cli(['agents', 'remove', program, '--auto-confirm']);
    expect(await readdir(dirname(dirname(inHome(file))))).toEqual([]);
  });

  it('stays as a person wrote it, and is not written without being asked for', async () => {
    await put('.claude/skills/homeport/SKILL.md', 'mine');
    await cli(['agents', 'add', 'claude-code', '--auto-confirm']);
    await cli(['agents', 'remove', 'claude-code', '--auto-confirm']);
    expect(await read('.claude/skills/homeport/SKILL.md')).toBe('mine');

    await cli(['agents', 'add', 'gemini', '--auto-confirm', '--no-skill']);
    await cli(['agents', 'add', 'gemini', '--print']);
    expect(await readdir(inHome('.gemini'))).toEqual(['settings.json']);
    await cli(['agents', 'add', 'gemini', '--auto-confirm']);
    expect(await readdir(inHome('.gemini'))).toEqual(['settings.json', 'skills']);
    await cli(['agents', 'add', 'cursor', '--auto-confirm']);
    expect(await readdir(inHome('.cursor'))).toEqual(['mcp.json']);
  });
});

describe.skipIf(process.platform !== 'linux')('homeport agents add --manage', () => {
  const call = (path: string, key: string, body: object): Promise<Response> =>
    fetch(`${hub.server.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    });
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  it('writes a key that builds and does nothing else, switched off until a person switches it on', async () => {
    await cli(['agents', 'add', 'claude-code', '--auto-confirm']);
    const added = await cli(['agents', 'add', 'claude-code', '--manage', '--auto-confirm']);
    expect([added.status, added.errors]).toEqual([0, expect.stringContaining('settings set agents_may_build true')]);
    const { mcpServers } = JSON.parse(await read('.claude.json'));
    expect(Object.keys(mcpServers).toSorted()).toEqual(['homeport', 'homeport-build']);
    const { headers, url } = mcpServers['homeport-build'];
    expect(url).toBe(`${hub.server.url}/mcp/manage`);
    const key = headers.Authorization.replace('Bearer ', '');
    expect(added.output + added.errors).not.toContain(key);
    expect((await call('/mcp/manage', key, LIST)).status).toBe(403);
    await cli(['settings', 'set', 'agents_may_build', 'true']);
    expect(await (await call('/mcp/manage', key, LIST)).text()).toContain('write_function');
    expect((await call('/environment/api-keys', key, { display_name: 'x' })).status).toBe(403);

    await cli(['agents', 'add', 'claude-code', '--manage', '--auto-confirm']);
    expect((await call('/mcp/manage', key, LIST)).status).toBe(401);
    const again = JSON.parse(await read('.claude.json')).mcpServers['homeport-build'].headers.Authorization;
    const removed = await cli(['agents', 'remove', 'claude-code', '--manage', '--auto-confirm']);
    expect(removed.status).toBe(0);
    expect(Object.keys(JSON.parse(await read('.claude.json')).mcpServers)).toEqual(['homeport']);
    expect((await call('/mcp/manage', again.replace('Bearer ', ''), LIST)).status).toBe(401);
    await cli(['settings', 'set', 'agents_may_build', 'false']);
  });

  it('names the entry of YAML as well, and refuses programs without a place for a key', async () => {
    expect((await cli(['agents', 'add', 'goose', '--manage', '--auto-confirm'])).status).toBe(0);
    expect(await read('.config/goose/config.yaml')).toContain('name: homeport-build');
    const refused = await cli(['agents', 'add', 'claude-desktop', '--manage', '--auto-confirm']);
    expect([refused.status, refused.errors]).toEqual([64, expect.stringContaining('takes no address with a key')]);
    const printed = await cli(['agents', 'add', 'cursor', '--manage', '--print']);
    expect(printed.output).toContain('<new key>');
    expect(await readdir(person.path)).not.toContain('.cursor');
  });
});
