// @module-tag slow
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { FOUND } from './found.ts';
import { MENDS } from './mends.ts';
import { PUSH } from './push.ts';

const ENTRY = fileURLToPath(new URL('./simulate.ts', import.meta.url));
const SEEDS = Number(process.env['HOMEPORT_SIMULATION_SEEDS'] ?? 200);

/** The runs begin with the same data folder. */
const folder = mkdtempSync(join(tmpdir(), 'homeport-simulation-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A process of its own: it replaces parts of Node. */
function simulate(...options: string[]): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [ENTRY, '--first', join(folder, 'first'), ...options], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output }));
  });
}

/** The output of each part of a push, and the status of the whole. They are played once for all tests. */
function playPush(): Promise<Record<keyof typeof PUSH, string> & { status: number | null }> {
  push ??= simulate('--push').then(({ status, output }) => {
    console.log(output);
    const [, months = '', faults = '', weeks = ''] = output.split(/^== .*$/m);
    return { status, months, weeks, faults };
  });
  return push;
}
let push: ReturnType<typeof playPush> | undefined;

describe('the hub under simulation', () => {
  it(`keeps its promises in ${PUSH.months} months, which happen the same way twice`, {
    tags: ['main-path'],
  }, async () => {
    const { months } = await playPush();

    expect(months).not.toContain('BROKEN');
    expect(months).toContain(`${PUSH.months} histories from seed 1: 0 failed`);
  });

  it(`keeps them in ${2 * PUSH.weeks} weeks, and in each history that broke one`, {
    tags: ['main-path'],
  }, async () => {
    const { weeks } = await playPush();

    expect(weeks).not.toContain('BROKEN');
    // The histories of `found.ts` come first, with seeds of their own.
    expect(weeks).toMatch(new RegExp(`^${PUSH.weeks + FOUND.length} histories from seed \\d+: 0 failed`, 'm'));
    expect(weeks).toMatch(new RegExp(`^${PUSH.weeks} histories from seed \\d{10}: 0 failed`, 'm'));
  });

  it(`answers with success only when the effect is there, in ${PUSH.faults} of all calls that may fail`, {
    tags: ['main-path'],
  }, async () => {
    const { faults, status } = await playPush();

    expect(faults).toContain(`${PUSH.faults} faults chosen by seed 1: 0 broken`);
    expect(status).toBe(0);
  });

  // Played first without the timers of the simulator: a connection that undici closed meanwhile made it another one.
  it('is the same history when real time goes by in its middle', async () => {
    const { status, output } = await simulate('--from', '7', '--seeds', '1', '--twice', '--pauses');

    expect({ status, output }).toEqual({
      status: 0,
      output: expect.stringContaining('1 histories from seed 7: 0 failed'),
    });
  });

  it(`keeps its promises in the histories of ${SEEDS} new seeds`, { tags: ['nightly'] }, async () => {
    const from = 1_000_000 + (Date.now() % 1_000_000_000);
    const { status, output } = await simulate('--from', String(from), '--seeds', String(SEEDS));

    // A failed seed prints its number and its shortened history.
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining(': 0 failed') });
  });

  it('answers with success only when the effect is there, whichever call fails', { tags: ['nightly'] }, async () => {
    // The whole in nightly.yml, in parts; here other calls each night.
    const from = String(Date.now() % 1_000_000_000);
    const { status, output } = await simulate('--faults', '--sample', '200', '--from', from);

    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining(': 0 broken') });
  });

  it.each(Object.keys(MENDS))('finds the fault that is back without %s', { tags: ['nightly'] }, async (name) => {
    const { status, output } = await simulate('--without', name, '--seeds', '200');

    expect(output).toContain('BROKEN');
    expect(status).toBe(1);
  });
});
