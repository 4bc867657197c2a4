import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { silentLogger } from '../../platform/lib/logger.ts';
import type { SendOutcome } from './collector-client.ts';
import { MAX_SPANS, SEND_EVERY_MS, SpanExporter, SpanQueue } from './telemetry.service.ts';

describe('SpanQueue', () => {
  it('gives the oldest first', () => {
    const queue = new SpanQueue(100);
    for (const span of ['a', 'b', 'c']) queue.push(span);

    expect(queue.take(2)).toEqual(['a', 'b']);
    expect(queue.size).toBe(1);
    expect(queue.take(2)).toEqual(['c']);
  });

  it('drops the oldest when its bytes do not suffice, and says how many', () => {
    const queue = new SpanQueue(10);
    expect(queue.push('12345')).toBe(0);
    expect(queue.push('12345')).toBe(0);

    expect(queue.push('6789')).toBe(1);
    expect(queue.push('ééé')).toBe(1);
    expect(queue.take(9)).toEqual(['6789', 'ééé']);
  });

  it('takes back what could not be sent, before what came meanwhile', () => {
    const queue = new SpanQueue(6);
    queue.push('aa');
    queue.push('bb');
    const taken = queue.take(2);
    queue.push('cc');
    queue.push('dd');

    expect(queue.putBack(taken)).toBe(1);
    expect(queue.take(9)).toEqual(['bb', 'cc', 'dd']);
    expect(queue.push('123456')).toBe(0);
  });

  it('does not keep a span that is larger than itself', () => {
    const queue = new SpanQueue(3);
    expect(queue.push('1234')).toBe(1);
    expect(queue.size).toBe(0);
  });
});

const TAKEN: SendOutcome = { kind: 'accepted', status: 200, rejected: 0 };
const BUSY: SendOutcome = { kind: 'later', status: 503, message: 'The collector answered 503.' };

