import path from 'node:path';
import type { ShellSettings } from '../../server/contract/shell-bridge.ts';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** Files that an editor shows as text. The system's own program could run others. */
const EDITED = new Set(['.ts', '.tsx', '.js', '.mjs', '.json', '.yaml', '.yml', '.md', '.txt']);

/** Addresses that may be handed to the default browser: https, and http on this computer. */
export function mayOpenOutside(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
}

/** True for a page of the server, and for none while there is no server. */
export function isServerPage(text: string, serverAddress: string | undefined): boolean {
  const url = URL.parse(text);
  return serverAddress !== undefined && url !== null && url.origin === new URL(serverAddress).origin;
}

/** True for a page of the dashboard: they open in windows of the app. */
export function isAppPage(text: string, serverAddress: string | undefined): boolean {
  return isServerPage(text, serverAddress) && /^\/app(\/|$)/.test(new URL(text).pathname);
}

/** True for the folder itself and for what lies below it, however the path is spelled. */
export function isInsideFolder(file: string, folder: string): boolean {
  const relative = path.relative(folder, path.resolve(folder, file));
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/**
 * How a source file is opened: by an address that the editor registered, or by its path with the program of the
 * system. Undefined for a file outside the folder and for one that is no text. Both paths are real ones, without links.
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
