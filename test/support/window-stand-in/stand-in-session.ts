import { EventEmitter } from 'node:events';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type * as Electron from 'electron';
import { FakeSession } from '../fake-web-contents.ts';
import type { BrowserProcess } from './browser-process.ts';

/** The session of every page: the app's answers about permissions, and its downloads. */
export class StandInSession extends FakeSession {
  readonly #events = new EventEmitter();
  #browser: BrowserProcess | undefined;

  on = (name: string, listener: (...args: never[]) => void): this => {
    this.#events.on(name, listener as (...args: unknown[]) => void);
    return this;
  };
  once = (name: string, listener: (...args: never[]) => void): this => {
    this.#events.once(name, listener as (...args: unknown[]) => void);
    return this;
  };

  clearStorageData = async ({ storages = ['cookies'] }: Electron.ClearStorageDataOptions = {}): Promise<void> => {
    if (storages.includes('cookies')) await this.#browser?.link.browser.send('Storage.clearCookies');
  };

  /** A download is kept where a listener of `will-download` says; without one it is cancelled, as by a person. */
  async begin(process: BrowserProcess, folder: string): Promise<void> {
    this.#browser = process;
    const { browser } = process.link;
    const items = new Map<string, DownloadItem>();
    mkdirSync(folder, { recursive: true });
    browser.on('Browser.downloadWillBegin', ({ guid, suggestedFilename, url }) => {
      const item = new DownloadItem(suggestedFilename, url);
      items.set(guid, item);
      this.#events.emit('will-download', {}, item, undefined);
    });
    browser.on('Browser.downloadProgress', ({ guid, state }) => {
      const item = items.get(guid);
      if (!item || state === 'inProgress') return;
      items.delete(guid);
      item.end(path.join(folder, guid), state);
    });
    await browser.send('Browser.setDownloadBehavior', {
      behavior: 'allowAndName',
      downloadPath: folder,
      eventsEnabled: true,
    });
  }
}

class DownloadItem extends EventEmitter implements ItemSurface {
  readonly #name: string;
  readonly #url: string;
  #savePath = '';

  constructor(name: string, url: string) {
    super();
    this.#name = name;
    this.#url = url;
  }

  getFilename = (): string => this.#name;
  getURL = (): string => this.#url;
  getSavePath = (): string => this.#savePath;
  setSavePath = (file: string): void => {
    this.#savePath = file;
  };

  end(file: string, state: 'canceled' | 'completed'): void {
    const isKept = state === 'completed' && this.#savePath !== '';
    if (isKept) renameSync(file, this.#savePath);
    else rmSync(file, { force: true });
    this.emit('done', {}, isKept ? 'completed' : 'cancelled');
  }
}

type ItemSurface = Pick<Electron.DownloadItem, 'getFilename' | 'getSavePath' | 'getURL' | 'setSavePath'>;
