import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { app, nativeImage, type WebContents } from 'electron';

/** Files that a person drags out of a window. What exists as a text only lies in the temporary folder until the app ends. */
export class DraggedFiles {
  readonly #folders: string[] = [];

  constructor() {
    app.once('will-quit', () => {
      for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
    });
  }

  /** Each in a folder of its own: the file that an earlier drag promised may still be read. */
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
