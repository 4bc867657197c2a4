import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';

/**
 * Returns the types of `'homeport'` for editors by file name: the SDK's declarations (entry: `sdk.d.ts`) and the
 * globals of an isolate. `sdkFolder` is `functions/sdk` of the installation.
 */
export function declareSdk(sdkFolder: string): Record<string, string> {
  const files: Record<string, string> = {};
  const program = ts.createProgram([join(sdkFolder, 'sdk.ts')], {
    allowImportingTsExtensions: true,
    declaration: true,
    emitDeclarationOnly: true,
    module: ts.ModuleKind.NodeNext,
    removeComments: false,
    rootDir: sdkFolder,
    skipLibCheck: true,
    strict: true,
    target: ts.ScriptTarget.ESNext,
    types: [],
  });
  program.emit(undefined, (name, text) => {
    // TypeScript 5 and newer resolve this form to the declaration files next to each other.
    files[basename(name)] = text.replaceAll(/(from ')(\.\/[^']+)\.ts(')/g, '$1$2.js$3');
  });
  const ambient = join(sdkFolder, 'ambient');
  for (const name of readdirSync(ambient)) files[name] = readFileSync(join(ambient, name), 'utf8');
  return files;
}
