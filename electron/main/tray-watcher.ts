import { execFile } from 'node:child_process';

/** The part of a Linux desktop that shows tray icons. Without it Electron's Tray exists, and nobody sees it. */
const WATCHER = 'org.kde.StatusNotifierWatcher';
const BUS = 'org.freedesktop.DBus';
const BUS_PATH = '/org/freedesktop/DBus';
const QUESTION = `${BUS}.NameHasOwner`;
const LIMIT_MS = 3000;

/** Programs that ask the session bus; at least one of them is on every desktop. */
const PROGRAMS: ReadonlyArray<[string, string[]]> = [
  ['busctl', ['--user', 'call', BUS, BUS_PATH, BUS, 'NameHasOwner', 's', WATCHER]],
  ['gdbus', ['call', '--session', '--dest', BUS, '--object-path', BUS_PATH, '--method', QUESTION, WATCHER]],
  ['dbus-send', ['--session', '--print-reply=literal', `--dest=${BUS}`, BUS_PATH, QUESTION, `string:${WATCHER}`]],
];

/** Whether this desktop shows tray icons. False when nobody can say. */
export async function hasTrayWatcher(platform: NodeJS.Platform = process.platform): Promise<boolean> {
  if (platform !== 'linux') return true;
  for (const [program, args] of PROGRAMS) {
    const answer = await ask(program, args);
    if (answer !== undefined) return answer;
  }
  return false;
}

/** Undefined when the program does not exist, or did not reach the bus. */
function ask(program: string, args: string[]): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: LIMIT_MS }, (error, output) => {
      resolve(error ? undefined : /\btrue\b/.test(output));
    });
  });
}
