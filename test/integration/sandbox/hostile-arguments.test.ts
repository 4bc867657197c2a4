// @module-tag slow
import { afterEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { HostMethod } from '../../../functions/runtime/bridge.ts';
import { HOST_METHODS } from '../../../functions/runtime/host-methods.ts';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { CYCLE, DEEP, GRAPH, HOSTILE_VALUES } from './hostile-tables.ts';
import { actionCode, createSandbox, type HostScript, outputOf, runCode, startSandbox } from './sandbox-fixture.ts';

/** A guest without a runtime: the bundle sends arbitrary messages with `require(kind, ...)`. */
const FORGING_GUEST = `globalThis.__homeport_boot = (send) => (kind, factory) => {
  if (kind === 'start') factory({}, (...message) => send(...message), {}, '', '');
};`;

/** Values for the other arguments, so that the call is valid but for one. */
const ORDINARY: unknown[] = ['text', 1, true, {}, [], null, { name: 'a', variant: 'b' }, [{ name: 'a', variant: 'b' }]];

/** What the hub does at least with the arguments of a call. */
const HOST = Object.fromEntries(
  Object.keys(HOST_METHODS).map((method) => [method, (args: unknown) => void JSON.stringify(args)]),
) as HostScript;
const METHODS = Object.keys(HOST_METHODS) as HostMethod[];
const AT_ONCE = 8;
/** An ordinary run beside the hostile ones; a busy machine needs a part of it. */
const LONGEST_CALL_MS = 10_000;
/** Processor time, because other programs may keep the machine busy. */
const LONGEST_TURN_MS = 1_000;

function argumentsOf(method: HostMethod): string[] {
  return Object.keys(HOST_METHODS[method].args.shape);
}

/** Code of the arguments: the named ones are `value`, the others ordinary. */
function argumentCode(method: HostMethod, hostile: readonly string[]): string {
  const shape = HOST_METHODS[method].args.shape as Record<string, z.ZodType>;
  const members = Object.entries(shape).map(([name, schema]) => {
    const ordinary = ORDINARY.find((candidate) => schema.safeParse(candidate).success);
    return `${name}: ${hostile.includes(name) ? 'value' : JSON.stringify(ordinary)}`;
  });
  return `{ ${members.join(', ')} }`;
}

let sandbox: Sandbox;
afterEach(() => sandbox.stop());

/** Measures the longest turn of this thread's event loop, in processor time. */
function watchTurns(): { finish: () => number } {
  const usedMs = (): number => {
    const { system, user } = process.threadCpuUsage();
    return (system + user) / 1_000;
  };
  let before = usedMs();
  let longestMs = 0;
  const look = (): void => {
    const now = usedMs();
    longestMs = Math.max(longestMs, now - before);
    before = now;
  };
  const timer = setInterval(look, 10);
  return {
    finish: () => {
      clearInterval(timer);
      look();
      return longestMs;
    },
  };
}

/** Runs all of the code, a few at a time; ordinary runs meanwhile must be answered. */
async function runBesideOrdinary(codes: string[], ordinary: () => Promise<unknown>): Promise<void> {
  const turns = watchTurns();
  let isOver = false;
  let slowestMs = 0;
  const watching = (async () => {
    while (!isOver) {
      const askedAt = performance.now();
      await ordinary();
      slowestMs = Math.max(slowestMs, performance.now() - askedAt);
    }
  })();
  const waiting = [...codes];
  const runSome = async () => {
    for (let code = waiting.pop(); code; code = waiting.pop()) {
      const { outcome } = await runCode(sandbox, code, { host: HOST, limits: { timeoutMs: 1_000 } });
      expect(['ok', 'thrown', 'timeout', 'memory']).toContain(outcome.ok ? 'ok' : outcome.failure.kind);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runSome));
  isOver = true;
  await watching;
  expect(slowestMs).toBeLessThan(LONGEST_CALL_MS);
  expect(turns.finish()).toBeLessThan(LONGEST_TURN_MS);
  expect(sandbox.stats()).toMatchObject({ workersLost: 0, queued: 0 });
}

describe('a function that sends the hub what it likes', () => {
  const methods = named(METHODS);
  nightlyEach(methods, 24)('stops no other run by any argument of %s', async (method) => {
    sandbox = await createSandbox({ guestCode: FORGING_GUEST });
    await sandbox.start();
    const done = `require('done', { ok: true, text: '1' })`;
    const call = (hostile: string[], value: string) =>
      `try { const value = ${value}; require('call', 1, '${method}', ${argumentCode(method, hostile)}) } catch {} ${done}`;
    const all = argumentsOf(method);
    const codes = all.length === 0 ? [] : Object.values(HOSTILE_VALUES).map((value) => call(all, value));
    for (const name of all) for (const value of [GRAPH, DEEP, CYCLE]) codes.push(call([name], value));

    await runBesideOrdinary(codes, async () => {
      expect((await runCode(sandbox, done)).outcome).toMatchObject({ ok: true, output: '1' });
    });
  });

  nightlyEach(Object.entries(HOSTILE_VALUES), 4)(
    'stops no other run by an answer, an error or a log line with a %s',
    async (value) => {
      sandbox = await createSandbox({ guestCode: FORGING_GUEST });
      await sandbox.start();
      const done = `require('done', { ok: true, text: '1' })`;
      const messages = [
        `require('done', ${value})`,
        `require('done', { ok: true, text: ${value} })`,
        `require('done', { ok: false, error: ${value} })`,
        `require('done', { ok: false, error: { name: 'x', message: 'x', payload: ${value} } })`,
        `require('done', { ok: false, error: { name: 'x', message: 'x', payload: { deeper: [${value}] } } })`,
        `require('done', { ok: false, error: { name: 'x', message: 'x', response: { status: 1, statusText: 'x', headers: ${value}, body: 'x' } } })`,
        `require('done', { ok: false, error: { name: 'x', message: 'x', config: { method: 'x', url: 'x', headers: { a: ${value} } } } })`,
        `require('logs', 1, ${value})`,
        `require('logs', 1, [{ level: 'info', message: 'x', at: 1, meta: ${value}, more: ${value} }])`,
        `require('timer', ${value}, 1)`,
        `require('call', ${value}, 'connection.get', {})`,
        `require('call', 1, ${value}, ${value})`,
        `require(${value})`,
      ].map((message) => `try { ${message} } catch {} ${done}`);

      await runBesideOrdinary(messages, async () => {
        expect((await runCode(sandbox, done)).outcome).toMatchObject({ ok: true, output: '1' });
      });
    },
  );

  it('stops no other run by a checkpoint that hides a graph', { tags: ['main-path'] }, async () => {
    sandbox = await startSandbox();
    const trap = actionCode(`
      class Node { constructor(inner) { this.l = inner; this.r = inner; } toJSON() { return 1; } }
      let graph = 1;
      for (let n = 0; n < 60; n++) graph = new Node(graph);
      globalThis.ArrayBuffer = { [Symbol.hasInstance]: () => true };
      const map = Array.prototype.map;
      Array.prototype.map = function (change) {
        return this.length === 1 && this[0][0] === 'trap' ? [['trap', graph]] : map.call(this, change);
      };
      await nango.saveCheckpoint({ trap: 1 });`);

    await runBesideOrdinary(Array(AT_ONCE).fill(trap), async () => {
      expect(await outputOf(sandbox, 'return 2')).toBe(2);
    });
  });

  nightlyEach(Object.entries(HOSTILE_VALUES), 4)('stops no other run by a clone or a hash of a %s', async (value) => {
    sandbox = await startSandbox();
    const codes = [
      'structuredClone(value)',
      `require('crypto').createHash('sha256').update(value)`,
      'new URL(value)',
    ].map((use) => actionCode(`try { const value = ${value}; ${use}; } catch {} return 1`));

    await runBesideOrdinary(codes, async () => {
      expect(await outputOf(sandbox, 'return 2')).toBe(2);
    });
  });
});
