import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../architecture/source-tree.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

let server: InProcessServer;
let home: TempHome;
let elsewhere: TempHome;
let live: string;
let filesBefore: string[];

beforeAll(async () => {
  home = await createTempHome();
  server = await startInProcess({ home: home.path, hasExamples: true });
  await importPracticeConnection(server);
  live = join(home.path, 'functions');
});
beforeEach(async () => {
  elsewhere = await createTempHome();
  filesBefore = await filesIn(live);
  expect(filesBefore).toContain('practice/actions/create-issue.ts');
});
afterEach(() => elsewhere.remove());
afterAll(async () => {
  await server?.stop();
  await home.remove();
});

const at = (folder: string, ...args: string[]): Promise<CliRun> => runCli(args, { cwd: folder, home: home.path });

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}

describe('in a folder that is no project', () => {
  it.each([
    [['create', 'practice', 'by-accident', '--sync']],
    [['clone', 'github/actions/create-issue']],
    [['generate', 'docs']],
    [['generate', 'tests']],
    [['compile']],
    [['dev']],
    [['test']],
    [['deploy']],
    [['dryrun', 'create-issue', 'practice-1']],
    [['pull', 'practice', 'create-issue']],
  ])('homeport %s is refused, and nothing is written', async (args) => {
    const run = await at(elsewhere.path, ...args);

    expect([run.status, run.output]).toEqual([64, '']);
    expect(run.errors).toMatch(/^error: \S+ is no project/);
    expect(run.errors).toContain(elsewhere.path);
    expect(run.errors).toMatch(/init my-integrations/);
    expect(run.errors).toContain(live);
    expect(await readdir(elsewhere.path)).toEqual([]);
    expect(await filesIn(live)).toEqual(filesBefore);
  });

  it('the sources of Homeport are no project either', async () => {
    const [compiled, doctor] = [await at(ROOT, 'compile'), await at(ROOT, 'doctor')];

    expect([compiled.status, compiled.errors]).toEqual([64, expect.stringMatching(/^error: \S+ is no project/)]);
    expect(doctor.output).toContain(`compile in ${live}`);
  });

  it('says so as JSON, too', async () => {
    const run = await at(elsewhere.path, 'create', 'practice', 'by-accident', '--sync', '--json');

    expect([run.status, run.errors, run.json().error.code]).toEqual([64, '', 'no_project']);
  });

  it('lets the doctor look at the files of the hub', async () => {
    const run = await at(elsewhere.path, 'doctor', '--json');

    const findings: Array<{ what: string; detail: string }> = run.json().findings;
    expect(findings.find(({ what }) => what === 'functions')?.detail).toContain(live);
    expect(await filesIn(live)).toEqual(filesBefore);
  });
});

describe('in a subfolder of a project', () => {
  it('works on the project', async () => {
    expect((await at(elsewhere.path, 'init', 'mine', '--copy')).status).toBe(0);
    const inner = join(elsewhere.path, 'mine/practice/actions');

    const run = await at(inner, 'create', 'practice', 'fetch-labels', '--sync', '--json');

    const root = join(elsewhere.path, 'mine');
    expect([run.status, run.json()]).toEqual([
      0,
      { path: 'practice/syncs/fetch-labels.ts', file: join(root, 'practice/syncs/fetch-labels.ts') },
    ]);
    expect(await readFile(join(root, 'index.ts'), 'utf8')).toContain('fetch-labels');
  });
});

