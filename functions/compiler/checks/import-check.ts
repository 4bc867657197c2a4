import type { Statement } from 'oxc-parser';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { SourceFile } from '../source-file.ts';

const ALLOWED_MODULES = new Set(['homeport', 'nango', 'zod', 'crypto', 'node:crypto', 'url', 'node:url']);

const NO_NODE = 'functions run in an isolate, without Node and its network.';

/** Modules that existing functions import and Homeport does not support: the reason, and the alternative. */
const UNSUPPORTED_MODULES: ReadonlyMap<string, string> = new Map([
  [
    'soap',
    `${NO_NODE} Send the XML request with nango.post(), with a text body and the header "content-type: text/xml".`,
  ],
  ['unzipper', `${NO_NODE} Ask the provider for single files, or unpack in the program that reads the records.`],
  ['botbuilder', `${NO_NODE} Call the REST API of the Bot Framework with nango.post().`],
  ['nango/experimental', 'createFunction is experimental. Use createSync, createAction or createOnEvent.'],
]);

/**
 * Reports value imports that are not in the allow-list. Types may be imported from any module. Checks every bundled
 * file.
 */
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
    return file.diagnostic('unsupported_module', `The module "${specifier}" cannot be used: ${reason}`, offset);
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
