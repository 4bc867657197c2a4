import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger } from '../platform/lib/logger.ts';
import { type FetchMark, LastFetchedWriter } from './connection-credentials.ts';

describe('LastFetchedWriter', () => {
  it('waits at a flush for the write that is in progress, and writes what was marked meanwhile', async () => {
    const clock = new FakeClock();
    const first = Promise.withResolvers<void>();
    const begun: FetchMark[][] = [];
    const written: FetchMark[][] = [];
    const writer = new LastFetchedWriter({
      clock,
      logger: silentLogger,
      write: async (marks) => {
        begun.push(marks);
        if (begun.length === 1) await first.promise;
        written.push(marks);
      },
    });
    writer.mark(1, 10, true);
    await clock.advance(1000);
    expect(begun).toEqual([[[1, 10, 10]]]);
    writer.mark(2, 20, false);

    const seen = writer.flush().then(() => [...written]);
    first.resolve();

    expect(await seen).toEqual([[[1, 10, 10]], [[2, 20, null]]]);
  });

  it('waits for the write in progress when nothing else was marked', async () => {
    const clock = new FakeClock();
    const writing = Promise.withResolvers<void>();
    let isWritten = false;
    const writer = new LastFetchedWriter({
      clock,
      logger: silentLogger,
      write: async () => {
        await writing.promise;
        isWritten = true;
      },
    });
    writer.mark(1, 10, true);
    await clock.advance(1000);

    const seen = writer.flush().then(() => isWritten);
    writing.resolve();

    expect(await seen).toBe(true);
  });

  it('writes later marks after a write has failed', async () => {
    const clock = new FakeClock();
    const written: FetchMark[][] = [];
    const writer = new LastFetchedWriter({
      clock,
      logger: silentLogger,
      write: async (marks) => {
        if (marks[0]?.[0] === 1) throw new Error('The disk is full.');
        written.push(marks);
      },
    });
    writer.mark(1, 10, true);
    await writer.flush();
    writer.mark(2, 20, true);
    await writer.flush();

    expect(written).toEqual([[[2, 20, 20]]]);
  });
});
