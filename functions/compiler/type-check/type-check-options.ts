import ts from 'typescript';
import { STRICT_OPTIONS } from './strict-options.ts';

/**
 * What a project of functions is checked with (functions.md 1.1); the author's tsconfig steers the editor only.
 * Unlike there, imports need no extension: both forms bundle.
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
