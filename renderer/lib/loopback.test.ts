import { describe, expect, it } from 'vitest';
import { isLoopback, isSameOrigin } from './loopback.ts';

describe('isSameOrigin', () => {
  it('takes the names of this computer for one', () => {
    expect(isSameOrigin('http://localhost:3003', 'http://127.0.0.1:3003')).toBe(true);
    expect(isSameOrigin('http://[::1]:3003/x', 'http://127.0.0.1:3003')).toBe(true);
  });

  it('keeps ports, schemes and other hosts apart', () => {
    expect(isSameOrigin('http://localhost:3003', 'http://localhost:3004')).toBe(false);
    expect(isSameOrigin('https://localhost:3003', 'http://localhost:3003')).toBe(false);
    expect(isSameOrigin('http://localhost.evil.test:3003', 'http://localhost:3003')).toBe(false);
    expect(isSameOrigin('null', 'null')).toBe(false);
  });
});

describe('isLoopback', () => {
  it('knows this computer by its names only', () => {
    expect(isLoopback('http://127.0.0.1:1')).toBe(true);
    expect(isLoopback('http://127.0.0.1.evil.test')).toBe(false);
    expect(isLoopback('nonsense')).toBe(false);
  });
});
