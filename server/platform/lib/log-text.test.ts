import { describe, expect, it } from 'vitest';
import { logText } from './log-text.ts';

const at = new Date(2026, 0, 2, 3, 4, 5).getTime();
const textOf = (line: object): string =>
  logText(JSON.stringify({ level: 40, time: at, ...line }), { hasColors: false });

describe('logText', () => {
  it('shows the time, the level, the message and the other members', () => {
    expect(textOf({ msg: 'a job failed', job: 7, paths: ['a'] })).toBe(
      '03:04:05 ! a job failed (job: 7, paths: ["a"])\n',
    );
    expect(textOf({ level: 30, msg: 'done' })).toBe('03:04:05 · done\n');
  });

  it('shows the message alone of what says everything in it', () => {
    expect(textOf({ msg: 'one\ntwo', event: 'x', job: 7 })).toBe('03:04:05 ! one\n           two\n');
  });

  it('shows the stack of a fault, and of a warning the message', () => {
    const err = { type: 'Error', message: 'gone', stack: 'Error: gone\n    at x.ts:1' };

    expect(textOf({ msg: 'lost', err })).toBe('03:04:05 ! lost: gone\n');
    expect(textOf({ level: 50, msg: 'lost', err })).toContain('✗ lost: Error: gone\n');
  });

  it('lets no name steer the terminal', () => {
    expect(textOf({ msg: 'a\u001b[2Jb', name: 'c\u001b]0;x\u0007d' })).toBe('03:04:05 ! ab (name: cd)\n');
  });
});
