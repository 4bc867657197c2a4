import type { Difference } from '../../functions/dry-run/replay.ts';

/** Largest number of differences shown for one value. More would scroll the first one out of view. */
const MAX_LINES = 12;
const MAX_VALUE_LENGTH = 120;

/** Shows where two values differ, one line per difference: `output.items.0.name: "a" was recorded, "b" came`. */
export function showDifference({ what, expected, actual }: Difference): string[] {
  const lines = differencesOf(what, expected, actual);
  const hidden = lines.length - MAX_LINES;
  return hidden > 0 ? [...lines.slice(0, MAX_LINES), `… and ${hidden} more`] : lines;
}

function differencesOf(path: string, expected: unknown, actual: unknown): string[] {
  if (isContainer(expected) && isContainer(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...keys].flatMap((key) => differencesOf(`${path}.${key}`, expected[key], actual[key]));
  }
  if (JSON.stringify(expected) === JSON.stringify(actual)) return [];
  if (expected === undefined) return [`${path}: ${short(actual)} was not recorded`];
  if (actual === undefined) return [`${path}: ${short(expected)} was recorded and is missing`];
  return [`${path}: ${short(expected)} was recorded, ${short(actual)} came`];
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
