import { existsSync } from 'node:fs';
import { parse, relative, resolve } from 'node:path';

export interface CommandPlace {
  /** `build/scripts/homeport.mjs` of this installation; a packaged app has none. */
  launcher: string;
  cwd: string;
  env: Record<string, string | undefined>;
}

/**
 * What a person types for `homeport` where this program was started: nothing puts the command on the path, and a bare
 * `npx homeport` outside of the checkout fetches another project's package.
 */
export function commandName({ launcher, cwd, env }: CommandPlace): string {
  // A script of a project that `homeport init` made.
  if (env['npm_lifecycle_event'] === 'homeport') return 'npm run homeport --';
  if (!existsSync(launcher)) return 'homeport';
  const isInside = !relative(resolve(launcher, '../../..'), cwd).startsWith('..');
  return isInside ? 'npx homeport' : `node ${/^[\w./-]+$/.test(launcher) ? launcher : `"${launcher}"`}`;
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
