/** A value stored in the browser; an unreadable value counts as absent. */
export function readStored<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(`homeport.${name}`);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    // Storage may be switched off, or hold a value of another version.
    return fallback;
  }
}

export function writeStored(name: string, value: unknown): void {
  try {
    localStorage.setItem(`homeport.${name}`, JSON.stringify(value));
  } catch {
    // No other code depends on it: the choice is lost.
  }
}

/** Longer values are not kept for a reload: the storage of a tab ends at about 5 MB. */
const MAX_SESSION_TEXT = 1_000_000;

/** A value stored for this tab until it is closed; an unreadable value counts as absent. */
export function readTabValue<T>(name: string, fallback: T): T {
  try {
    const text = sessionStorage.getItem(`homeport.${name}`);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    // As in `readStored`.
    return fallback;
  }
}

/** Whether it was stored; what is too long, or refused by the browser, replaces an older value by nothing. */
export function writeTabValue(name: string, value: unknown): boolean {
  try {
    const text = JSON.stringify(value);
    if (text.length > MAX_SESSION_TEXT) sessionStorage.removeItem(`homeport.${name}`);
    else sessionStorage.setItem(`homeport.${name}`, text);
    return text.length <= MAX_SESSION_TEXT;
  } catch {
    // The page works on with what it holds itself.
    return false;
  }
}
