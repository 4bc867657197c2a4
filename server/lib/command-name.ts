import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, join, parse, relative, resolve } from 'node:path';

export interface CommandLocation {
  /** `build/scripts/homeport.mjs` of a checkout or the npm package, `bin/homeport` of other packages. */
  launcher: string;
  cwd: string;
  env: Record<string, string | undefined>;
}

/**
 * What a person types for `homeport` where this program was started: only an installation puts the command on the path,
 * and a bare `npx homeport` outside of the checkout fetches another project's package.
 */
export function commandName({ launcher, cwd, env }: CommandLocation): string {
  // A script of a project that `homeport init` made.
  if (env['npm_lifecycle_event'] === 'homeport') return 'npm run homeport --';
  if (!existsSync(launcher)) return 'homeport';
  const isScript = launcher.endsWith('.mjs');
  const isInside = !relative(resolve(launcher, '../../..'), cwd).startsWith('..');
  if (isScript && isInside) return 'npx homeport';
  if (isOnPath(launcher, env['PATH'])) return 'homeport';
  const quoted = /^[\w./-]+$/.test(launcher) ? launcher : `"${launcher}"`;
  return isScript ? `node ${quoted}` : quoted;
}

/** Whether a shell finds this launcher by its name. The folders that npm adds are on the path of this process only. */
function isOnPath(launcher: string, path = ''): boolean {
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !/node_modules[\\/]\.bin$/.test(folder));
  const found = folders
    .flatMap((folder) => [join(folder, 'homeport'), join(folder, basename(launcher))])
    .find((file) => existsSync(file));
  return found !== undefined && realpathSync(found) === realpathSync(launcher);
}

/** What works in any folder: for texts that are read elsewhere, such as those of the dashboard. */
export function commandNameAnywhere(launcher: string): string {
  return commandName({ launcher, cwd: parse(resolve(launcher)).root, env: {} });
}

/** Commands that messages name. */
const NAMED =
  /(?<![\w./\\-]|npx |run )homeport (?=(?:backup|clone|compile|connections|create|deploy|doctor|dryrun|environments|export|functions|help|import|init|key|list|logs|mcp|open|providers|pull|restore|serve|settings|status|test|verify|webhooks)\b)/g;

/** A message with its commands, written as `homeport logs`, as they are typed here. */
export function withCommandName(text: string, name: string): string {
  return text.replace(NAMED, () => `${name} `);
}
