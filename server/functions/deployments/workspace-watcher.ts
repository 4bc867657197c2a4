import { relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { Clock, Timer } from '../../platform/lib/clock.ts';
import type { Logger } from '../../platform/lib/logger.ts';

/** Folders of a workspace without sources of functions. */
const IGNORED = /(^|\/)(node_modules|build|dist|\.[^/]+)(\/|$)/;
/** Editors save in several steps; events within this time are one change. */
const SETTLE_MS = 25;

/** Reports which files of the workspace changed, in batches of workspace-relative paths with forward slashes. */
export function createWorkspaceWatcher({
  folder,
  onChange,
  clock,
  logger,
}: {
  folder: string;
  onChange: (paths: string[]) => void;
  clock: Clock;
  logger: Logger;
}) {
  const changed = new Set<string>();
  let current: FSWatcher | undefined;
  let timer: Timer | undefined;
  let endStart: () => void = () => {};

  function pathOf(path: string): string {
    return relative(folder, path).split(sep).join('/');
  }

  function note(path: string): void {
    changed.add(path);
    timer?.cancel();
    timer = clock.after(SETTLE_MS, () => {
      const paths = [...changed];
      changed.clear();
      onChange(paths);
    });
  }

  return {
    /** Resolves when every later change will be seen. */
    start(): Promise<void> {
      const watcher = watch(folder, {
        ignoreInitial: true,
        ignored: (path) => IGNORED.test(pathOf(path)),
      });
      current = watcher;
      watcher.on('all', (_event, path) => note(pathOf(path)));
      watcher.on('error', (error) => logger.warn({ err: error }, 'the functions folder cannot be watched completely'));
      return new Promise((resolve) => {
        endStart = resolve;
        watcher.once('ready', resolve);
      });
    },
    async stop(): Promise<void> {
      timer?.cancel();
      await current?.close();
      // A watcher that is closed while it starts emits no `ready` event.
      endStart();
    },
  };
}
