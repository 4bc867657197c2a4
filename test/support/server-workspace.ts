import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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
