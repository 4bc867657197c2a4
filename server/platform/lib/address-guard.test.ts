import { describe, expect, it } from 'vitest';
import { isLoopbackHost, isLoopbackIp, isPrivateHost, isPrivateIp } from './address-guard.ts';

describe('the guard of addresses', () => {
  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::a00:1',
    '::127.0.0.1',
    '::7f00:1',
    'fe80::1%eth0',
    // Kinds that carry an IPv4 address: NAT64 with a network's own prefix, translated, 6to4, Teredo.
    '64:ff9b:1::a00:1',
    '::ffff:0:10.0.0.1',
    '2002:a00:1::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    // Ranges for documentation, measurements, relays and routing inside a network.
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
    '100::1',
    // Not allocated.
    '4000::1',
  ])('takes %s for private', (address) => {
    expect(isPrivateIp(address)).toBe(true);
  });

  it.each([
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '169.253.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('takes %s for public', (address) => {
    expect(isPrivateIp(address)).toBe(false);
  });

  it('distinguishes loopback from other private addresses', () => {
    expect(['127.0.0.1', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1'].map((address) => isLoopbackIp(address))).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(['10.0.0.1', '8.8.8.8', 'fd00::1'].map((address) => isLoopbackIp(address))).toEqual([false, false, false]);
  });

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'app.localhost', 'metadata.google.internal', '[::1]', '127.0.0.1'])(
    'refuses %s by its name alone',
    (name) => {
      expect(isPrivateHost(name)).toBe(true);
    },
  );

  it.each(['localhost.', 'app.localhost', '[::1]', '[::ffff:7f00:1]', '127.0.0.1', '0.0.0.0'])(
    'knows %s as this computer',
    (name) => {
      expect(isLoopbackHost(name)).toBe(true);
    },
  );

  it('knows no other name as this computer', () => {
    expect(['10.0.0.1', 'api.acme.test', 'localhost.acme.test'].map(isLoopbackHost)).toEqual([false, false, false]);
  });

  it('leaves other names to the look-up', () => {
    expect(isPrivateHost('api.acme.test')).toBe(false);
  });
});
