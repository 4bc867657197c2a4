import { EventEmitter } from 'node:events';

const watchers = new Set<EventEmitter>();

/** The part of `chokidar` that the hub uses: it hears of changed files by `tellOfChange` only. */
export function watch(): EventEmitter & { close(): Promise<void> } {
  const watcher = Object.assign(new EventEmitter(), { close: async () => void watchers.delete(watcher) });
  watchers.add(watcher);
  queueMicrotask(() => watcher.emit('ready'));
  return watcher;
}

/** A file of the workspace was changed or removed. */
export function tellOfChange(path: string): void {
  for (const watcher of watchers) watcher.emit('all', 'change', path);
}

/** The process has ended, and its watchers with it. */
export function forgetWatchers(): void {
  watchers.clear();
}
