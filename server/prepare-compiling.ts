import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Describe } from '../functions/compiler/definition/describe.ts';
import type { FunctionCompiler } from '../functions/compiler/function-compiler.ts';
import type { TypeChecker } from '../functions/compiler/type-check/type-checker.ts';
import type { Config } from './config.ts';
import { parseFrequency } from './contract/frequency.ts';
import { loadOnce } from './platform/lib/load-once.ts';
import type { Resources } from './resources.ts';

export interface CompilingParts {
  config: Config;
  resources: Resources;
  describe: Describe;
}

/** Compilers and type checker, each loaded on first use, because most starts compile nothing. */
export interface Compiling {
  loadCompiler(): Promise<FunctionCompiler>;
  /** Compiles the shipped examples. */
  loadTemplateCompiler(): Promise<FunctionCompiler>;
  /** Compiles code that is sent as text; its folder is empty. */
  loadCodeCompiler(): Promise<FunctionCompiler>;
  compilerVersion(): Promise<string>;
  /** Checks the types of another folder, in any case. */
  openTypeChecker(folder: string): Promise<TypeChecker>;
  /** Undefined when types are not checked. */
  createTypeChecker: (() => Promise<TypeChecker>) | undefined;
}

export function prepareCompiling({ config, resources, describe }: CompilingParts): Compiling {
  const workspace = config.functionsFolder;
  const compilerVersion = loadOnce(() => readVersion(resources));
  const loadCodeCompiler = loadOnce(() => openCodeCompiler(join(config.home, 'cache/sent-code'), describe));
  return {
    compilerVersion,
    loadCompiler: async () => {
      const { FunctionCompiler } = await import('../functions/compiler/function-compiler.ts');
      const { CompileCache } = await import('../functions/compiler/compile-cache.ts');
      const folder = join(config.home, 'cache/functions');
      const cache = await CompileCache.open({ folder, workspace, version: await compilerVersion() });
      return new FunctionCompiler({ workspace, parseFrequency, describe, cache });
    },
    loadTemplateCompiler: async () => {
      const { FunctionCompiler } = await import('../functions/compiler/function-compiler.ts');
      return new FunctionCompiler({ workspace: resources.templates, parseFrequency, describe });
    },
    loadCodeCompiler,
    openTypeChecker: (folder) => createTypeChecker(folder, resources),
    createTypeChecker: config.checksTypes ? () => createTypeChecker(workspace, resources) : undefined,
  };
}

async function openCodeCompiler(folder: string, describe: Describe): Promise<FunctionCompiler> {
  const { FunctionCompiler } = await import('../functions/compiler/function-compiler.ts');
  await mkdir(folder, { recursive: true });
  return new FunctionCompiler({ workspace: folder, parseFrequency, describe });
}

async function readVersion({ compilerFolders }: Resources): Promise<string> {
  const { readCompilerVersion } = await import('../functions/compiler/compiler-version.ts');
  return readCompilerVersion(compilerFolders);
}

async function createTypeChecker(workspace: string, resources: Resources): Promise<TypeChecker> {
  const { TypeChecker } = await import('../functions/compiler/type-check/type-checker.ts');
  const { sdkFolder, typeCheckEntry: entry } = resources;
  return new TypeChecker({ entry, execPath: process.execPath, workspace, sdkFolder });
}
