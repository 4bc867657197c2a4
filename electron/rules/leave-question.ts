/** What the shell does with pages that have text which is not saved; in the words of the dashboard's own question. */
export const LEAVE_QUESTION = {
  type: 'question' as const,
  message: 'Leave without saving?',
  detail: 'What was typed and not saved is lost, and an act on many rows stops halfway.',
  buttons: ['Stay', 'Discard changes'],
  defaultId: 0,
  cancelId: 0,
};
/** Index of the button that leaves. */
export const LEAVE_ANSWER = 1;

/** Asked when the last window is closed on a desktop that shows no tray icon: quit, hide, or leave it open. */
export const HIDE_QUESTION = {
  type: 'question' as const,
  message: 'Keep Homeport running without a window?',
  detail:
    'This desktop shows no tray icons. Homeport would go on with its work unseen; start it again to see its window. In its settings you choose that closing the window quits Homeport.',
  buttons: ['Quit', 'Keep running', 'Cancel'],
  defaultId: 1,
  cancelId: 2,
};

/** Asks the page as a browser does that is about to close it, without closing it. */
export const ASK_PAGE = "!dispatchEvent(new Event('beforeunload', { cancelable: true }))";
/** A page that hangs does not answer, and loses its text in any case. */
const ANSWER_LIMIT_MS = 2_000;

/** Whether the page would ask before it is left. */
export async function asksBeforeLeaving(page: {
  executeJavaScript: (code: string) => Promise<unknown>;
}): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ANSWER_LIMIT_MS);
  });
  try {
    return (await Promise.race([page.executeJavaScript(ASK_PAGE), late])) === true;
  } catch (error) {
    // The page ended meanwhile.
    if (error instanceof Error) return false;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
