import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HostMethod } from '../../../functions/runtime/bridge.ts';
import { HOST_METHODS } from '../../../functions/runtime/host-methods.ts';
import { InvalidMessageError } from './guest-messages.ts';
import { readArguments, readWorkerMessage } from './worker-messages.ts';

const METHODS = Object.keys(HOST_METHODS) as HostMethod[];

/** The value, or undefined for a InvalidMessageError; any other error fails the test. */
function readOr<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidMessageError);
    return undefined;
  }
}

const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true });
/** Mostly valid values, so that every check is reached. */
const orAnything = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: right as fc.Arbitrary<unknown> }, anything);
const text = orAnything(fc.string());
const entry = orAnything(
  fc.record(
    {
      level: orAnything(fc.constantFrom('info', 'error')),
      message: text,
      meta: text,
      at: orAnything(fc.nat()),
      source: text,
    },
    { requiredKeys: ['level', 'message', 'at'] },
  ),
);
const error = orAnything(
  fc.record(
    { name: text, message: text, stack: text, payload: anything, thrown: text, response: anything, config: anything },
    { requiredKeys: ['name', 'message'] },
  ),
);
const outcome = orAnything(
  fc.record({
    ok: fc.boolean(),
    output: text,
    cpuMs: orAnything(fc.nat()),
    memoryBytes: orAnything(fc.nat()),
    failure: orAnything(fc.record({ kind: orAnything(fc.constantFrom('thrown', 'timeout', 'worker_lost')), error })),
  }),
);
const message = fc.record(
  {
    kind: orAnything(fc.constantFrom('ready', 'retire', 'alive', 'call', 'logs', 'done')),
    run: orAnything(fc.nat()),
    call: orAnything(fc.nat()),
    method: orAnything(fc.constantFrom<string>(...METHODS, '__proto__', 'toString')),
    args: anything,
    entries: orAnything(fc.array(entry)),
    outcome,
  },
  { requiredKeys: ['kind'] },
);

describe('messages of a worker', () => {
  it('are read into what the server expects, or refused: nothing else is thrown', () => {
    fc.assert(
      fc.property(fc.oneof(message, anything), (raw) => {
        const read = readOr(() => readWorkerMessage(raw));
        if (read?.kind === 'logs') {
          for (const line of read.entries) {
            expect(typeof line.message).toBe('string');
            expect(Number.isNaN(new Date(line.at).getTime())).toBe(false);
          }
        }
        if (read?.kind === 'done') expect(() => JSON.stringify(read.outcome)).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(METHODS)('have arguments of %s that fit, or are refused', (method) => {
    fc.assert(
      fc.property(
        fc.oneof(anything, fc.dictionary(fc.constantFrom('model', 'records', 'ids', 'url'), anything)),
        (args) => {
          readOr(() => readArguments(method, args));
        },
      ),
    );
  });

  it.each<[HostMethod, unknown, string]>([
    ['metadata.set', { metadata: 'x' }, 'metadata.set: metadata: expected an object'],
    ['metadata.update', { metadata: [1] }, 'metadata.update: metadata: expected an object'],
    ['metadata.set', { metadata: new Map() }, 'metadata.set: metadata: expected an object'],
    ['records.list', { model: 'M', limit: 1e9 }, 'records.list: limit'],
    ['records.list', { model: 'M', limit: 0.5 }, 'records.list: limit'],
    ['records.getByIds', { model: 'M', ids: Array(101).fill('a') }, 'records.getByIds: ids: expected a list'],
    ['records.save', { model: 'M', records: [{ id: '1', json: {} }] }, 'records.save: records: expected a list'],
    ['records.save', { model: 'M', records: Array(1) }, 'records.save: records: expected a list'],
    ['records.delete', { model: 'M', ids: Array(1001).fill('a') }, 'records.delete: ids: expected a list'],
    ['http.uncontrolledFetch', { url: { href: 'https://x' }, method: 'GET', headers: {}, body: null }, 'url'],
    ['http.request', { method: 'GET', endpoint: '/', expect: 'text', headers: { a: 1 } }, 'headers: expected texts'],
    ['lock.acquire', { key: 'k', ttlMs: Number.POSITIVE_INFINITY }, 'ttlMs'],
    ['checkpoint.save', { checkpoint: null }, 'checkpoint: expected an object'],
  ])('of %s refuse %j', (method, args, reason) => {
    expect(() => readArguments(method, args)).toThrow(reason);
  });

  it('lose the arguments that a method does not know', () => {
    const args = {
      method: 'GET',
      endpoint: '/',
      expect: 'text',
      target: { connectionId: 'another' },
      tls: { key: 'x' },
    };

    expect(readArguments('http.request', args)).toEqual({ method: 'GET', endpoint: '/', expect: 'text' });
  });

  it('have errors of a size that costs no time to pass on', () => {
    const huge = 'x'.repeat(10_000_000);
    const raw = {
      kind: 'done',
      run: 1,
      outcome: {
        ok: false,
        cpuMs: 0,
        memoryBytes: 0,
        failure: {
          kind: 'thrown',
          error: {
            name: huge,
            message: huge,
            stack: huge,
            thrown: huge,
            payload: { a: huge },
            response: { status: 400, statusText: huge, headers: { a: huge }, body: huge },
          },
        },
      },
    };

    expect(JSON.stringify(readWorkerMessage(raw)).length).toBeLessThan(500_000);
  });
});
