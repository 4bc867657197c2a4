import ts from 'typescript';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';

/** In characters. Longer explanations repeat the same two nested types. */
const LONGEST_MESSAGE = 2000;

/** Converts TypeScript's diagnostic to one at the author's line, without a path on disk. */
export function toTypeError(diagnostic: ts.Diagnostic, file: string, workspace: string): CompileDiagnostic {
  const position = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0);
  return {
    code: 'type_error',
    typescriptCode: `TS${diagnostic.code}`,
    message: withoutPaths(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'), workspace),
    file,
    line: (position?.line ?? 0) + 1,
    column: (position?.character ?? 0) + 1,
    severity: 'error',
  };
}

/** Types of other modules appear as `import("/path/to/module").Type`; only the type's name is kept. */
function withoutPaths(message: string, workspace: string): string {
  const text = message
    .replaceAll(/import\("[^"]*"(?:, [^)]*)?\)\./g, '')
    .replaceAll(/(["'])(?:\/|[A-Za-z]:[\\/])[^"']*[\\/]node_modules[\\/]/g, '$1')
    .replaceAll(`${workspace}/`, '');
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}
