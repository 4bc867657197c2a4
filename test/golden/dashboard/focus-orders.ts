import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FILE = path.join(import.meta.dirname, 'focus-order.txt');

/** The stops of Tab by screen, as they are stored. */
export function readFocusOrders(): Map<string, string[]> {
  const parts = readFileSync(FILE, 'utf8').trim().split(/\n*^# /m).filter(Boolean);
  return new Map(
    parts.map((part) => {
      const [screen = '', ...stops] = part.split('\n');
      return [screen, stops];
    }),
  );
}

export function writeFocusOrders(orders: ReadonlyMap<string, readonly string[]>): void {
  writeFileSync(FILE, [...orders].map(([screen, stops]) => `# ${screen}\n${stops.join('\n')}\n`).join('\n'));
}
