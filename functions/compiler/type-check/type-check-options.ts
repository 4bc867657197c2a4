import ts from 'typescript';
import { STRICT_OPTIONS } from './strict-options.ts';

/**
 * Compiler options for functions (functions.md 1.1). The author's tsconfig is for the editor only. In contrast to it,
 * imports need no extension here, because both forms can be bundled.
 */
export const TYPE_CHECK_OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  types: [],
  resolveJsonModule: true,
  ...STRICT_OPTIONS,
  noEmit: true,
};
