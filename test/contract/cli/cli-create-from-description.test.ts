import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACME_DESCRIPTION } from '../../support/acme-description.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

describe('homeport create --from', () => {
  let folder: TempHome;
  beforeAll(async () => {
    folder = await createTempHome();
    await writeFile(join(folder.path, 'openapi.json'), JSON.stringify(ACME_DESCRIPTION));
    await cli('init', '.', '--copy');
  });
  afterAll(() => folder?.remove());

  const cli = (...args: string[]): Promise<CliRun> => runCli(args, { cwd: folder.path, home: folder.path });
  const create = (...args: string[]): Promise<CliRun> => cli('create', 'acme', '--from', 'openapi.json', ...args);
  const read = (path: string): Promise<string> => readFile(join(folder.path, path), 'utf8');

  it('writes syncs and actions that compile, and whose recordings replay', { timeout: 120_000 }, async () => {
    for (const operation of [
      'listCategories',
      'GET /projects/{project_id}/notes',
      'notes.create',
      'GET /tasks',
      'getTask',
      'DELETE /tasks/{id}',
    ]) {
      const run = await create('--operation', operation);
      expect(run.status, run.errors).toBe(0);
    }

    const compiled = await cli('compile', '--json');
    expect(compiled.status, compiled.output + compiled.errors).toBe(0);
    const tested = await cli('test', '--integration', 'acme', '--json');
    expect(tested.status, tested.output + tested.errors).toBe(0);
    expect(tested.output.match(/"verdict": "passed"/g)).toHaveLength(6);

    expect(await read('acme/syncs/fetch-categories.ts')).toContain("cursor_path_in_response: 'meta.next_cursor'");
    expect(await read('acme/syncs/fetch-tasks.ts')).toContain("syncType: 'incremental'");
    expect(await read('acme/actions/get-task.ts')).toContain('readOnly: true');
    expect(await read('acme/actions/delete-task.ts')).not.toMatch(/^ +retries: /m);
    expect(await read('acme/syncs/fetch-categories.ts')).toContain('id: String(item.id)');
    const notes = await create('other-notes', '--operation', 'GET /projects/{project_id}/notes');
    expect(notes.errors.replaceAll(/\s+/g, ' ')).toContain('project_id');
  });

  it('says what it needs', async () => {
    const missing = await create();
    expect([missing.status, missing.errors]).toEqual([64, expect.stringContaining('GET /categories')]);
    const unknown = await create('--operation', 'GET /task');
    expect(unknown.errors.replaceAll(/\s+/g, ' ')).toContain('Near: GET /tasks');
    const noList = await create('--operation', 'deleteTask', '--sync');
    expect(noList.errors.replaceAll(/\s+/g, ' ')).toContain('returns no list');
    const noDescription = await cli('create', 'acme', '--operation', 'getTask');
    expect(noDescription.status).toBe(64);
  });
});

describe('homeport types', () => {
  let folder: TempHome;
  beforeAll(async () => {
    folder = await createTempHome();
    await writeFile(join(folder.path, 'openapi.json'), JSON.stringify(ACME_DESCRIPTION));
    await cli('init', '.', '--copy');
    await mkdir(join(folder.path, 'acme/actions'), { recursive: true });
    await mkdir(join(folder.path, 'other/actions'), { recursive: true });
  });
  afterAll(() => folder?.remove());

  const cli = (...args: string[]): Promise<CliRun> => runCli(args, { cwd: folder.path, home: folder.path });
  const action = (body: string): string => `import { createAction, type NangoAction } from 'homeport';
import * as z from 'zod';

async function helper(nango: NangoAction): Promise<string> {
  return nango.connectionId;
}

export default createAction({
  description: 'Uses the API',
  input: z.object({ id: z.string() }),
  output: z.unknown(),
  exec: async (nango, input) => {
    await nango.log(await helper(nango), input.id);
${body}
  },
});
`;
  const compile = async (body: string, integration = 'acme'): Promise<string> => {
    await writeFile(join(folder.path, integration, 'actions/use.ts'), action(body));
    await writeFile(join(folder.path, 'index.ts'), `import './${integration}/actions/use.js';\n`);
    const run = await cli('compile');
    return (run.output + run.errors).replaceAll(/\s+/g, ' ');
  };

  it('make wrong paths, values and members type errors, in the functions of the integration only', {
    timeout: 120_000,
    tags: ['slow', 'nightly'],
  }, async () => {
    const run = await cli('types', 'acme', '--from', 'openapi.json');
    expect(run.status, run.errors).toBe(0);
    expect((await cli('types', 'acme')).output).toContain('up to date');

    expect(
      await compile(`
    const list = await nango.get('/categories', { params: { limit: 5 }, retries: 2 });
    const name: string | null | undefined = list.data.data?.[0]?.name;
    const task = await nango.get(\`/tasks/\${input.id}\`);
    const note = await nango.post(\`/projects/\${1}/notes\`, { data: { key: 'a' } });
    const any = await nango.get({ endpoint: '/somewhere/else' });
    return [name, task.data.id, note.data.key, any.data.whatever];`),
    ).toContain('1 function compiled');
    expect(await compile("    return (await nango.get('/categries')).data;")).toContain('No overload matches');
    expect(await compile("    return (await nango.get('/categories', { params: { limit: 'x' } })).data;")).toMatch(
      /error|✗/,
    );
    expect(await compile('    return (await nango.get(`/tasks/${input.id}`)).data.nothing;')).toContain('nothing');
    expect(await compile("    return (await nango.get({ endpoint: '/anything' })).data;", 'other')).toContain(
      '1 function compiled',
    );
  });
});
