import crypto from 'node:crypto';
import url from 'node:url';
import vm from 'node:vm';
import * as zod from 'zod';
import type { RawDefinition } from '../../../functions/runtime/bridge.ts';
import { describeDefinition } from '../../../functions/runtime/describe-definition.ts';
import type { BundleFactory } from '../../../functions/runtime/guest-link.ts';
import { loadDefinition } from '../../../functions/runtime/load-definition.ts';

const MODULES: Record<string, unknown> = { zod, crypto, 'node:crypto': crypto, url, 'node:url': url };

/** Replaces the sandbox: loads a bundle in this process. For bundles of the tests only. */
export async function describeInVm({ code, fileName }: { code: string; fileName: string }): Promise<RawDefinition> {
  const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
  const factory = vm.compileFunction(code, parameters, { filename: fileName }) as BundleFactory;
  return describeDefinition(loadDefinition(factory, requireModule, fileName));
}

function requireModule(name: string): unknown {
  if (!(name in MODULES)) throw new Error(`Module '${name}' is not allowed`);
  return MODULES[name];
}
