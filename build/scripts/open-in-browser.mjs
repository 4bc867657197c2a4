import { spawn } from 'node:child_process';

const OPENERS = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] };

/** Opens an address in the default browser. Without one (a server, a container) the printed address has to do. */
export function openInBrowser(url) {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => process.stderr.write('No browser could be opened; open the address above yourself.\n'));
  child.unref();
}
