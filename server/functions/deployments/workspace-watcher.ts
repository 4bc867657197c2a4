import { relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { Clock, Timer } from '../../platform/lib/clock.ts';
import type { Logger } from '../../platform/lib/logger.ts';

/** Folders of a workspace without sources of functions. */
const IGNORED = /(^|\/)(node_modules|build|dist|\.[^/]+)(\/|$)/;
/** Editors save in several steps; events within this time are one change. */
const SETTLE_MS = 25;

/** Reports which files of the workspace changed, in batches of workspace-relative paths with forward slashes. */
export class WorkspaceWatcher {
  readonly #folder: string;
  readonly #onChange: (paths: string[]) => void;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #changed = new Set<string>();
  #watcher: FSWatcher | undefined;
  #timer: Timer | undefined;
  #endStart: () => void = () => {};

  constructor(options: { folder: string; onChange: (paths: string[]) => void; clock: Clock; logger: Logger }) {
    this.#folder = options.folder;
    this.#onChange = options.onChange;
    this.#clock = options.clock;
    this.#logger = options.logger;
  }

  /** Resolves when every later change will be seen. */
  start(): Promise<void> {
    const watcher = watch(this.#folder, {
      ignoreInitial: true,
      ignored: (path) => IGNORED.test(this.#relative(path)),
    });
    this.#watcher = watcher;
    watcher.on('all', (_event, path) => this.#note(this.#relative(path)));
    watcher.on('error', (error) =>
      this.#logger.warn({ err: error }, 'the functions folder cannot be watched completely'),
    );
    return new Promise((resolve) => {
      this.#endStart = resolve;
      watcher.once('ready', resolve);
    });
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#watcher?.close();
    // A watcher that is closed while it starts emits no `ready` event.
    this.#endStart();
  }

  #relative(path: string): string {
    return relative(this.#folder, path).split(sep).join('/');
  }

  #note(path: string): void {
    this.#changed.add(path);
    this.#timer?.cancel();
    this.#timer = this.#clock.after(SETTLE_MS, () => {
      const paths = [...this.#changed];
      this.#changed.clear();
      this.#onChange(paths);
    });
  }
}
