import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isCompileError } from '../../../functions/compiler/compile-diagnostic.ts';
import type { CompileResult } from '../../../functions/compiler/compiled-function.ts';
import { KeyedQueue } from '../../platform/lib/keyed-queue.ts';
import { loadOnce } from '../../platform/lib/load-once.ts';
import { writeProjectFile } from '../../platform/lib/write-new-file.ts';
import type { TypeCheckProcess } from './type-checks.ts';

export type DraftCompiler = ReturnType<typeof createDraftCompiler>;

/** Functions that agents write are often compiled again soon. */
const WARM_MS = 60_000;

/** Compiles texts of functions and checks their types, without the files of the functions folder. */
export function createDraftCompiler({
  folder,
  loadCompiler,
  openTypeChecker,
}: {
  /** Receives the texts whose types are checked. */
  folder: string;
  loadCompiler(): Promise<{ compileFile(path: string, source: string): Promise<CompileResult> }>;
  openTypeChecker(folder: string): Promise<TypeCheckProcess>;
}) {
  const checker = loadOnce(() => openTypeChecker(folder));
  const queue = new KeyedQueue();
  let opened: TypeCheckProcess | undefined;

  return {
    /** The compiled text. `diagnostics`: why it does not compile. */
    async compile(path: string, source: string): Promise<CompileResult> {
      return (await loadCompiler()).compileFile(path, source);
    },
    /** What is wrong with the types of a text that compiles. One check at a time. */
    checkTypes(path: string, source: string) {
      return queue.run('types', async () => {
        // Each text has a folder of its own, so that nothing else is imported.
        const own = createHash('sha256').update(path).update('\0').update(source).digest('hex').slice(0, 16);
        const checked = [own, ...path.split('/').slice(1)].join('/');
        await mkdir(folder, { recursive: true });
        await writeProjectFile(folder, checked, source);
        try {
          opened = await checker();
          const [result] = await opened.check([checked]);
          opened.restAfter(WARM_MS);
          if (!result) throw new Error(`The types of ${path} were not checked.`);
          return result.diagnostics.map((one) => ({ ...one, file: path }));
        } finally {
          await rm(join(folder, own), { recursive: true, force: true });
        }
      });
    },
    isError: isCompileError,
    async stop(): Promise<void> {
      await opened?.stop();
    },
  };
}
