import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Writes a sample's files, each after a line `-- path --`, into a workspace of its own. */
export async function unpackSample(inputFile: string): Promise<AsyncDisposable & { workspace: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-compiler-'));
  const workspace = join(folder, 'workspace');
  await mkdir(workspace);
  const [, ...parts] = (await readFile(inputFile, 'utf8')).split(/^-- (.+) --\n/m);
  for (let index = 0; index < parts.length; index += 2) {
    const path = join(workspace, parts[index] ?? '');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, parts[index + 1] ?? '');
  }
  return { workspace, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
