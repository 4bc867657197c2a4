import ts from 'typescript';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';

/** Longer explanations nest the same two types over and over. */
const LONGEST_MESSAGE = 2000;

/** TypeScript's diagnostic at the author's line, without a path of the disk. */
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

/** Types of other modules are named `import("/path/to/module").Type`; the name says enough. */
function withoutPaths(message: string, workspace: string): string {
  const text = message
    .replaceAll(/import\("[^"]*"(?:, [^)]*)?\)\./g, '')
    .replaceAll(/(["'])(?:\/|[A-Za-z]:[\\/])[^"']*[\\/]node_modules[\\/]/g, '$1')
    .replaceAll(`${workspace}/`, '');
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}
