import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { createListener, PortInUseError } from '../../../server/platform/http/listener.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some((one) => one.address === '::1'));

let other: Server;
const listener = createListener((_request, response) => response.end('ours'));
afterEach(async () => {
  await listener.stop(0);
  other.close();
  await once(other, 'close');
});

/** A program that holds a port at one address; returns the port. */
async function hold(host: string): Promise<number> {
  other = createServer();
  other.listen(0, host);
  await once(other, 'listening');
  return (other.address() as AddressInfo).port;
}

describe('the listener', () => {
  it.each(['127.0.0.1', ...(hasIpv6 ? ['::1'] : [])])('does not start when the port of %s is taken', async (host) => {
    const port = await hold(host);

    await expect(listener.start(port)).rejects.toThrow(PortInUseError);

    // Nothing stays open: the port of the other address is free again.
    const rest = host === '::1' ? '127.0.0.1' : '::1';
    if (rest === '::1' && !hasIpv6) return;
    const probe = createServer().listen(port, rest);
    await once(probe, 'listening');
    probe.close();
    await once(probe, 'close');
  });

  it('answers on both addresses', async () => {
    await hold('127.0.0.1');
    const port = await listener.start(0);

    for (const host of ['127.0.0.1', ...(hasIpv6 ? ['[::1]'] : [])])
      expect(await (await fetch(`http://${host}:${port}`)).text()).toBe('ours');
  });
});
