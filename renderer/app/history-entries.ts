interface EntryState {
  key?: string;
  /** Position of the entry in the history, as the router counts it. */
  idx?: number;
}

const current = (): EntryState | null => window.history.state as EntryState | null;

/** The name of an entry, as the router names its own. */
const entryKey = (): string => Math.random().toString(36).slice(2, 10);

/**
 * Gives the history entry with which the page was opened a key, as the router gives later entries. Without keys the
 * router takes all such entries for one, and a newly opened address would get the scroll position of another.
 */
export function nameFirstEntry(): void {
  const state = current();
  if (!state?.key) window.history.replaceState({ ...state, key: entryKey() }, '');
}

/**
 * Gives a key and a number to the history entries of parts of an address (`#part`) that a person types into the address
 * bar. Without a number the router warns where a page may hold unsaved input, and loses count of where Back leads. Has
 * to listen before the router does. The returned function is called after each navigation of the router.
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
