import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ServerAddress } from './start-server.ts';
import { waitFor } from './wait-for.ts';

/** Writes a function file as editors do: completely, then moved to its final name. */
export async function saveFunction(workspace: string, path: string, source: string): Promise<void> {
  const target = join(workspace, path);
  await mkdir(dirname(target), { recursive: true });
  const draft = join(dirname(target), `.${randomUUID()}.tmp`);
  await writeFile(draft, source);
  await rename(draft, target);
}

export function removeFunction(workspace: string, path: string): Promise<void> {
  return rm(join(workspace, path));
}

/** The functions of an integration, as `GET /scripts/config` lists them. */
type ScriptConfig = { providerConfigKey: string } & { [kind: string]: Array<{ name: string }> };

/**
 * Waits until each function, `<integration>/<syncs, actions or on-events>/<name>.ts`, is live for the first time: what
 * is saved is compiled a moment later. Its integration must exist.
 */
export async function waitUntilLive({ secretKey, url }: ServerAddress, paths: readonly string[]): Promise<void> {
  const isLive = (all: ScriptConfig[], path: string): boolean => {
    const [integration, kind = '', file = ''] = path.split('/');
    const own = all.find(({ providerConfigKey }) => providerConfigKey === integration);
    return (own?.[kind] ?? []).some(({ name }) => `${name}.ts` === file);
  };
  await waitFor(
    async () => {
      const response = await fetch(`${url}/scripts/config`, { headers: { authorization: `Bearer ${secretKey}` } });
      const all = (await response.json()) as ScriptConfig[];
      return paths.every((path) => isLive(all, path));
    },
    { what: `the functions ${paths.join(', ')}` },
  );
}

/** A complete action file around one body; `input` is in scope. */
export function actionSource(body: string): string {
  return `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Written by a test',
  version: '1.0.0',
  input: z.any(),
  output: z.any(),
  exec: async (nango, input) => {
    ${body}
  },
});
`;
}

/** A complete sync file with one model \`Item\` around one body. It waits to be triggered. */
export function syncSource(body: string): string {
  return `import { createSync } from 'homeport';
import * as z from 'zod';

export default createSync({
  description: 'Written by a test',
  version: '1.0.0',
  frequency: 'every day',
  autoStart: false,
  models: { Item: z.object({ id: z.string(), text: z.string() }) },
  exec: async (nango) => {
    ${body}
  },
});
`;
}
