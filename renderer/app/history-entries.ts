interface EntryState {
  key?: string;
  /** Position of the entry in the history, as the router counts it. */
  idx?: number;
}

const current = (): EntryState | null => window.history.state as EntryState | null;

/** The name of an entry, as the router names its own. */
export const entryKey = (): string => Math.random().toString(36).slice(2, 10);

/**
 * Gives a key and a number to the history entries of parts of an address (`#part`) that a person types into the address
 * bar. Without a number the router warns while input is unsaved, and loses count of where Back leads. Has to listen
 * before the router does. The returned function is called after each navigation of the router.
 */
export function numberTypedHashes(): () => void {
  let last = 0;
  const note = (): void => {
    last = current()?.idx ?? last;
  };
  window.addEventListener('popstate', () => {
    const state = current();
    if (state?.idx === undefined) window.history.replaceState({ key: entryKey(), ...state, idx: last + 1 }, '');
    note();
  });
  return note;
}
