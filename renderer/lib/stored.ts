/** A value kept in the browser; anything unreadable counts as absent. */
export function readStored<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(`homeport.${name}`);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    // Storage may be switched off, or hold something from another version.
    return fallback;
  }
}

export function writeStored(name: string, value: unknown): void {
  try {
    localStorage.setItem(`homeport.${name}`, JSON.stringify(value));
  } catch {
    // Nothing depends on it: the choice is simply forgotten.
  }
}
