// @module-tag slow
import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startInProcess } from './start-in-process.ts';
import { startServer } from './start-server.ts';

async function health(url: string): Promise<unknown> {
  return (await fetch(`${url}/health`)).json();
}

describe('startServer', () => {
  it('starts a server of its own, keeps its address over a restart and leaves nothing behind', async () => {
    const server = await startServer();
    const { url, home, pid } = server;
    expect(await health(url)).toEqual({ result: 'ok' });

    await server.kill();
    await expect(health(url)).rejects.toThrow('fetch failed');
    await server.restart();
    expect(server.url).toBe(url);
    expect(server.pid).not.toBe(pid);
    expect(await health(url)).toEqual({ result: 'ok' });

    await server.stop();
    await expect(health(url)).rejects.toThrow('fetch failed');
    await expect(stat(home)).rejects.toThrow('ENOENT');
  });

  it('fails with what the server says when it cannot start', async () => {
    await expect(startServer({ env: { HOMEPORT_PORT: 'ninety' } })).rejects.toThrow(
      'HOMEPORT_PORT must be a port number',
    );
  });
});

describe('startInProcess', () => {
  it('serves the same from the own process', async () => {
    const server = await startInProcess();

    expect(await health(server.url)).toEqual({ result: 'ok' });

    await server.stop();
    await expect(stat(server.home)).rejects.toThrow('ENOENT');
  });
});
