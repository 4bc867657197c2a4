import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { discoverFunctions } from '../../../functions/compiler/discovery.ts';
import { type CliRun, runCli, runCliProcess } from '../../support/run-cli.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface ShownResult {
  verdict: string;
  note?: string;
}

/** In the JSON report of Vitest. */
interface TestedFile {
  name: string;
  assertionResults: Array<{ status: string }>;
}

let folder: TempHome;
beforeEach(async () => {
  folder = await createTempHome();
  return () => folder.remove();
});

const cli = (args: string[], env: Record<string, string> = {}): Promise<CliRun> =>
  runCli(args, { cwd: folder.path, home: folder.path, env });
const read = (path: string): Promise<string> => readFile(join(folder.path, path), 'utf8');

/** Shells that CI installs (.ci/run); a developer's computer may have none of them. */
const hasProgram = (name: string): boolean => !spawnSync(name, ['--version']).error;

describe('the command line', () => {
  it('suggests the command that was meant', async () => {
    const run = await cli(['complie']);

    expect([run.status, run.errors]).toEqual([64, expect.stringContaining('Did you mean compile?')]);
  });

  it.each([[['--version']], [['-v']], [['version']]])('prints its version for %j', async (args) => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

    expect((await cli(args)).output.trim()).toBe(version);
  });

  it('takes the global options before and after a command, and those of other command lines', async () => {
    const after = await cli(['version', '--json', '--no-telemetry', '--no-dependency-update']);
    const before = await cli(['--json', '--no-interactive', 'version']);

    expect(after.json()).toEqual(before.json());
  });

  it('fails to compile a project without functions, and says where they belong', async () => {
    await writeFile(join(folder.path, 'index.ts'), '');

    const run = await cli(['compile', '--json']);

    expect(run.status).toBe(10);
    expect(run.json().error).toMatchObject({ code: 'no_file', message: expect.stringContaining('<integration>/') });
  });

  it('answers failures as JSON when JSON is asked for, and without colours', async () => {
    const run = await cli(['compile', '--json']);

    expect(run.status).toBe(64);
    expect(run.json().error.message).toMatch(/homeport\S* init/);
    expect((await cli(['compile'])).errors).not.toContain('\u001b[');
  });

  it.each(['bash', 'zsh', 'fish'])('completes commands and options in %s', async (shell) => {
    const { output, status } = await cli(['completion', shell]);

    expect(status).toBe(0);
    for (const word of ['dryrun', 'connections', 'last-sync-date']) expect(output).toContain(word);
  });

  it('writes a completion that bash can use', { tags: ['slow'] }, async () => {
    await writeFile(join(folder.path, 'completion'), (await cli(['completion', 'bash'])).output);
    const complete = async (...words: string[]): Promise<string[]> => {
      const script = `_npm_before() { COMPREPLY=(of-npm); }; complete -F _npm_before npm
        source ./completion; source ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        "$(complete -p "$1" | sed -n 's/.*-F \\([^ ]*\\).*/\\1/p')" "$1"; echo "\${COMPREPLY[@]}"`;
      const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words], { cwd: folder.path });
      return stdout.trim().split(' ');
    };

    expect(await complete('homeport', 'conn')).toEqual(['connections', 'connect']);
    expect(await complete('npx', 'homeport', 'connections', 'de')).toEqual(['delete']);
    expect(await complete('npm', 'run', 'homeport', '--', 'connections', 'de')).toEqual(['delete']);
    expect(await complete('npm', 'ru')).toEqual(['of-npm']);
    expect(await complete('npx', 'es')).toEqual(['']);
    expect(await complete('homeport', 'connections', 'de')).toEqual(['delete']);
    expect(await complete('homeport', 'dryrun', 'name', '--sav')).toEqual(['--save', '--save-responses']);
  });

  it.skipIf(!hasProgram('zsh'))('writes a completion that zsh can use', { tags: ['slow'] }, async () => {
    await writeFile(join(folder.path, 'completion'), (await cli(['completion', 'zsh'])).output);
    // As the completion of zsh calls functions that were written for bash; it filters the words itself.
    const script = `autoload -U compinit; compinit -u -D; source ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      call() { emulate -L sh; $1 $2; }; call \${_comps[$1]##*-F } $1; print -r -- $COMPREPLY`;
    const complete = async (...words: string[]): Promise<string[]> => {
      const { stdout } = await promisify(execFile)('zsh', ['-f', '-c', script, 'zsh', ...words], { cwd: folder.path });
      return stdout.trim().split(' ');
    };

    expect(await complete('homeport', 'conn')).toContain('connections');
    expect(await complete('homeport', 'connections', 'de')).toContain('delete');
    expect(await complete('npx', 'homeport', 'connections', 'de')).toContain('delete');
  });

  it.skipIf(!hasProgram('fish'))('writes a completion that fish can use', { tags: ['slow'] }, async () => {
    await writeFile(join(folder.path, 'completion'), (await cli(['completion', 'fish'])).output);
    const complete = async (line: string): Promise<string[]> => {
      const script = `source completion; complete -C "${line}"`;
      const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', script], { cwd: folder.path });
      return stdout
        .trim()
        .split('\n')
        .map((one) => one.split('\t')[0] ?? '');
    };

    expect(await complete('homeport conn')).toEqual(['connect', 'connections']);
    for (const before of ['homeport', 'npx homeport', 'npm run homeport --'])
      expect([before, await complete(`${before} connections de`)]).toEqual([before, ['delete']]);
  });
});

