import path from 'node:path';
import { z } from 'zod';

/** What is kept of the version before an update, until the new one has started. Written before the program is replaced. */
export const formerVersion = z.object({
  version: z.string(),
  next: z.string(),
  /** The file or folder that the update replaces, and the copy of it. */
  program: z.string(),
  copy: z.string(),
  /** How to start the program. */
  start: z.array(z.string()).min(1),
  /** The copy of the database that was made before the update. */
  backup: z.string(),
  /** Where the update put the new program, if not in the place of the former. */
  replacedBy: z.string().nullable(),
  /** The process of the former version, which ends. */
  pid: z.number(),
  /** In milliseconds, for a new version of which nothing is heard. */
  limitMs: z.number(),
});
export type FormerVersion = z.infer<typeof formerVersion>;

/** How far the start of the new version is. The new version writes it. */
export const startMark = z.object({
  version: z.string(),
  pid: z.number(),
  state: z.enum(['starting', 'ready', 'failed']),
  reason: z.string(),
});
export type StartMark = z.infer<typeof startMark>;

/** What the former version tells the person once it is back. */
export const wentBack = z.object({ version: z.string(), reason: z.string(), backup: z.string() });
export type WentBack = z.infer<typeof wentBack>;

/** Names in the folder that holds all of this. */
export const FORMER_FILES = {
  former: 'former.json',
  mark: 'mark.json',
  wentBack: 'went-back.json',
  watcher: 'watch-update.mjs',
};

/**
 * The file or folder that an update replaces, where this user may also put it back: an AppImage, the app of a Mac, the
 * folder of an installation on Windows. Undefined for packages of the system (deb, rpm): its package manager owns them.
 */
export function replaceableProgram({
  platform,
  executable,
  appImage,
}: {
  platform: NodeJS.Platform;
  executable: string;
  appImage: string | undefined;
}): { program: string; start: string[] } | undefined {
  if (platform === 'linux') return appImage === undefined ? undefined : { program: appImage, start: [appImage] };
  if (platform === 'win32') return { program: path.win32.dirname(executable), start: [executable] };
  const bundle = path.posix.resolve(executable, '../../..');
  return bundle.endsWith('.app') ? { program: bundle, start: ['/usr/bin/open', '-n', bundle] } : undefined;
}

/** What the watcher does next: it waits, it ends because the new version runs, or it puts the former one back. */
export function afterUpdate({
  former,
  mark,
  isAlive,
  waitedMs,
}: {
  former: FormerVersion;
  mark: StartMark | undefined;
  /** Whether the process of the mark exists. */
  isAlive: boolean;
  waitedMs: number;
}): 'wait' | 'done' | { back: string } {
  const isNew = mark?.version === former.next;
  if (isNew && mark.state === 'ready') return 'done';
  if (isNew && isAlive) return 'wait';
  if (isNew) return { back: mark.state === 'failed' ? mark.reason : 'It ended while it was starting.' };
  return waitedMs < former.limitMs ? 'wait' : { back: 'It did not start.' };
}
