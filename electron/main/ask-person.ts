import { type BrowserWindow, dialog } from 'electron';

interface Question {
  type: 'question' | 'warning';
  message: string;
  detail: string;
  yes: string;
  no: string;
  /** What Enter answers. */
  enter: 'yes' | 'no';
  /** In front of which window; undefined for a question of the whole app. */
  window?: BrowserWindow | undefined;
}

/** A question of the system with two buttons. Esc and closing it are no. */
export async function askPerson({ detail, enter, message, no, type, window, yes }: Question): Promise<boolean> {
  const options = { type, message, detail, buttons: [yes, no], defaultId: enter === 'yes' ? 0 : 1, cancelId: 1 };
  const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options));
  return response === 0;
}
