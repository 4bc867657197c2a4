/** A label for the UI (functions.md 1.7): the number at its end counts up; without a number it starts at 1. */
export function nextVersion(previous: string | null): string {
  const [, start = '', last = '0'] = /^(.*?)(\d+)$/s.exec(previous ?? '') ?? [];
  return `${start}${BigInt(last) + 1n}`;
}
