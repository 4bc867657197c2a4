import { describe, expect, it } from 'vitest';
import { AddressGuard } from './address-guard.ts';

const guard = new AddressGuard();

describe('AddressGuard', () => {
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
  ])('takes %s for private', (address) => {
    expect(guard.isPrivate(address)).toBe(true);
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
    expect(guard.isPrivate(address)).toBe(false);
  });

  it('tells loopback from other private addresses', () => {
    expect(
      ['127.0.0.1', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1'].map((address) => guard.isLoopback(address)),
    ).toEqual([true, true, true, true, true]);
    expect(['10.0.0.1', '8.8.8.8', 'fd00::1'].map((address) => guard.isLoopback(address))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'app.localhost', 'metadata.google.internal', '[::1]', '127.0.0.1'])(
    'refuses %s by its name alone',
    (name) => {
      expect(guard.isPrivateName(name)).toBe(true);
    },
  );

  it('leaves other names to the look-up', () => {
    expect(guard.isPrivateName('api.acme.test')).toBe(false);
  });
});
