import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { hasErrorCode } from '../platform/lib/error-code.ts';

type Environment = Record<string, string | undefined>;

const HOST = 'NANGO_HOSTPORT';
/** Variables that hold a key of a hub. */
const KEY = /^(?:NANGO_SECRET_KEY(?:_|$)|HOMEPORT_SECRET_KEY$)/;

export interface ProjectEnvironment {
  /** The variables of the shell, and those of the project's `.env` that the shell does not set. */
  env: Environment;
  /** Host of a hub on another computer, if the `.env` names one. Only keys of the same file are sent there. */
  foreignHost: string | undefined;
}

/**
 * Reads the `.env` of a folder. Variables of the shell take precedence. When only the file names a host on another
 * computer, that host gets only keys from the file: a folder of another author must not send the user's keys to that
 * author's server.
 */
export function readProjectEnvironment(folder: string, shell: Environment): ProjectEnvironment {
  const file = readDotEnv(folder);
  const host = file[HOST];
  const env = { ...file, ...shell };
  if (!host || HOST in shell || isLoopbackAddress(host)) return { env, foreignHost: undefined };
  for (const name of Object.keys(shell)) if (KEY.test(name)) delete env[name];
  for (const [name, value] of Object.entries(file)) if (KEY.test(name)) env[name] = value;
  return { env, foreignHost: host };
}

export function isKeyVariable(name: string): boolean {
  return KEY.test(name);
}

/** Whether the host name of an address means this computer. */
export function isLoopbackAddress(address: string): boolean {
  const url = URL.parse(address);
  return (
    url !== null && /^https?:$/.test(url.protocol) && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
  );
}

function readDotEnv(folder: string): Environment {
  try {
    return parseEnv(readFileSync(join(folder, '.env'), 'utf8'));
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return {};
    throw error;
  }
}
