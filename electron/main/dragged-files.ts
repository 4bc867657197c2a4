import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { app, nativeImage, type WebContents } from 'electron';

/**
 * Files that a person drags out of a window. A text without a file is written to the temporary folder, which is removed
 * when the app ends.
 */
export class DraggedFiles {
  readonly #folders: string[] = [];

  constructor() {
    app.once('will-quit', () => {
      for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
    });
  }

  /** Each text gets its own folder, because the file of an earlier drag may still be read. */
  write({ name, text }: { name: string; text: string }): string {
    const folder = mkdtempSync(path.join(app.getPath('temp'), 'homeport-drag-'));
    this.#folders.push(folder);
    const file = path.join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  start(page: WebContents, file: string): void {
    page.startDrag({
      file,
      icon: nativeImage.createFromPath(path.join(import.meta.dirname, 'tray', 'tray-ok@2x.png')),
    });
  }
}
