import { describe, expect, it } from 'vitest';
import { isInsideFolder, isServerPage, mayOpenOutside } from './address-rules.ts';

describe('mayOpenOutside', () => {
  it.each(['https://example.com/x', 'http://127.0.0.1:3003/', 'http://localhost:8080', 'http://[::1]:1/'])(
    'allows %s',
    (url) => {
      expect(mayOpenOutside(url)).toBe(true);
    },
  );

  it.each(['http://example.com', 'file:///etc/passwd', 'javascript:alert(1)', 'smb://host/share', 'not a url'])(
    'refuses %s',
    (url) => {
      expect(mayOpenOutside(url)).toBe(false);
    },
  );
});

describe('isServerPage', () => {
  it('compares whole origins', () => {
    expect(isServerPage('http://127.0.0.1:3003/app', 'http://127.0.0.1:3003')).toBe(true);
    expect(isServerPage('http://127.0.0.1:3003.evil.com/app', 'http://127.0.0.1:3003')).toBe(false);
    expect(isServerPage('http://127.0.0.1:30031/app', 'http://127.0.0.1:3003')).toBe(false);
    expect(isServerPage('http://127.0.0.1:3003/app', undefined)).toBe(false);
  });
});

describe('isInsideFolder', () => {
  it('sees through dots and similar names', () => {
    expect(isInsideFolder('/data/functions/a/b.ts', '/data/functions')).toBe(true);
    expect(isInsideFolder('/data/functions/..hidden', '/data/functions')).toBe(true);
    expect(isInsideFolder('/data/functions/../vault.db', '/data/functions')).toBe(false);
    expect(isInsideFolder('/data/functions-other/a.ts', '/data/functions')).toBe(false);
  });
});
