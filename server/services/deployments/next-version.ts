/** A label for the UI (functions.md 1.7): numbers count up, anything else starts again at 1. */
export function nextVersion(previous: string | null): string {
  return previous !== null && /^\d+$/.test(previous) ? String(Number(previous) + 1) : '1';
}
