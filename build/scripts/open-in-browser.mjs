import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const OPENERS = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] };
const PAGE = /^sign-in-[0-9a-f]+\.html$/;
/** Milliseconds; enough for a browser that has to start first. */
const KEPT_MS = 60_000;

/**
 * Opens a login link in the default browser. The link is passed in a file of the data folder that only its user can
 * read, because every user of the computer can see the arguments of a program. Without a browser (a server, a
 * container) the person uses the printed address.
 */
export function openInBrowser(url, folder) {
  const file = path.join(folder, `sign-in-${randomBytes(8).toString('hex')}.html`);
  // Files that a killed launcher left behind.
  for (const name of readdirSync(folder)) if (PAGE.test(name)) rmSync(path.join(folder, name), { force: true });
  writeFileSync(file, pageTo(url), { mode: 0o600, flag: 'wx' });
  const remove = () => rmSync(file, { force: true });
  process.once('exit', remove);
  setTimeout(remove, KEPT_MS).unref();
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, file], { stdio: 'ignore', detached: true });
  child.once('error', () => process.stderr.write('No browser could be opened; open the address above yourself.\n'));
  child.unref();
}

function pageTo(url) {
  const target = new URL(url).href.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${target}">
<title>Homeport</title>
<p>Homeport opens in this browser. If it does not, open the address that the terminal shows.</p>
`;
}
