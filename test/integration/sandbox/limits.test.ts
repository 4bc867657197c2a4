import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { residentMegabytes } from '../../bench/process-memory.ts';
import { actionCode, outputOf, runCode, startSandbox } from './sandbox-fixture.ts';

describe('limits of a run', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());

  const failureOf = async (body: string, options: Parameters<typeof runCode>[2] = {}) => {
    const { outcome } = await runCode(sandbox, actionCode(body), options);
    return outcome.ok ? undefined : outcome.failure;
  };
  const slow = { limits: { timeoutMs: 300 } };
  const host = { 'environment.variables': () => [] };

  it('ends a loop that never waits', async () => {
    expect(await failureOf('for (;;) {}', slow)).toEqual({ kind: 'timeout' });
  });

  it('ends a loop that begins after an answer of the host', async () => {
    const body = 'await nango.getEnvironmentVariables(); for (;;) {}';

    expect(await failureOf(body, { ...slow, host })).toEqual({ kind: 'timeout' });
  });

  it('ends a loop that begins in a timer', async () => {
    const body = 'setTimeout(() => { for (;;) {} }, 1); await new Promise(() => {});';

    expect(await failureOf(body, slow)).toEqual({ kind: 'timeout' });
  });

  it('ends a promise that never settles', async () => {
    expect(await failureOf('await new Promise(() => {});', slow)).toEqual({ kind: 'timeout' });
  });

  it('ends an endless chain of microtasks', async () => {
    const body = 'const next = () => Promise.resolve().then(next); next(); await new Promise(() => {});';

    expect(await failureOf(body, slow)).toEqual({ kind: 'timeout' });
  });

  it('ends a regular expression without end', async () => {
    expect(await failureOf('return /^(a*)*b/.test("a".repeat(40));', slow)).toEqual({ kind: 'timeout' });
  });

  it('ends a loop at load time', async () => {
    const { outcome } = await runCode(sandbox, 'for (;;) {}', slow);

    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'timeout' } });
  });

  it('ends a slow leak at its memory limit', async () => {
    expect(await failureOf('const all = []; for (;;) all.push({ x: [1, 2, 3] });')).toEqual({ kind: 'memory' });
  });

  it('ends a leak that waits between its steps', async () => {
    const body =
      'const all = []; for (;;) { await nango.getEnvironmentVariables(); all.push(new Array(1e6).fill(0.5)); }';

    expect(await failureOf(body, { host })).toEqual({ kind: 'memory' });
  });

  it('refuses one huge buffer inside the function', async () => {
    expect(await outputOf(sandbox, 'try { new ArrayBuffer(2 ** 33) } catch (e) { return e.name }')).toBe('RangeError');
  });

  it('continues with the next run after every kind of death', async () => {
    expect(await outputOf(sandbox, 'return 1')).toBe(1);
    expect(sandbox.stats().workersLost).toBe(0);
  });

  it('reports an action output over 2 MB as thrown, and one over the transport limit as too large', async () => {
    const failure = await failureOf('return "x".repeat(2097151);');
    const over = await failureOf('return "x".repeat(1000);', { limits: { outputBytes: 1000 } });

    expect(failure).toMatchObject({
      kind: 'thrown',
      error: { name: 'Error', message: expect.stringContaining('2097153') },
    });
    expect(over).toEqual({ kind: 'output_too_large', bytes: 1002 });
    expect(await outputOf(sandbox, 'return "x".repeat(2097150);')).toHaveLength(2_097_150);
  });

  it('refuses a message to the host and an answer of it that are too large', async () => {
    const body =
      'try { await nango.post({ endpoint: "/x", data: "y".repeat(input.size) }) } catch (e) { return e.code }';
    const response = { status: 200, statusText: 'OK', headers: {}, body: 'z'.repeat(3000), config: {} };
    const options = { limits: { messageBytes: 2000 }, host: { 'http.request': () => response } };

    expect(await outputOf(sandbox, body, { ...options, input: { size: 2500 } })).toBe('message_too_large');
    expect(await outputOf(sandbox, body, { ...options, input: { size: 1 } })).toBe('message_too_large');
  });

  it.each([
    ['structuredClone("x".repeat(17e6))', 'structuredClone'],
    ['structuredClone(new Map([[1, "x".repeat(17e6)]]))', 'structuredClone'],
    ['require("crypto").createHash("sha256").update(Buffer.alloc(17e6)).digest()', 'createHash'],
    ['require("crypto").createHmac("sha256", Buffer.alloc(17e6)).update("x").digest()', 'createHmac'],
  ])('refuses over 16 MB in %s', async (call, name) => {
    const body = `try { ${call} } catch (e) { return [e.name, e.message] }`;

    const output = await outputOf(sandbox, body, { limits: { memoryMb: 256 } });

    expect(output).toEqual(['RangeError', `${name}: more than 16777216 bytes (16 MB), 1000000 members or 2000 levels`]);
  });

  it('clones values that refer to themselves', async () => {
    const body =
      'const a = { list: [1] }; a.self = a; const b = structuredClone(a); return [b !== a, b.self === b, b.list]';

    expect(await outputOf(sandbox, body)).toEqual([true, true, [1]]);
  });

  it('ends a run that sets timers without end, and one that clears them at once, without taking memory', {
    tags: ['nightly'],
  }, async () => {
    const megabytes = async () => (await residentMegabytes(sandbox.stats().workers[0]?.pid as number)) ?? 0;
    const before = await megabytes();
    const options = { limits: { timeoutMs: 3000 } };

    const all = 'for (;;) try { setTimeout(() => {}, 1e9) } catch {}';
    expect(await failureOf(all, options)).toEqual({ kind: 'timeout' });
    expect(await failureOf('for (;;) clearTimeout(setTimeout(() => {}, 1e9))', options)).toEqual({ kind: 'timeout' });

    expect((await megabytes()) - before).toBeLessThan(300);
  });

  it('drops log lines of a flood with one line that says so', async () => {
    const body =
      'for (let n = 0; n < 40; n++) { for (let m = 0; m < 1000; m++) nango.log("x"); await nango.log("y"); await nango.getEnvironmentVariables(); }';
    const { logs } = await runCode(sandbox, actionCode(body), { host });

    const said = logs.filter(({ message }) => message.startsWith('Further log lines were dropped'));
    expect(said).toHaveLength(1);
    expect(logs.length).toBeLessThan(20_000);
  });

  it('measures processor time and memory', async () => {
    const code = actionCode('let n = 0; for (let i = 0; i < 3e7; i++) n += i; return n');
    const { outcome } = await runCode(sandbox, code, { measuresMemory: true });

    expect(outcome.cpuMs).toBeGreaterThan(5);
    expect(outcome.memoryBytes).toBeGreaterThan(1_000_000);
  });

  it('drops the timers that are left when a run ends', async () => {
    const body = 'setTimeout(() => nango.log("late"), 50); return 1;';
    const { logs } = await runCode(sandbox, actionCode(body));
    const later = await runCode(sandbox, actionCode('await new Promise((done) => setTimeout(done, 100)); return 1;'));

    expect([logs, later.logs]).toEqual([[], []]);
  });
});

describe('processor time in one piece', () => {
  it('is limited although the run itself may last for hours', async () => {
    const sandbox = await startSandbox({ sliceMs: 300 });
    const body = 'await nango.getEnvironmentVariables(); for (;;) {}';
    const options = { limits: { timeoutMs: 3_600_000 }, host: { 'environment.variables': () => [] } };

    const { outcome } = await runCode(sandbox, actionCode(body), options);
    await sandbox.stop();

    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'timeout' } });
  });
});
