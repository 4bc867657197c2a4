import { z } from 'zod';
import { describeDefinition } from './describe-definition.ts';
import type { BundleFactory, DescribedPart } from './guest-link.ts';
import { loadDefinition } from './load-definition.ts';

type Require = (name: string) => unknown;

/**
 * Describes several bundles in one isolate: making one costs more than describing. They share its globals, so a failure
 * here says nothing yet about a bundle; the server then asks for it alone.
 */
export function describeParts(factory: BundleFactory, require: Require, fileNames: readonly string[]): DescribedPart[] {
  const module = { exports: [] as BundleFactory[] };
  factory(module.exports, require, module, '', '');
  return fileNames.map((fileName, index) => {
    // Names that one bundle gives its schemas are free again for the next.
    z.globalRegistry.clear();
    return describePart(module.exports[index], require, fileName);
  });
}

function describePart(factory: BundleFactory | undefined, require: Require, fileName: string): DescribedPart {
  if (!factory) return { ok: false };
  try {
    return { ok: true, definition: describeDefinition(loadDefinition(factory, require, fileName)) };
  } catch {
    // Why is said when the bundle is described alone.
    return { ok: false };
  }
}