describe('a project with an index.ts', () => {
  const action = (description: string): string =>
    `import { createAction } from 'nango';\nimport { z } from 'zod';\nexport default createAction({ description: '${description}', input: z.void(), output: z.void(), exec: async () => {} });\n`;
  const save = async (root: string, files: Record<string, string>): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  };
  const files = {
    'index.ts': "import './slack/actions/a.js';\n",
    'slack/actions/a.ts': action('listed'),
    'slack/actions/b.ts': action('left out'),
    'old/slack/actions/a.ts': action('of a forgotten project'),
  };

  it('consists of the functions that it imports; others are warnings', async () => {
    await save(folder.path, files);

    const run = await cli(['compile', '--json']);

    expect(run.status).toBe(0);
    expect(run.json().functions.map(({ path }: { path: string }) => path)).toEqual(['slack/actions/a.ts']);
    for (const path of ['slack/actions/b.ts', 'old/slack/actions/a.ts'])
      expect((await cli(['compile'])).errors).toContain(
        `${path}:1:1 warning index.ts does not import this function, so it is left out.`,
      );
    expect((await cli(['test', 'b'])).errors).toContain('There is no function b here.');
  });

  it('does not decide in the live folder of the hub', async () => {
    const live = join(folder.path, 'live');
    await save(live, { ...files, 'old/slack/actions/a.ts': '' });

    const run = await runCli(['compile', '--json'], {
      cwd: live,
      home: folder.path,
      env: { HOMEPORT_FUNCTIONS: live },
    });

    expect(run.json().functions.map(({ path }: { path: string }) => path)).toEqual([
      'slack/actions/a.ts',
      'slack/actions/b.ts',
    ]);
  });

  it.each(['slack/actions/b.ts', 'slack/functions/b.ts'])(
    'says what to write instead of createFunction in %s',
    async (path) => {
      const text =
        "import { createFunction } from 'nango/experimental';\nexport default createFunction({ description: 'x', exec: async () => {} });\n";
      await save(folder.path, { 'index.ts': `import './${path.replace('.ts', '.js')}';\n`, [path]: text });

      const run = await cli(['compile', '--json']);

      expect(run.status).toBe(10);
      expect(run.json().error.diagnostics).toMatchObject([
        { code: 'create_function_unsupported', message: expect.stringContaining('Write createAction') },
      ]);
    },
  );
});

