import { listOperations } from '../../integrations/descriptions/operations.ts';
import {
  type FunctionWish,
  type WrittenFunction,
  writeFunction,
} from '../../integrations/descriptions/write-function.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { openDescription } from './import-description.ts';

const SHOWN_OPERATIONS = 30;

/** Writes a function from one operation of a description. */
export async function describeFunction(
  context: CliContext,
  source: string,
  { operation, ...wish }: Omit<FunctionWish, 'operation'> & { operation: string | undefined },
): Promise<WrittenFunction> {
  return openDescription(context, source, (description) => {
    if (operation !== undefined) return writeFunction(description, { ...wish, operation });
    const operations = listOperations(description).map(({ method, path }) => `${method} ${path}`);
    const more = operations.length - SHOWN_OPERATIONS;
    throw new CliFailure(
      `Say which operation: --operation "${operations[0] ?? 'GET /path'}". The description has:\n` +
        `${operations.slice(0, SHOWN_OPERATIONS).join('\n')}${more > 0 ? `\nand ${more} more` : ''}`,
      EXIT.usage,
      { operations },
    );
  });
}