describe('homeport create', () => {
  it('writes a sync that does not start by itself, also for a user who stands in the live folder', async () => {
    const run = await at(live, 'create', 'practice', 'on-purpose', '--sync');

    expect(run.status).toBe(0);
    expect(await readFile(join(live, 'practice/syncs/on-purpose.ts'), 'utf8')).toMatch(/^ {2}autoStart: false,$/m);
  });

  it.each([
    ['bad name', 'y'],
    ['../..', 'y'],
    ['..', 'y'],
    ['.', 'y'],
    ['node_modules', 'y'],
    ['.git', 'y'],
    ['practice', 'two words'],
    ['practice', 'a/b'],
    ['practice', ''],
  ])('refuses names that no integration or function may have: "%s" "%s"', async (integration, name) => {
    const root = join(elsewhere.path, 'names');
    await mkdir(join(root, '.nango'), { recursive: true });

    const run = await at(root, 'create', integration, name, '--action');

    expect([run.status, run.output]).toEqual([64, '']);
    expect(run.errors).toMatch(/^error: .*(name|key)/i);
    expect(run.errors).not.toMatch(/\^|\[a-z/);
    expect(await filesIn(root)).toEqual([]);
  });
});

describe('homeport init', () => {
  it('refuses the functions folder of the hub, which runs what is saved there', async () => {
    for (const run of [await at(live, 'init'), await at(home.path, 'init', 'functions/mine')]) {
      expect([run.status, run.output]).toEqual([64, '']);
      expect(run.errors).toContain('functions folder of the hub');
    }
  });

  it('refuses a folder that is a project already', async () => {
    const root = join(elsewhere.path, 'there');
    await mkdir(root);
    await writeFile(join(root, 'index.ts'), '');

    expect((await at(root, 'init', '--copy')).status).toBe(64);
    expect(await readdir(root)).toEqual(['index.ts']);
  });
});

describe('a package.json that is broken', () => {
  it.each([
    ['{ "name": "x", ', /package\.json is not JSON.*Correct it/],
    ['[]', /package\.json is no package file/],
    ['{"scripts": "none"}', /package\.json is no package file/],
  ])('homeport init refuses %s before it writes a file', async (text, words) => {
    const broken = await createTempHome();
    await writeFile(join(broken.path, 'package.json'), text);

    const run = await at(broken.path, 'init', '--copy');

    expect([run.status, run.output]).toEqual([64, '']);
    expect(run.errors).toMatch(/^error: .*\n$/);
    expect(run.errors).toMatch(words);
    expect(await filesIn(broken.path)).toEqual(['package.json']);
    expect(await readFile(join(broken.path, 'package.json'), 'utf8')).toBe(text);
    await broken.remove();
  });

  it('takes one with a byte order mark, as npm does', async () => {
    const marked = await createTempHome();
    await writeFile(join(marked.path, 'package.json'), '\uFEFF{"name": "mine"}');

    expect((await at(marked.path, 'init', '--copy')).status).toBe(0);
    expect(JSON.parse(await readFile(join(marked.path, 'package.json'), 'utf8'))).toMatchObject({ name: 'mine' });
    await marked.remove();
  });
});

describe('homeport dryrun without a connection', () => {
  let project: TempHome;
  beforeAll(async () => {
    project = await createTempHome();
    expect((await at(project.path, 'init', '--copy')).status).toBe(0);
    await mkdir(join(project.path, 'github/actions'), { recursive: true });
    const whoami = await readFile(join(project.path, 'practice/actions/whoami.ts'), 'utf8');
    await writeFile(join(project.path, 'github/actions/me.ts'), whoami);
    await writeFile(
      join(project.path, 'index.ts'),
      "import './practice/actions/whoami.js';\nimport './github/actions/me.js';\n",
    );
  });
  afterAll(() => project.remove());

  it('names the connections there are', async () => {
    const run = await at(project.path, 'dryrun', 'whoami');

    expect([run.status, run.output]).toEqual([64, '']);
    expect(run.errors).toMatch(/^error: Say which connection: .* dryrun whoami <connection_id>\. There are: me\.\n$/);
  });

  it('says so when the integration has none, and does not need a hub to refuse', async () => {
    const none = await at(project.path, 'dryrun', 'me');
    expect(none.status).toBe(64);
    expect(none.errors).toMatch(/The integration "github" has no connections in dev yet; .*connections add github/);

    const stopped = await runCli(['dryrun', 'whoami'], {
      cwd: project.path,
      home: elsewhere.path,
      env: { HOMEPORT_PORT: '9' },
    });
    expect([stopped.status, stopped.errors]).toEqual([
      64,
      expect.stringMatching(/^error: Say which connection: .*>\.\n$/),
    ]);
  });
});
