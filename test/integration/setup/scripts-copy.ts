import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SCRIPTS = fileURLToPath(new URL('../../../build/scripts', import.meta.url));

/** A folder that the scripts treat as the repository, so that a test can break it. */
export function copyScripts(): {
  root: string;
  write: (file: string, text: string) => void;
  url: (file: string) => string;
  [Symbol.dispose](): void;
} {
  const root = mkdtempSync(path.join(tmpdir(), 'homeport-setup-'));
  cpSync(SCRIPTS, path.join(root, 'build/scripts'), { recursive: true });
  return {
    root,
    write(file, text) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), text);
    },
    url: (file) => pathToFileURL(path.join(root, 'build/scripts', file)).href,
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
