import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { FileFacts } from '../source-facts.ts';
import { checkAwaits } from './await-check.ts';
import { checkImports } from './import-check.ts';
import { checkNamedExports } from './named-export-check.ts';
import { checkOrder } from './order-checks.ts';
import { checkRetries } from './retry-check.ts';

/** Runs every check of a file's text (functions.md 2.3). Checks for entry files run only on an entry file. */
export function checkSource(facts: FileFacts, isEntry: boolean): CompileDiagnostic[] {
  const { file } = facts;
  return [
    ...file.syntaxErrors,
    ...checkImports(file),
    ...checkAwaits(facts),
    ...checkRetries(facts),
    ...(isEntry ? [...checkNamedExports(file), ...checkOrder(facts)] : []),
    ...consoleWarning(facts),
  ];
}

function consoleWarning({ file, consoleOffset }: FileFacts): CompileDiagnostic[] {
  if (consoleOffset === undefined) return [];
  const message = 'The output of console is discarded when the hub runs the function. Use nango.log() instead.';
  return [file.diagnostic('console_used', message, consoleOffset, 'warning')];
}