describe('homeport init and create', () => {
  it('make a project that compiles, and add to it, as clone does', async () => {
    expect((await cli(['init', '.', '--copy'])).status).toBe(0);
    expect((await cli(['create', 'acme', 'items', '--sync'])).status).toBe(0);
    expect((await cli(['create', 'acme', '2-labels', '--sync'])).status).toBe(0);
    expect((await cli(['create', 'acme', 'hello', '--on-event'])).status).toBe(0);
    expect((await cli(['clone', 'zendesk/actions'])).status).toBe(0);

    expect(await read('index.ts')).toContain("import './acme/syncs/items.js';");
    expect(await read('acme/syncs/items.ts')).toContain('autoStart: false,');
    const names = (await cli(['compile', '--json'])).json().functions.map(({ path }: { path: string }) => path);
    expect(names).toEqual([
      'acme/on-events/hello.ts',
      'acme/syncs/2-labels.ts',
      'acme/syncs/items.ts',
      'practice/actions/whoami.ts',
      'zendesk/actions/create-ticket.ts',
      'zendesk/actions/reply-to-ticket.ts',
    ]);
  });

  it('fail to compile with a type error, at its line, once for all who import it', { tags: ['slow'] }, async () => {
    await cli(['init', '--copy']);
    await cli(['create', 'practice', 'second', '--action']);
    const broken = "export const price: number = 'three';\n";
    await writeFile(join(folder.path, 'practice/prices.ts'), broken);
    for (const name of ['whoami', 'second']) {
      const path = join(folder.path, `practice/actions/${name}.ts`);
      await writeFile(path, `import { price } from '../prices.js';\n${await readFile(path, 'utf8')}\nvoid price;\n`);
    }

    const run = await cli(['compile', '--json']);

    expect(run.status).toBe(10);
    expect(run.json().error.diagnostics).toEqual([
      expect.objectContaining({ code: 'type_error', typescriptCode: 'TS2322', file: 'practice/prices.ts', line: 1 }),
    ]);
  });

  it('write over nothing', async () => {
    await cli(['init', '--copy']);

    expect((await cli(['init', '--copy'])).errors).toContain('is a project already');
    expect((await cli(['create', 'practice', 'whoami', '--action'])).errors).toContain('exists already');
    expect((await cli(['create', 'practice', 'bad name', '--action'])).status).toBe(64);
    expect((await cli(['create', 'practice', 'x', '--action', '--sync'])).status).toBe(64);
    expect((await cli(['create', 'practice', 'x'])).errors).toContain('--on-event');
  });
});

describe('homeport clone', () => {
  it('copies a template with what it imports and its recorded run, and names it in the index', async () => {
    await cli(['init', '--copy']);

    const run = await cli(['clone', 'hubspot/actions/create-contact', '--json']);

    expect(run.json().functions).toEqual(['hubspot/actions/create-contact.ts']);
    expect(run.json().files).toEqual(
      expect.arrayContaining(['hubspot/models.ts', 'hubspot/tests/create-contact.test.json']),
    );
    expect(await read('index.ts')).toContain("import './hubspot/actions/create-contact.js';");
    expect((await cli(['test', '--json'])).json()).toMatchObject({ passed: 1, failed: 0 });
  });

  it('overwrites files only when it is asked to', async () => {
    await cli(['init', '--copy']);
    await cli(['clone', 'zendesk/actions']);
    await writeFile(join(folder.path, 'zendesk/models.ts'), '// mine');

    const refused = await cli(['clone', 'zendesk']);
    expect([refused.status, refused.errors]).toEqual([64, expect.stringContaining('zendesk/models.ts')]);
    expect(await read('zendesk/models.ts')).toBe('// mine');
    expect((await cli(['clone', 'zendesk', '--force'])).status).toBe(0);
    expect(await read('zendesk/models.ts')).toBe(
      await readFile(join(ROOT, 'functions/templates/zendesk/models.ts'), 'utf8'),
    );
    expect((await cli(['clone', 'nothing'])).errors).toContain('zendesk');
  });

  it('says so when the hub runs the same functions from its own folder', async () => {
    await cli(['init', '--copy']);
    const own = join(folder.path, 'functions');
    await mkdir(join(own, 'practice/actions'), { recursive: true });
    await writeFile(join(own, 'practice/actions/create-issue.ts'), '');

    const run = await runCli(['clone', 'practice/actions'], {
      cwd: folder.path,
      home: folder.path,
      env: { HOMEPORT_FUNCTIONS: own },
    });

    expect([run.status, run.errors]).toEqual([
      0,
      expect.stringMatching(/runs practice\/actions\/create-issue\.ts from its functions folder .* refused/),
    ]);
  });
});

