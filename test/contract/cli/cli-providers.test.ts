import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generatedProviders } from '../../support/generated-providers.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const FILE = `# Mine
my-shop:
  display_name: My shop
  auth_mode: API_KEY
  colour: red
  proxy: { base_url: https://shop.test, headers: { x-key: "\${apiKey}" } }
  credentials: { apiKey: { type: string, title: Key, description: A key } }

# Not mine
broken:
  display_name: Broken
  auth_mode: APIKEY
github:
  display_name: Our GitHub
`;

/** A person who connects would choose who receives the key. */
const UNSAFE = `anywhere:
  display_name: Anywhere
  auth_mode: API_KEY
  proxy: { base_url: "https://\${connectionConfig.host}", headers: { x-key: "\${apiKey}" } }
  connection_config: { host: { type: string, title: Host, description: Any } }
  credentials: { apiKey: { type: string, title: Key, description: A key } }
`;

describe('homeport providers', () => {
  let server: InProcessServer;
  let project: TempHome;
  beforeAll(async () => {
    project = await createTempHome();
    await writeFile(join(project.path, 'shops.yaml'), FILE);
    await writeFile(join(project.path, 'large.yaml'), generatedProviders(1_000));
  });
  beforeEach(async () => {
    server = await startInProcess();
  });
  afterEach(() => server?.stop());
  afterAll(() => project?.remove());

  const cli = (...args: string[]): Promise<CliRun> =>
    runCli(['providers', ...args], { cwd: project.path, home: server.home });

  it('list names built-in providers on demand, by a part of their names, with counts', async () => {
    const own = await cli('list');
    const all = (await cli('list', '--all', '--json')).json() as {
      providers: unknown[];
      counts: Record<string, Record<string, number>>;
    };
    const some = await cli('list', 'git', '--all');

    expect(own.errors.replace(/\s+/g, ' ')).toContain('providers list --all');
    expect(all.providers.length).toBeGreaterThan(260);
    for (const name of ['authMode', 'confirmed'])
      expect(Object.values(all.counts[name] ?? {}).reduce((sum, count) => sum + count, 0)).toBe(all.providers.length);
    expect(all.counts['category']).toMatchObject({ crm: expect.any(Number), productivity: expect.any(Number) });
    expect(some.output).toMatch(/github +built-in +GitHub.* OAUTH2 +dev-tools, /);
    expect(some.output).not.toContain('hubspot');
    expect(some.errors).toMatch(/\d+ providers\. Auth modes: OAUTH2 \d+/);
  });

  it('list names those that work without an app', async () => {
    const { providers } = (await cli('list', '--no-app', '--json')).json() as {
      providers: Array<{ name: string; worksWithoutApp: boolean }>;
    };

    expect(providers.every(({ worksWithoutApp }) => worksWithoutApp)).toBe(true);
    expect(providers.map(({ name }) => name)).toEqual(expect.arrayContaining(['openai', 'granola-mcp']));
    expect(providers.map(({ name }) => name)).not.toContain('github');
    expect((await cli('list', 'gitlab', '--all')).output).toMatch(/device_authorization, public_client, own_app/);
  });

  it('check names errors and warnings with file and line, and a suggestion', async () => {
    const run = await cli('check', 'shops.yaml');

    expect(run.status).toBe(1);
    expect(run.output).toMatch(/✗ shops\.yaml:12 broken\.auth_mode is not one of .*; did you mean API_KEY\?/);
    expect(run.output).toContain('! shops.yaml:5 my-shop.colour is not known; it is kept and has no effect');
    expect(run.errors).toContain('1 new, 1 over built-in providers, 1 remark, 1 fault');
  });

  it('import adds the valid entries unchanged, and replaces built-in providers only on request', async () => {
    const run = await cli('import', 'shops.yaml');

    expect(run.status).toBe(0);
    expect(run.errors).toContain('broken');
    expect(run.errors).toContain('left as they are (--replace takes them): github');
    const written = await readFile(join(server.workspace, 'providers.d/shops.yaml'), 'utf8');
    expect(written).toContain('  colour: red\n  proxy: { base_url: https://shop.test');
    expect(written).not.toMatch(/^(github|broken):/m);
    expect((await cli('list')).output).toMatch(/my-shop +workspace/);
  });

  it('show prints the entry in force, unknown members included, and what is unusual about it', async () => {
    await cli('import', 'shops.yaml');
    const run = await cli('show', 'my-shop');

    expect(run.output).toContain('colour: red');
    expect(run.errors).toContain('my-shop.colour is not known');
  });

  it('list names the entries that cannot be used, with the reasons', async () => {
    await cli('import', 'shops.yaml');
    await writeFile(join(server.workspace, 'providers.d/unsafe.yaml'), UNSAFE);
    await waitFor(async () => (await cli('list', '--problems')).output.includes('anywhere'));
    const run = await cli('list', '--problems', '--json');

    expect(run.json()).toMatchObject({
      problems: [{ provider: 'anywhere', file: 'providers.d/unsafe.yaml', line: 4, keyPath: 'proxy.base_url' }],
    });
    expect((await cli('list')).errors.replace(/\s+/g, ' ')).toContain('1 entry of the workspace cannot be used.');
  });

  it('takes a file of 1,000 entries', { tags: ['slow', 'nightly'], timeout: 180_000 }, async () => {
    const run = await cli('import', 'large.yaml', '--json');

    expect(run.json()).toMatchObject({ problems: [], warnings: [], added: { length: 1_000 } });
    await server.restart();
    expect((await cli('list', '--json')).json()).toMatchObject({ providers: { length: 1_000 } });
    // The YAML is read twice, by the command and by the hub.
  });

  it('says which file it cannot read', async () => {
    expect(await cli('check', 'nowhere.yaml')).toMatchObject({
      status: 64,
      errors: expect.stringContaining('nowhere.yaml: there is no such file'),
    });
  });
});
