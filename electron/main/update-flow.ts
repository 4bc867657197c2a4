import type { AppUpdater, ProgressInfo, UpdateDownloadedEvent } from 'electron-updater';
import type { UpdateState } from '../../server/contract/shell-bridge.ts';

/** The used part of electron-updater. */
type Updater = Pick<
  AppUpdater,
  | 'autoDownload'
  | 'autoInstallOnAppQuit'
  | 'allowDowngrade'
  | 'channel'
  | 'checkForUpdates'
  | 'downloadUpdate'
  | 'quitAndInstall'
  | 'on'
>;

/** `latest` is for everyone. `beta` gets versions earlier, and those of `latest` when they are newer. */
type UpdateChannel = 'latest' | 'beta';

export interface UpdateFlowOptions {
  updater: Updater;
  channel: UpdateChannel;
  /** Number of running functions in the server; 0 when it does not run. */
  countRunning: () => Promise<number>;
  /** False when a person keeps text that is not saved: the update stays ready. */
  mayQuit: () => Promise<boolean>;
  /** Copies the database; resolves to the copy. A rejection keeps the update from being installed. */
  backUp: () => Promise<string>;
  /** Keeps this version until the next one has started. A rejection keeps the update from being installed. */
  keepVersion: (next: string, backup: string) => Promise<void>;
  /** Whether this version did not start here before. */
  isRefused: (version: string) => boolean;
  /** Stores what is being installed, for the notes at the next start. */
  remember: (installed: InstalledUpdate) => void;
  /** Stops the server and closes everything that keeps files of the program open. */
  prepareQuit: () => Promise<void>;
  /** The program was not replaced although everything had ended for it: starts this version again. */
  startAgain: (message: string) => void;
  checkEveryMs?: number;
  pollEveryMs?: number;
}

export interface InstalledUpdate {
  version: string;
  notes: string;
}

const CHECK_EVERY_MS = 6 * 3_600_000;
const POLL_EVERY_MS = 15_000;

type Listener = (state: UpdateState) => void;

/**
 * Checks for updates, downloads them and installs them on request: never while a function runs, and only after the
 * database was copied. electron-updater decides by the feed which versions are offered to which computer (channel,
 * staged rollout, older systems, signatures).
 */
export class UpdateFlow {
  readonly #options: Required<UpdateFlowOptions>;
  readonly #listeners = new Set<Listener>();
  #state: UpdateState = { name: 'idle' };
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: UpdateFlowOptions) {
    this.#options = { checkEveryMs: CHECK_EVERY_MS, pollEveryMs: POLL_EVERY_MS, ...options };
    const { updater, channel } = options;
    updater.channel = channel;
    // Setting a channel switches this on. A person who leaves `beta` waits for a newer version instead.
    updater.allowDowngrade = false;
    updater.autoDownload = false;
    // An installation at quit would skip the copy of the database.
    updater.autoInstallOnAppQuit = false;
    updater.on('download-progress', ({ percent }: ProgressInfo) => {
      if (this.#state.name === 'downloading') this.#enter({ ...this.#state, percent: Math.floor(percent) });
    });
    updater.on('update-downloaded', (event: UpdateDownloadedEvent) => {
      this.#enter({ name: 'ready', version: event.version, notes: plainNotes(event.releaseNotes) });
    });
    // The promises of checks and downloads reject as well; an installation tells of its failure only here.
    updater.on('error', (error) => {
      if (this.#state.name !== 'installing') return;
      this.#enter({ name: 'failed', message: explain('The update was not installed', error) });
      options.startAgain(error.message);
    });
  }

  get state(): UpdateState {
    return this.#state;
  }

  onState(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Checks now and every six hours. */
  start(): void {
    const check = async (): Promise<void> => {
      await this.check();
      if (!this.#isStopped) this.#timer = setTimeout(() => void check(), this.#options.checkEveryMs);
    };
    void check();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Reads the feed and downloads a newer version. Resolves to the new state; never rejects. */
  async check(): Promise<UpdateState> {
    if (!['idle', 'current', 'failed'].includes(this.#state.name)) return this.#state;
    this.#enter({ name: 'checking' });
    let failure = 'The check for updates failed';
    try {
      const result = await this.#options.updater.checkForUpdates();
      if (result?.isUpdateAvailable !== true || this.#options.isRefused(result.updateInfo.version))
        this.#enter({ name: 'current' });
      else {
        this.#enter({ name: 'downloading', version: result.updateInfo.version, percent: 0 });
        failure = 'The download of the update failed';
        await this.#options.updater.downloadUpdate();
      }
    } catch (error) {
      this.#enter({ name: 'failed', message: explain(failure, error) });
    }
    return this.#state;
  }

  /** Installs the update as soon as no function runs. Never rejects. */
  async install(): Promise<UpdateState> {
    if (this.#state.name !== 'ready') return this.#state;
    const { version, notes } = this.#state;
    try {
      await this.#waitUntilNothingRuns(version, notes);
      if (this.#isStopped || this.state.name === 'ready') return this.#state;
      if (!(await this.#options.mayQuit())) {
        this.#enter({ name: 'ready', version, notes });
        return this.#state;
      }
      this.#enter({ name: 'installing', version });
      const backup = await this.#options.backUp();
      await this.#options.keepVersion(version, backup);
      this.#options.remember({ version, notes });
      await this.#options.prepareQuit();
      this.#options.updater.quitAndInstall(false, true);
    } catch (error) {
      this.#enter({ name: 'failed', message: explain('The update was not installed', error) });
    }
    return this.#state;
  }

  /** Cancels a waiting installation. The update stays ready. */
  cancelInstall(): void {
    if (this.#state.name !== 'waiting') return;
    const { version, notes } = this.#state;
    this.#enter({ name: 'ready', version, notes });
  }

  async #waitUntilNothingRuns(version: string, notes: string): Promise<void> {
    this.#enter({ name: 'waiting', version, notes, runningCount: await this.#options.countRunning() });
    while (!this.#isStopped && this.#state.name === 'waiting' && this.#state.runningCount > 0) {
      await new Promise((resolve) => setTimeout(resolve, this.#options.pollEveryMs));
      const runningCount = await this.#options.countRunning();
      if (this.#state.name === 'waiting') this.#enter({ ...this.#state, runningCount });
    }
  }

  #enter(state: UpdateState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

/**
 * Release notes of the running version, once after its installation; undefined at every other start. `installed` is
 * what `remember` stored before the update.
 */
export function installedNotes(installed: InstalledUpdate | undefined, currentVersion: string): string | undefined {
  return installed?.version === currentVersion && installed.notes !== '' ? installed.notes : undefined;
}

/** Notes as plain text. A feed may send HTML, or a list with one entry per version, newest first. */
export function plainNotes(
  notes: string | ReadonlyArray<{ version: string; note: string | null }> | null | undefined,
): string {
  if (notes === null || notes === undefined) return '';
  const text =
    typeof notes === 'string' ? notes : notes.map(({ version, note }) => `${version}\n${note ?? ''}`).join('\n\n');
  return text
    .replace(/<(script|style)\b[^<>]*>(?:[^<]|<(?!\/?(?:script|style)))*<\/\1>/gi, '')
    .replace(/<li[^<>]*>/gi, '• ')
    .replace(/<\/(p|li|h\d|div|ul|ol)>|<br[^<>]*>/gi, '\n')
    .replace(/<[^<>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function explain(what: string, error: unknown): string {
  const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  return `${what}: ${reason}`;
}
