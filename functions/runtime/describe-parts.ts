import { z } from 'zod';
import { describeDefinition } from './describe-definition.ts';
import type { BundleFactory, DescribedPart } from './guest-link.ts';
import { loadDefinition } from './load-definition.ts';

type Require = (name: string) => unknown;

/**
 * Describes several bundles in one isolate, because creating an isolate takes longer than describing. The bundles share
 * its globals, so a failure here may have another cause; the server then describes that bundle alone.
 */
export function describeParts(factory: BundleFactory, require: Require, fileNames: readonly string[]): DescribedPart[] {
  const module = { exports: [] as BundleFactory[] };
  factory(module.exports, require, module, '', '');
  return fileNames.map((fileName, index) => {
    // Frees the names that one bundle gave its schemas for the next bundle.
    z.globalRegistry.clear();
    return describePart(module.exports[index], require, fileName);
  });
}

function describePart(factory: BundleFactory | undefined, require: Require, fileName: string): DescribedPart {
  if (!factory) return { ok: false };
  try {
    return { ok: true, definition: describeDefinition(loadDefinition(factory, require, fileName)) };
  } catch {
    // The reason is reported when the bundle is described alone.
    return { ok: false };
  }
}
