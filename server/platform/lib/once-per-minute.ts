import type { Clock } from './clock.ts';

const MINUTE_MS = 60_000;

/** Makes a function that says of a name whether it is the first time within a minute. */
export function oncePerMinute(clock: Pick<Clock, 'after'>): (name: string) => boolean {
  const recent = new Set<string>();
  return (name) => {
    if (recent.has(name)) return false;
    recent.add(name);
    clock.after(MINUTE_MS, () => recent.delete(name));
    return true;
  };
}
