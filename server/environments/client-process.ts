import { access, readdir, readFile, readlink } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';

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

async function findOwner(link: string): Promise<string | undefined> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // Newest processes first, because the client has often just started.
  for (const pid of pids.sort((a, b) => Number(b) - Number(a))) {
    const open = await readdir(`/proc/${pid}/fd`).catch(notThere);
    for (const fd of open ?? []) if ((await readlink(`/proc/${pid}/fd/${fd}`).catch(notThere)) === link) return pid;
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
