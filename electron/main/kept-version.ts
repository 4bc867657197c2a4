import { execFile, spawn } from 'node:child_process';
import { constants, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { app, dialog } from 'electron';
import type { z } from 'zod';
import {
  FORMER_FILES,
  type FormerVersion,
  formerVersion,
  replaceableProgram,
  type StartMark,
  type WentBack,
  wentBack,
} from '../rules/former-version.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { isSystemError } from '../server-process/system-error.ts';
import { locateServer } from './server-location.ts';

const run = promisify(execFile);
/** macOS checks a new app, and Windows runs an installer, before anything of it starts. */
const LIMIT_MS = process.platform === 'linux' ? 60_000 : 600_000;
/** These failures come from the computer, not from the version. */
const NOT_OF_THE_VERSION = ['port_in_use', 'damaged_database'];

/**
 * The version before an update. It is kept until the new one has started; otherwise `watch-update.ts` puts it back, with the
 * database of before the update. Only where this user may replace the program (`replaceableProgram`).
 */
export class KeptVersion {
  readonly #folder = path.join(app.getPath('userData'), 'former-version');
  readonly #refusedFile = path.join(app.getPath('userData'), 'refused-update.json');

  /** Copies the program and starts the watch. Call it last before the program is replaced. */
  async keep(next: string, backup: string): Promise<void> {
    const found = replaceableProgram({
      platform: process.platform,
      executable: app.getPath('exe'),
      appImage: process.env['APPIMAGE'],
    });
    if (!found) return;
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const copy = path.join(this.#folder, path.basename(found.program));
    await cp(found.program, copy, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
    const former = { ...found, copy, backup, next, version: app.getVersion(), replacedBy: null, pid: process.pid };
    this.#write(FORMER_FILES.former, { ...former, limitMs: LIMIT_MS } satisfies FormerVersion);
    // The program that runs is about to go, so the watcher runs on copies.
    const node = path.join(this.#folder, process.platform === 'win32' ? 'node.exe' : 'node');
    copyFileSync(locateServer().runtime, node, constants.COPYFILE_FICLONE);
    const watcher = path.join(this.#folder, FORMER_FILES.watcher);
    writeFileSync(watcher, readFileSync(path.join(import.meta.dirname, FORMER_FILES.watcher)));
    const { APPIMAGE: _image, APPDIR: _folder, ...env } = process.env;
    // The former version starts in the same folder, and the one of this copy is removed.
    spawn(node, [watcher, this.#folder], { cwd: app.getPath('home'), detached: true, stdio: 'ignore', env }).unref();
  }

  /** An AppImage with a version in its name is replaced by a file with another name. */
  noteNewPlace(replacedBy: string): void {
    const former = this.#read(FORMER_FILES.former, formerVersion);
    if (former) this.#write(FORMER_FILES.former, { ...former, replacedBy });
  }

  /** Ends the watch: nothing is put back. */
  forget(): void {
    rmSync(path.join(this.#folder, FORMER_FILES.former), { force: true });
  }

  /** Whether this version was tried and did not start here. */
  isRefused(version: string): boolean {
    return readText(this.#refusedFile) === version;
  }

  /** Tells the watcher how the start goes, and the person when an update did not start. `quit` ends the app. */
  follow(supervisor: ServerSupervisor, quit: () => void): void {
    const back = this.#read(FORMER_FILES.wentBack, wentBack);
    const former = this.#read(FORMER_FILES.former, formerVersion);
    if (back) this.#tell(back, supervisor);
    // What a watcher still runs on cannot be removed on Windows; the next start does it.
    if (!former) return rmSync(this.#folder, { recursive: true, force: true, maxRetries: 0 });
    // The update was not installed, and a person starts this version again.
    if (former.next !== app.getVersion()) return this.forget();
    const mark = (state: StartMark['state'], reason = ''): void =>
      this.#write(FORMER_FILES.mark, {
        version: app.getVersion(),
        pid: process.pid,
        state,
        reason,
      } satisfies StartMark);
    mark('starting');
    let isDecided = false;
    supervisor.onState((state) => {
      if (isDecided) return;
      const isFailed = state.name === 'failed' && !NOT_OF_THE_VERSION.includes(state.code);
      // A vault that is locked waits for its person: this version works.
      isDecided = isFailed || state.name === 'ready' || state.name === 'locked';
      if (!isDecided) return;
      mark(isFailed ? 'failed' : 'ready', state.name === 'failed' ? state.message : '');
      if (isFailed) quit();
      else this.forget();
    });
  }

  #tell({ backup, reason, version }: WentBack, supervisor: ServerSupervisor): void {
    writeFileSync(this.#refusedFile, version);
    rmSync(path.join(this.#folder, FORMER_FILES.wentBack), { force: true });
    supervisor.onState((state) => {
      // The new version had changed the database already, before it failed.
      if (state.name === 'failed' && state.code === 'newer_database') void restore(backup, supervisor);
    });
    void app.whenReady().then(() =>
      dialog.showMessageBox({
        type: 'warning',
        message: `Homeport ${version} did not start, so ${app.getVersion()} is back`,
        detail: `${reason}\n\nYour data is as it was before the update. ${version} is not offered again; a later version is.`,
        buttons: ['OK'],
      }),
    );
  }

  #write(name: string, value: object): void {
    writeFileSync(path.join(this.#folder, name), JSON.stringify(value), { mode: 0o600 });
  }

  #read<Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema> | undefined {
    const text = readText(path.join(this.#folder, name));
    try {
      return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
    } catch (error) {
      // Cut short by a power loss: nothing is known of an update.
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

/** Puts the database of before the update back; the present one is kept as a backup. */
async function restore(backup: string, supervisor: ServerSupervisor): Promise<void> {
  const { entry, runtime } = locateServer();
  try {
    await run(runtime, [path.join(path.dirname(entry), 'cli-main.mjs'), 'restore', backup, '--auto-confirm']);
    await supervisor.restart();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    dialog.showErrorBox(
      'The database of before the update could not be restored',
      `${detail}\n\nThe copy is ${backup}`,
    );
  }
}

function readText(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
