import { notifyDone, notifyError } from './notice/notify.ts';

/** Rejects when the browser refuses, also where it has no clipboard at all. */
export const writeClipboard = async (text: string): Promise<void> => navigator.clipboard.writeText(text);

/** The browser refuses when the page may not write to the clipboard, for example while it is not in front. */
export const notifyNotCopied = (): void =>
  notifyError({ message: 'The browser does not allow this page to copy.', code: 'clipboard_denied' });

/** Copies a text and says so once it is copied, or why it is not. */
export const copyText = (text: string, done: string): Promise<void> =>
  writeClipboard(text).then(() => notifyDone(done), notifyNotCopied);
