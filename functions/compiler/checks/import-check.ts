import type { Statement } from 'oxc-parser';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { SourceFile } from '../source-file.ts';

const ALLOWED_MODULES = new Set(['homeport', 'nango', 'zod', 'crypto', 'node:crypto', 'url', 'node:url']);

/** Modules that the reference accepts and Homeport does not serve, and why. */
const UNSUPPORTED_MODULES: ReadonlyMap<string, string> = new Map([
  ['soap', 'It opens network connections of its own. Send the XML request with nango.post() instead.'],
  ['unzipper', 'It needs Node streams, which functions do not have.'],
  ['botbuilder', 'It opens network connections of its own. Call the provider with nango.post() instead.'],
  ['nango/experimental', 'createFunction is experimental. Use createSync, createAction or createOnEvent.'],
]);

/** Value imports outside the allow-list; types may come from anywhere. Runs on every bundled file. */
export function checkImports(file: SourceFile): CompileDiagnostic[] {
  return file.program.body.flatMap((statement) => {
    const specifier = valueImportOf(statement);
    if (specifier === undefined || isAllowed(specifier)) return [];
    return [refusal(file, specifier, statement.start)];
  });
}

function isAllowed(specifier: string): boolean {
  return /^\.\.?(?:\/|$)/.test(specifier) || ALLOWED_MODULES.has(specifier);
}

function refusal(file: SourceFile, specifier: string, offset: number): CompileDiagnostic {
  const reason = UNSUPPORTED_MODULES.get(specifier);
  if (reason)
    return file.diagnostic('unsupported_module', `The module "${specifier}" is not available yet. ${reason}`, offset);
  const message = `The module "${specifier}" cannot be imported. Functions may import relative files, homeport, zod, crypto and url; types may come from anywhere with "import type".`;
  return file.diagnostic('disallowed_import', message, offset);
}

function valueImportOf(statement: Statement): string | undefined {
  switch (statement.type) {
    case 'ImportDeclaration':
      return statement.importKind === 'type' ? undefined : statement.source.value;
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
      return statement.exportKind === 'type' ? undefined : statement.source?.value;
    case 'TSImportEqualsDeclaration':
      if (statement.importKind === 'type' || statement.moduleReference.type !== 'TSExternalModuleReference')
        return undefined;
      return statement.moduleReference.expression.value;
    default:
      return undefined;
  }
}