function setUp(maxBytes?: number) {
  const clock = new FakeClock();
  const sent: string[][] = [];
  const responses: Array<SendOutcome | undefined | Error> = [];
  const exporter = new SpanExporter({
    send: async (spans) => {
      sent.push([...spans]);
      const response = responses.length > 0 ? responses.shift() : TAKEN;
      if (response instanceof Error) throw response;
      return response;
    },
    clock,
    logger: silentLogger,
    environment: 'dev',
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const add = (count: number, from = 0): void => {
    for (let index = from; index < from + count; index += 1) exporter.add(`s${index}`);
  };
  return { add, answers: responses, clock, exporter, sent };
}

describe('SpanExporter', () => {
  it('sends what came in five seconds as one request, and nothing without spans', async () => {
    const { add, clock, exporter, sent } = setUp();
    add(2);
    await clock.advance(SEND_EVERY_MS - 1);
    expect(sent).toEqual([]);

    await clock.advance(1);
    expect(sent).toEqual([['s0', 's1']]);
    expect(exporter.state).toMatchObject({ sent: 2, waiting: 0, lastExport: { at: clock.now(), spans: 2 } });
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends a full request at once', async () => {
    const { add, clock, sent } = setUp();
    add(MAX_SPANS + 1);
    await clock.advance(0);

    expect(sent.map((batch) => batch.length)).toEqual([MAX_SPANS]);
    await clock.advance(SEND_EVERY_MS);
    expect(sent.map((batch) => batch.length)).toEqual([MAX_SPANS, 1]);
  });

  it('tries the same spans again, each time later, and in a minute at the latest', async () => {
    const { add, answers: responses, clock, exporter, sent } = setUp();
    responses.push(...Array.from({ length: 8 }, () => BUSY));
    add(1);
    await clock.advance(SEND_EVERY_MS);
    const waits: number[] = [];
    for (let count = 2; count <= 9; count += 1) {
      const since = clock.now();
      while (sent.length < count) await clock.advance(500);
      waits.push((clock.now() - since) / 1000);
    }

    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(new Set(sent.flat())).toEqual(new Set(['s0']));
    expect(exporter.state).toMatchObject({ sent: 1, dropped: 0, waiting: 0, problem: null });
  });

  it('waits as long as the collector asks, also with a full request', async () => {
    const { add, answers: responses, clock, exporter, sent } = setUp();
    responses.push({ ...BUSY, waitMs: 30_000 });
    add(1);
    await clock.advance(SEND_EVERY_MS);
    expect(exporter.state.problem).toMatchObject({ message: BUSY.message, retryAt: clock.now() + 30_000 });

    add(MAX_SPANS, 1);
    await clock.advance(29_999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    expect(sent.map((batch) => batch.length)).toEqual([1, MAX_SPANS, 1]);
  });

  it('sends at once when it is woken', async () => {
    const { add, answers: responses, clock, exporter, sent } = setUp();
    responses.push({ ...BUSY, waitMs: 3_600_000 });
    add(1);
    await clock.advance(SEND_EVERY_MS);
    exporter.wake();
    await clock.advance(0);

    expect(sent).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('drops the oldest spans of a collector that does not answer, and counts them', async () => {
    const { add, answers: responses, clock, exporter, sent } = setUp(20);
    responses.push(BUSY);
    add(10);
    await clock.advance(SEND_EVERY_MS);
    for (const span of ['t0', 't1', 't2']) exporter.add(span);
    expect(exporter.state).toMatchObject({ dropped: 3, waiting: 10 });

    await clock.advance(1000);
    expect(sent[1]).toEqual(['s3', 's4', 's5', 's6', 's7', 's8', 's9', 't0', 't1', 't2']);
    expect(exporter.state).toMatchObject({ sent: 10, dropped: 3, waiting: 0 });
  });

  it('counts what the collector refuses as dropped and sends the next ones', async () => {
    const { add, answers: responses, clock, exporter } = setUp();
    responses.push({ kind: 'refused', status: 401, message: 'The collector answered 401 Unauthorized.' });
    add(2);
    await clock.advance(SEND_EVERY_MS);
    expect(exporter.state).toMatchObject({ dropped: 2, waiting: 0, problem: { retryAt: null } });

    responses.push({ kind: 'accepted', status: 200, rejected: 1, message: 'The collector refused 1 span.' });
    add(3);
    await clock.advance(SEND_EVERY_MS);
    expect(exporter.state).toMatchObject({
      ...{ sent: 2, dropped: 3, lastExport: { spans: 2 } },
      problem: { message: 'The collector refused 1 span.' },
    });
  });

  it('outlives a failure of its own', async () => {
    const { add, answers: responses, clock, exporter } = setUp();
    responses.push(new Error('broken'));
    add(1);
    await clock.advance(SEND_EVERY_MS);
    expect(exporter.state).toMatchObject({ dropped: 1, problem: { retryAt: null } });

    add(1);
    await clock.advance(SEND_EVERY_MS);
    expect(exporter.state).toMatchObject({ sent: 1, problem: null });
  });

  it('drops waiting spans when the collector was removed', async () => {
    const { add, answers: responses, clock, exporter } = setUp();
    responses.push(undefined);
    add(3);
    await clock.advance(SEND_EVERY_MS);

    expect(exporter.state).toMatchObject({ sent: 0, dropped: 0, waiting: 0, problem: null });
  });

  it('sends the rest when it stops', async () => {
    const { add, clock, exporter, sent } = setUp();
    add(MAX_SPANS - 1);
    await exporter.stop(2000);

    expect(sent).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('stops in time although the collector does not answer', async () => {
    const clock = new FakeClock();
    const exporter = new SpanExporter({
      send: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ kind: 'later', message: 'The request was cancelled.' }));
        }),
      clock,
      logger: silentLogger,
      environment: 'dev',
    });
    exporter.add('s0');
    await clock.advance(SEND_EVERY_MS);
    let isStopped = false;
    const stopped = exporter.stop(2000).then(() => {
      isStopped = true;
    });
    await clock.advance(1999);
    expect(isStopped).toBe(false);

    await clock.advance(1);
    await stopped;
    expect(clock.pendingTimers).toBe(0);
  });
});