describe('homeport dev', () => {
  it('compiles changed files and removes the output of deleted ones, until Ctrl-C', { tags: ['slow'] }, async () => {
    await cli(['init', '--copy']);
    await cli(['create', 'acme', 'items', '--sync']);
    const whoami = await read('practice/actions/whoami.ts');
    const steps = [
      {
        when: 'Watching',
        change: () => writeFile(join(folder.path, 'practice/actions/whoami.ts'), 'export default 1 +;'),
      },
      {
        when: 'whoami.ts:1:',
        change: () =>
          writeFile(join(folder.path, 'practice/actions/whoami.ts'), `${whoami}\nconst one: number = '';\nvoid one;`),
      },
      { when: 'TS2322', change: () => rm(join(folder.path, 'acme/syncs/items.ts')) },
    ];

    const run = await runCliProcess(['dev'], {
      cwd: folder.path,
      home: folder.path,
      onOutput: (output) => {
        const [next] = steps;
        if (next && output.includes(next.when)) {
          steps.shift();
          void next.change();
        }
        return output.includes('- acme/syncs/items.ts') ? 'stop' : undefined;
      },
    });

    expect(run.status).toBe(0);
    expect(run.errors).toContain('practice/actions/whoami.ts:1:');
    await expect(read('build/acme_syncs_items.cjs')).rejects.toThrow('ENOENT');
  });
});

describe('the functions that ship', () => {
  it('replay green, every one of them', { tags: ['slow'] }, async () => {
    await cp(join(ROOT, 'functions/templates'), folder.path, { recursive: true });
    const { functions } = await discoverFunctions(folder.path);

    const run = await cli(['test', '--json']);

    expect(run.json().results.filter(({ verdict, note }: ShownResult) => verdict !== 'passed' || note)).toEqual([]);
    expect(run.json()).toMatchObject({ passed: functions.length, failed: 0 });
  });
});

describe('the practice functions', () => {
  beforeEach(() => cp(join(ROOT, 'functions/templates/practice'), join(folder.path, 'practice'), { recursive: true }));

  it('have generated tests that pass under vitest as it is, and fail when a function changes', {
    tags: ['slow'],
  }, async () => {
    // A second function with the same recording; it is changed after its test is written.
    const changed = join(folder.path, 'changed/actions/create-issue.ts');
    for (const path of ['models.ts', 'unchanged-issue.ts', 'actions/create-issue.ts', 'tests/create-issue.test.json'])
      await cp(join(folder.path, 'practice', path), join(folder.path, 'changed', path));
    expect((await cli(['generate:tests'])).status).toBe(0);
    await writeFile(changed, (await readFile(changed, 'utf8')).replace("'/v1/issues'", "'/v1/other'"));
    expect(JSON.parse(await read('package.json'))).toMatchObject({
      scripts: { test: 'vitest run' },
      // The newest version that runs on Node 20 without a warning.
      devDependencies: { vitest: expect.stringMatching(/^\^4\./) },
    });
    await symlink(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));

    const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json', '--outputFile=report.json'];
    const env = { PATH: process.env['PATH'] ?? '', CI: '1' };
    // A run with failed tests exits with 1; the test reads its report.
    await promisify(execFile)(process.execPath, args, { cwd: folder.path, env }).catch(() => {});
    const { testResults } = JSON.parse(await read('report.json')) as { testResults: TestedFile[] };
    const results = testResults.map(({ name, assertionResults }) => [
      relative(folder.path, name),
      assertionResults.map(({ status }) => status),
    ]);
    expect(Object.fromEntries(results)).toEqual({
      'changed/tests/changed-create-issue.test.ts': ['failed'],
      'practice/tests/practice-close-issue.test.ts': ['passed'],
      'practice/tests/practice-create-issue.test.ts': ['passed'],
      'practice/tests/practice-fetch-issues.test.ts': ['passed'],
      'practice/tests/practice-fetch-users.test.ts': ['passed'],
    });
  });

  it('have pages, whose own part is kept', async () => {
    await cli(['generate', 'docs']);
    const path = 'docs/practice/create-issue.md';
    await writeFile(join(folder.path, path), `${await read(path)}\nMy own words.\n`);

    await cli(['generate:docs']);

    expect(await read(path)).toMatch(/# Create issue[\s\S]*\| `title` \| string \| yes \|[\s\S]*My own words\.\n$/);
    expect((await read(path)).match(/# Create issue/g)).toHaveLength(1);
  });
});
