import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { makePassphrasesCheap } from './cheap-passphrases.ts';
import { simulateTimers } from './simulated-timers.ts';

/** A change of the hub's source, for the time of one run: the mend of a fault is taken out. */
export interface SourceChange {
  /** Relative to the repository. */
  file: string;
  find: string;
  replace: string;
}

const REPLACED = new Map([
  ['sqlite3', new URL('./sqlite-driver.ts', import.meta.url).href],
  ['keytar', new URL('./simulated-keychain.ts', import.meta.url).href],
  ['../functions/compiler/function-compiler.ts', new URL('./compiled-before.ts', import.meta.url).href],
  ['chokidar', new URL('./no-watcher.ts', import.meta.url).href],
]);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Puts the simulated driver in the place of the real one, for the hub's modules that are loaded from now on. */
export function registerSeams(changes: readonly SourceChange[] = []): void {
  makePassphrasesCheap();
  simulateTimers();
  const isOfHub = (parent: string | undefined): boolean =>
    parent?.startsWith('file:') === true && fileURLToPath(parent).startsWith(`${ROOT}server/`);
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = isOfHub(context.parentURL) ? REPLACED.get(specifier) : undefined;
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true, format: 'module-typescript' };
    },
    load: (url, context, next) => {
      const loaded = next(url, context);
      const path = url.startsWith('file:') ? fileURLToPath(url).slice(ROOT.length) : '';
      const own = changes.filter(({ file }) => file === path);
      if (own.length === 0) return loaded;
      let source = String(loaded.source);
      for (const change of own) {
        if (source.split(change.find).length !== 2)
          throw new Error(`${change.file} does not contain once: ${change.find}`);
        source = source.replace(change.find, () => change.replace);
      }
      return { ...loaded, source };
    },
  });
}
