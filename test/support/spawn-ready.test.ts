import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spawnReady } from './spawn-ready.ts';
import { createTempHome, type TempHome } from './temp-home.ts';

let home: TempHome;
beforeEach(async () => {
  home = await createTempHome();
});
afterEach(() => home.remove());

async function entry(source: string): Promise<string> {
  const path = join(home.path, 'entry.mjs');
  await writeFile(path, source);
  return path;
}

describe('spawnReady', () => {
  it('gives the groups of the ready line and ends the child', async () => {
    const path = await entry(`console.log('noise'); console.log('ready at 42'); setInterval(() => {}, 1000);`);

    const started = await spawnReady({ entry: path, readyLine: /^ready at (\d+)/ });
    await started.end('SIGTERM');

    expect(started.ready[1]).toBe('42');
    expect(started.child.signalCode).toBe('SIGTERM');
  });

  it('fails with the stderr of a child that ends too early', async () => {
    const path = await entry(`console.error('the disk is full'); process.exitCode = 78;`);

    await expect(spawnReady({ entry: path, readyLine: /ready/ })).rejects.toThrow(/code 78\)\n.*the disk is full/s);
  });

  it('gives up on a child that never gets ready', async () => {
    const path = await entry('setInterval(() => {}, 1000);');

    await expect(spawnReady({ entry: path, readyLine: /ready/, limitMs: 300 })).rejects.toThrow(
      'not ready within 300 ms',
    );
  });

  it('reports a child that ignores SIGTERM', async () => {
    const path = await entry(`process.on('SIGTERM', () => {}); console.log('ready'); setInterval(() => {}, 1000);`);
    const started = await spawnReady({ entry: path, readyLine: /ready/ });

    await expect(started.end('SIGTERM', 300)).rejects.toThrow('did not end within 300 ms');
    expect(started.child.signalCode).toBe('SIGKILL');
  });

  it("does not pass on the developer's own settings", async () => {
    process.env['HOMEPORT_PORT'] = '1';
    const path = await entry(`console.log('port ' + process.env.HOMEPORT_PORT); setInterval(() => {}, 1000);`);
    try {
      const started = await spawnReady({ entry: path, readyLine: /^port (.*)$/ });
      await started.end('SIGKILL');
      expect(started.ready[1]).toBe('undefined');
    } finally {
      delete process.env['HOMEPORT_PORT'];
    }
  });
});
