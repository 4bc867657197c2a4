import path from 'node:path';
import type { ShellSettings } from '../../server/contract/shell-bridge.ts';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** Files that are opened by path. The system's default program might run files of other types. */
const EDITED = new Set(['.ts', '.tsx', '.js', '.mjs', '.json', '.yaml', '.yml', '.md', '.txt']);

/** Whether an address may be opened in the default browser: https, or http on this computer. */
export function mayOpenOutside(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
}

/** Whether an address is a page of the server. False while there is no server. */
export function isServerPage(text: string, serverAddress: string | undefined): boolean {
  const url = URL.parse(text);
  return serverAddress !== undefined && url !== null && url.origin === new URL(serverAddress).origin;
}

/** Whether an address is a page of the dashboard. Such pages open in windows of the app. */
export function isAppPage(text: string, serverAddress: string | undefined): boolean {
  return isServerPage(text, serverAddress) && /^\/app(\/|$)/.test(new URL(text).pathname);
}

/** Whether a path is the folder itself or below it, in any spelling. */
export function isInsideFolder(file: string, folder: string): boolean {
  const relative = path.relative(folder, path.resolve(folder, file));
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/**
 * How to open a source file: by an address that the editor has registered, or by its path with the system's program.
 * Undefined for a file outside the folder and for a file that is not text. Both paths must be real paths without links.
 */
export function editorTarget(
  file: string,
  { editor, folder, line }: { editor: ShellSettings['editor']; folder: string; line?: number | undefined },
): { address: string } | { path: string } | undefined {
  if (!isInsideFolder(file, folder) || !EDITED.has(path.extname(file).toLowerCase())) return undefined;
  if (editor === 'system') return { path: file };
  const slashed = file.replaceAll('\\', '/');
  const encoded = slashed
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^([A-Za-z])%3A/, '/$1:');
  const isLine = line !== undefined && Number.isInteger(line) && line > 0;
  return { address: `${editor}://file${encoded}${isLine ? `:${line}` : ''}` };
}
