import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { IdleMemory } from './idle-memory.ts';

const MB = 1024 * 1024;

let clock: FakeClock;
let program: { cpuMs: number; bytes: number; garbage: number; collections: number };
beforeEach(() => {
  clock = new FakeClock();
  program = { cpuMs: 0, bytes: 100 * MB, garbage: 0, collections: 0 };
  new IdleMemory({
    clock,
    cpuMs: () => program.cpuMs,
    residentBytes: () => program.bytes + program.garbage,
    collect: () => {
      program.collections += 1;
      program.garbage = 0;
    },
  }).start();
});

async function work(seconds: number, garbage: number): Promise<void> {
  program.garbage += garbage;
  for (let second = 0; second < seconds; second += 1) {
    program.cpuMs += 800;
    await clock.advance(1000);
  }
}

describe('IdleMemory', () => {
  it('collects within ten seconds after work, and not while it goes on', async () => {
    await work(20, 200 * MB);
    expect(program.collections).toBe(0);

    await clock.advance(9000);

    expect(program).toMatchObject({ collections: 1, garbage: 0 });
  });

  it('collects what the start left', async () => {
    program.garbage = 20 * MB;

    await clock.advance(9000);

    expect(program).toMatchObject({ collections: 1, garbage: 0 });
  });

  it('collects again only for what came since', async () => {
    await work(3, 200 * MB);
    program.bytes += 150 * MB;
    await clock.advance(60_000);
    expect(program.collections).toBe(1);

    await work(3, 40 * MB);
    await clock.advance(60_000);
    expect(program.collections).toBe(2);
  });

  it('leaves a program alone that did little', async () => {
    await clock.advance(9000);
    program.garbage = 20 * MB;
    await clock.advance(600_000);

    expect(program).toMatchObject({ collections: 1, garbage: 20 * MB });
  });
});
