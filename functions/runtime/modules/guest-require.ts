import { z } from 'zod';
import type { UrlClass } from '../globals/url-class.ts';
import { URLSearchParams } from '../globals/url-search-params.ts';
import type { CallSync } from '../guest-link.ts';
import { createCryptoModule } from './crypto-module.ts';

/** Creates `require` for a bundle. The compiler has inlined all other modules. */
export function createRequire(options: { callSync: CallSync; URL: UrlClass }): (name: string) => unknown {
  const crypto = createCryptoModule(options.callSync);
  const url = { URL: options.URL, URLSearchParams };
  const modules = new Map<string, unknown>([
    ['zod', zodModule],
    ['crypto', crypto],
    ['node:crypto', crypto],
    ['url', url],
    ['node:url', url],
  ]);
  return (name) => {
    if (!modules.has(name)) throw new Error(`Module '${name}' is not allowed`);
    return modules.get(name);
  };
}

// Code generation is off in an isolate. Without this setting zod would try it for every object schema.
z.config({ jitless: true });
/**
 * One object instead of a copy of its 260 names in each context. The members that `z` itself does not have are added
 * without being enumerable.
 */
const zodModule = Object.defineProperties(z, {
  z: { value: z },
  default: { value: z },
  __esModule: { value: true },
});
