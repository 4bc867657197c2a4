import { statSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Preloaded into a process (`--import`): at its end it writes what the process loaded to the file that
 * HOMEPORT_LOADED_FILE names.
 */
const files = new Set();
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:') && url !== import.meta.url) files.add(fileURLToPath(url));
    return next(url, context);
  },
});
process.once('exit', () => {
  const bytes = [...files].reduce((sum, file) => sum + statSync(file).size, 0);
  const builtIn = process.moduleLoadList.map((name) => name.replace(/^NativeModule /, ''));
  writeFileSync(process.env.HOMEPORT_LOADED_FILE, JSON.stringify({ files: [...files], bytes, builtIn }));
});
