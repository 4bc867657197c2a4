import path from 'node:path';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

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

/** True for the folder itself and for what lies below it, however the path is spelled. */
export function isInsideFolder(file: string, folder: string): boolean {
  const relative = path.relative(folder, path.resolve(folder, file));
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
