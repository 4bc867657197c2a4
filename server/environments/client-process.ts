import { readdirSync, readlinkSync } from 'node:fs';
import { access, readdir, readFile, readlink } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** Both ends of a connection, as the server's socket names them. */
export interface SocketEnds {
  remotePort?: number | undefined;
  localPort?: number | undefined;
}

export interface ClientProcess {
  /** Display name: the file that runs, without its folder. */
  name: string;
  path: string;
}

/** Programs that run another file; the name of that file says more. */
const INTERPRETERS = /^(node|nodejs|bun|deno|python[\d.]*|ruby|php[\d.]*|perl|java|sh|bash|zsh)$/;

/**
 * The program on this computer at the other end of a connection. Works on Linux, for programs of the same user, while
 * the connection is open; undefined otherwise.
 */
export async function findClientProcess(ends: SocketEnds): Promise<ClientProcess | undefined> {
  if (process.platform !== 'linux' || ends.remotePort === undefined || ends.localPort === undefined) return undefined;
  const inode = await findInode(ends.remotePort, ends.localPort);
  const pid = inode === undefined ? undefined : await findOwner(`socket:[${inode}]`);
  return pid === undefined ? undefined : describeProcess(pid);
}

/** The inode of the client's socket, whose local port is our remote port (proc(5), /proc/net/tcp). */
async function findInode(clientPort: number, serverPort: number): Promise<string | undefined> {
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'latin1').catch(notThere);
    for (const line of text?.split('\n').slice(1) ?? []) {
      const columns = line.trim().split(/\s+/);
      if (portOf(columns[1]) === clientPort && portOf(columns[2]) === serverPort) return columns[9];
    }
  }
  return undefined;
}

const portOf = (address: string | undefined): number => Number.parseInt(address?.split(':')[1] ?? '', 16);

/** Links that are read before other work has its turn: about a millisecond. */
const LINKS_AT_ONCE = 200;

/** A computer has tens of thousands of these links. They are read synchronously: a promise for each costs five times as much. */
async function findOwner(link: string): Promise<string | undefined> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // Newest processes first, because the client has often just started.
  for (const pid of pids.sort((a, b) => Number(b) - Number(a))) {
    const open = unlessGone(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
    for (const [index, fd] of open.entries()) {
      if (unlessGone(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) === link) return pid;
      if (index % LINKS_AT_ONCE === LINKS_AT_ONCE - 1) await setImmediate();
    }
    await setImmediate();
  }
  return undefined;
}

async function describeProcess(pid: string): Promise<ClientProcess | undefined> {
  const executable = await readlink(`/proc/${pid}/exe`).catch(notThere);
  if (executable === undefined) return undefined;
  const script = INTERPRETERS.test(basename(executable)) ? await findScript(pid) : undefined;
  const path = script ?? executable;
  return { name: basename(path), path };
}

/** The first argument that is a file. The other arguments are ignored, because they may hold secrets. */
async function findScript(pid: string): Promise<string | undefined> {
  const [line, folder] = await Promise.all([
    readFile(`/proc/${pid}/cmdline`, 'utf8').catch(notThere),
    readlink(`/proc/${pid}/cwd`).catch(notThere),
  ]);
  const args = line?.split('\0').slice(1) ?? [];
  for (const arg of args.filter((one) => one !== '' && !one.startsWith('-'))) {
    const path = isAbsolute(arg) ? arg : folder && resolve(folder, arg);
    const isThere = path && (await access(path).then(() => true, notThere));
    if (path && isThere) return path;
  }
  return undefined;
}

/** The process ended meanwhile, or belongs to another user. */
const notThere = (): undefined => undefined;

/** As `notThere`, for what is read synchronously. */
function unlessGone<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
