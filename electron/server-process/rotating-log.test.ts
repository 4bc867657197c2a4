import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RotatingLog } from './rotating-log.ts';

describe('the log of the server', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'homeport-log-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('never uses more than twice its limit while the app runs', async () => {
    const log = new RotatingLog(join(folder, 'logs', 'server.log'), { limitBytes: 1000 });
    for (let line = 0; line < 100; line++) {
      log.write(`line ${line} ${'x'.repeat(80)}\n`);
      // Each chunk is written in its own turn of the event loop, as from a process.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await log.end();

    const files = readdirSync(join(folder, 'logs')).sort();
    expect(files).toEqual(['server.log', 'server.log.old']);
    const sizes = files.map((name) => statSync(join(folder, 'logs', name)).size);
    expect(Math.max(...sizes)).toBeLessThan(1100);
    expect(readFileSync(join(folder, 'logs', 'server.log'), 'utf8')).toContain('line 99');
  });

  it('continues the file of the last start', async () => {
    const file = join(folder, 'server.log');
    writeFileSync(file, 'before\n');
    const log = new RotatingLog(file);
    log.write('after\n');
    await log.end();

    expect(readFileSync(file, 'utf8')).toBe('before\nafter\n');
  });

  it('loses only lines when the disk refuses', async () => {
    writeFileSync(join(folder, 'taken'), '');
    const log = new RotatingLog(join(folder, 'taken', 'server.log'));
    log.write('lost\n');
    await log.end();

    expect(readdirSync(folder)).toEqual(['taken']);
  });
});
