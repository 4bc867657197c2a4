import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { app, dialog } from 'electron';
import type { BridgeFile } from '../../server/contract/shell-bridge.ts';
import type { AppWindows } from './app-windows.ts';

const ENDING = '.homeport';
/** An archive of thousands of connections has a few megabytes. */
const LIMIT_BYTES = 50_000_000;
const PAGE = '/app/import';

/** The `.homeport` file that a person opened with the app. The import page reads it once. */
export class OpenedFile {
  readonly #windows: AppWindows;
  #file: BridgeFile | undefined;

  constructor({ windows }: { windows: AppWindows }) {
    this.#windows = windows;
    // Registered before the app is ready: after a double click the event comes at once.
    app.on('open-file', (event, file) => {
      event.preventDefault();
      this.open(file);
    });
  }

  /** The file among the arguments of a start; undefined when there is none. */
  static find(argv: readonly string[]): string | undefined {
    return argv.slice(1).find((one) => !one.startsWith('-') && path.extname(one).toLowerCase() === ENDING);
  }

  open(file: string): void {
    void app
      .whenReady()
      .then(() => this.#read(file))
      .catch((error: unknown) => {
        const detail = error instanceof Error ? error.message : String(error);
        dialog.showErrorBox('The file could not be opened', detail);
      });
  }

  take(): BridgeFile | null {
    const file = this.#file;
    this.#file = undefined;
    return file ?? null;
  }

  async #read(file: string): Promise<void> {
    if (path.extname(file).toLowerCase() !== ENDING) return;
    const { size } = await stat(file);
    if (size > LIMIT_BYTES)
      throw new Error(`It has more than ${LIMIT_BYTES / 1_000_000} MB. Import it with the command line.`);
    this.#file = { name: path.basename(file), base64: await readFile(file, 'base64') };
    this.#windows.goTo(PAGE);
  }
}
