import { TypeCheckProgram } from './type-check-program.ts';
import type { FromTypeCheck, ToTypeCheck } from './type-check-result.ts';

/**
 * Entry of the type-checking process. TypeScript takes seconds and hundreds of megabytes: in its own process it blocks
 * nothing, and its memory is freed with the process. It reads files and runs none of them.
 */
let program: TypeCheckProgram | undefined;

process.on('message', (message: ToTypeCheck) => {
  if (message.kind === 'open') {
    program = new TypeCheckProgram(message.folders);
    return;
  }
  const results = program?.check(message.paths) ?? [];
  process.send?.({ kind: 'checked', id: message.id, results } satisfies FromTypeCheck);
});
// Without a parent process nothing reads the responses.
process.once('disconnect', () => process.exit(0));
