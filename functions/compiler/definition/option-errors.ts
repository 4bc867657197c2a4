import type { z } from 'zod';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { DefinitionSource } from './definition-source.ts';

/** Diagnostics for invalid options, each with its position in the file. */
export function optionErrors(source: DefinitionSource, error: z.ZodError): CompileDiagnostic[] {
  return error.issues.map(({ path, message }) =>
    source.error('invalid_definition', `${path.join('.')}: ${message}`, String(path[0] ?? '')),
  );
}
