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
