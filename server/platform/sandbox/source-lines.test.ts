import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../functions/runtime/bridge.ts';
import { findSourcePosition, withSourceLines } from './source-lines.ts';

const STACK = '    at f (probe-acme.cjs:2:3)\n    at Promise.all (index 0)\n    at probe-acme.cjs:900:1';
const failed = {
  ok: false,
  failure: { kind: 'thrown', error: { name: 'Error', message: 'm', stack: STACK } },
  cpuMs: 1,
  memoryBytes: 2,
} satisfies RunOutcome;
/** Line 2, column 3 of the bundle is line 8, column 5 of `acme/a.ts`. */
const MAP = { version: 3, sources: ['acme/a.ts'], names: [], mappings: ';EAOI' };

function bundle(map: unknown): { hash: string; code: string; fileName: string } {
  const text = typeof map === 'string' ? map : JSON.stringify(map);
  const encoded = Buffer.from(text).toString('base64');
  return {
    hash: 'h',
    code: `a\nb\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`,
    fileName: 'probe-acme.cjs',
  };
}

function stackOf(outcome: RunOutcome): string | undefined {
  return !outcome.ok && outcome.failure.kind === 'thrown' ? outcome.failure.error.stack : undefined;
}

describe('the lines of a stack', () => {
  it('are those of the source where the map knows them, and everything else stays', () => {
    expect(
      stackOf(withSourceLines(failed, bundle(MAP)))
        ?.split('\n')
        .slice(0, 2),
    ).toEqual(['    at f (acme/a.ts:8:5)', '    at Promise.all (index 0)']);
    expect(withSourceLines(failed, bundle(MAP))).toMatchObject({ cpuMs: 1, memoryBytes: 2 });
  });

  it.each([
    ['no JSON', 'nonsense'],
    ['no map', { version: 3 }],
    ['broken mappings', { ...MAP, mappings: 7 }],
  ])('stay as they are with a map that is %s', (_what, map) => {
    expect(stackOf(withSourceLines(failed, bundle(map)))).toBe(STACK);
  });

  it('stay as they are without a map', () => {
    expect(withSourceLines(failed, { hash: 'h', code: 'a', fileName: 'probe-acme.cjs' })).toBe(failed);
  });

  it('are of no concern to a run that ended otherwise', () => {
    const ended: RunOutcome = { ok: false, failure: { kind: 'timeout' }, cpuMs: 0, memoryBytes: 0 };

    expect(withSourceLines(ended, bundle(MAP))).toBe(ended);
  });
});

describe('the place of an error', () => {
  const { failure } = failed;

  it('is the topmost line of its stack that the map knows', () => {
    expect(findSourcePosition(failure, bundle(MAP))).toEqual({ file: 'acme/a.ts', line: 8, column: 5 });
  });

  it('is unknown without a map, and when nothing was thrown', () => {
    expect(findSourcePosition(failure, { hash: 'h', code: 'a', fileName: 'probe-acme.cjs' })).toBeUndefined();
    expect(findSourcePosition({ kind: 'timeout' }, bundle(MAP))).toBeUndefined();
  });
});
