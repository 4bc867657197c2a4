import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrorCode } from '../../platform/lib/error-code.ts';

export interface OpenBrowser {
  url: string;
  /** Folder that only this user can read. */
  folder: string;
  env: Record<string, string | undefined>;
  platform?: NodeJS.Platform;
}

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const PAGE = /^sign-in-[0-9a-f]+\.html$/;
/** An opener that still runs after this time shows the page itself (`BROWSER=firefox`). */
const OPENER_LIMIT_MS = 3000;

/**
 * Opens a link in the browser named by `BROWSER`, else in the default one; resolves to whether that worked. The link is
 * passed in a file, because every user of the computer can see the arguments of a program. The file stays until the
 * next call: the browser reads it after this process has ended, and its link works once.
 */
export async function openBrowser({ url, folder, env, platform = process.platform }: OpenBrowser): Promise<boolean> {
  for (const name of await readdir(folder)) if (PAGE.test(name)) await rm(join(folder, name), { force: true });
  const file = join(folder, `sign-in-${randomBytes(8).toString('hex')}.html`);
  await writeFile(file, pageTo(url), { mode: 0o600, flag: 'wx' });
  const named = env['BROWSER']?.trim().split(/\s+/);
  const [command = '', ...args] = named ?? OPENERS[platform] ?? ['xdg-open'];
  const isOpened = await runOpener(command, [...args, file], env);
  if (!isOpened) await rm(file, { force: true });
  return isOpened;
}

function runOpener(command: string, args: string[], env: OpenBrowser['env']): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const child = spawn(command, args, { stdio: 'ignore', detached: true, env });
  const timer = setTimeout(() => resolve(true), OPENER_LIMIT_MS);
  child.once('error', (error) => (hasErrorCode(error, 'ENOENT', 'EACCES') ? resolve(false) : reject(error)));
  child.once('exit', (code) => resolve(code === 0));
  child.unref();
  return promise.finally(() => clearTimeout(timer));
}

function pageTo(url: string): string {
  const target = new URL(url).href.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${target}">
<title>Homeport</title>
<p>Homeport opens in this browser. If it does not, open the address that the terminal shows.</p>
`;
}
