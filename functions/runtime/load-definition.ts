import type { RawDefinition } from './bridge.ts';
import type { BundleFactory } from './guest-link.ts';

/** The default export of a bundle: `type` and the author's properties. */
export type Definition = Record<string, unknown> & { type: RawDefinition['type'] };

const TYPES = new Set<unknown>(['sync', 'action', 'onEvent', 'function']);

/** Runs the bundle as a CommonJS body and returns its definition. */
export function loadDefinition(
  factory: BundleFactory,
  require: (name: string) => unknown,
  fileName: string,
): Definition {
  const module = { exports: {} as unknown };
  factory(module.exports as object, require, module, fileName, '');
  const exported = (module.exports as { default?: unknown } | undefined)?.default ?? module.exports;
  if (typeof exported !== 'object' || exported === null || !TYPES.has((exported as Definition).type)) {
    throw new Error('The file has no default export made by createSync, createAction or createOnEvent');
  }
  return exported as Definition;
}
