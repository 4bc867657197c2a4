import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, join, parse, relative, resolve } from 'node:path';

export interface CommandLocation {
  /** `build/scripts/homeport.mjs` of a checkout or of the npm package; `bin/homeport` of other packages. */
  launcher: string;
  cwd: string;
  env: Record<string, string | undefined>;
}

/**
 * What a person types for `homeport` where this program was started. Only an installation puts the command on the path,
 * and outside of the checkout a bare `npx homeport` fetches another project's package.
 */
export function commandName({ launcher, cwd, env }: CommandLocation): string {
  // A script in a project that `homeport init` created.
  if (env['npm_lifecycle_event'] === 'homeport') return 'npm run homeport --';
  // `.homeport/homeport.mjs` of such a project, by its local bin.
  if (env['HOMEPORT_IN_PROJECT'] === '1') return 'npx homeport';
  if (!existsSync(launcher)) return 'homeport';
  const isScript = launcher.endsWith('.mjs');
  const folders = [resolve(launcher, '../../..'), installFolder(launcher)];
  const isInside = folders.some((folder) => folder !== undefined && !relative(folder, cwd).startsWith('..'));
  if (isScript && isInside) return 'npx homeport';
  if (isOnPath(launcher, env['PATH'])) return 'homeport';
  const quoted = /^[\w./-]+$/.test(launcher) ? launcher : `"${launcher}"`;
  return isScript ? `node ${quoted}` : quoted;
}

/** The folder in which the npm package is installed; undefined for a checkout. */
function installFolder(launcher: string): string | undefined {
  return /^(.+)[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?homeport[\\/]/.exec(resolve(launcher))?.[1];
}

/**
 * Whether a shell finds this launcher by name. Folders that npm adds to the path do not count: only this process has
 * them.
 */
function isOnPath(launcher: string, path = ''): boolean {
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !/node_modules[\\/]\.bin$/.test(folder));
  const found = folders
    .flatMap((folder) => [join(folder, 'homeport'), join(folder, basename(launcher))])
    .find((file) => existsSync(file));
  return found !== undefined && realpathSync(found) === realpathSync(launcher);
}

/** A command that works in any folder, for texts that are read elsewhere, such as in the dashboard. */
export function commandNameAnywhere(launcher: string): string {
  return commandName({ launcher, cwd: parse(resolve(launcher)).root, env: {} });
}

/** Finds commands in messages. */
const NAMED =
  /(?<![\w./\\-]|npx |run )homeport (?=(?:actions|api|backup|clone|compile|completion|connect|connections|create|deploy|dev|doctor|dryrun|environments|export|functions|generate|help|import|init|integrations|key|keys|list|logs|mcp|migrate|open|providers|proxy|pull|records|restart|restore|serve|settings|status|stop|syncs|test|token|verify|version|webhooks)\b)/g;

/** Replaces commands such as `homeport logs` in a message by what is typed here. */
export function withCommandName(text: string, name: string): string {
  return text.replace(NAMED, () => `${name} `);
}
