import { describe, expect, it } from 'vitest';
import { editorTarget, isAppPage, isInsideFolder, isServerPage, mayOpenOutside } from './address-rules.ts';

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

describe('isAppPage', () => {
  it('is true below /app alone', () => {
    const address = 'http://127.0.0.1:3003';
    expect(['/app', '/app/dev/logs', '/app?x=1'].every((path) => isAppPage(address + path, address))).toBe(true);
    expect(['/', '/apps', '/oauth/callback', '/connect/'].some((path) => isAppPage(address + path, address))).toBe(
      false,
    );
    expect(isAppPage('https://evil.example/app/', address)).toBe(false);
  });
});

describe('editorTarget', () => {
  const folder = '/data/functions';
  const open = (file: string, editor: 'system' | 'vscode' | 'cursor' | 'zed' = 'vscode', line?: number) =>
    editorTarget(file, { editor, folder, line });

  it('names the file and the line as each editor reads them', () => {
    expect(open('/data/functions/a b/sync.ts', 'vscode', 12)).toEqual({
      address: 'vscode://file/data/functions/a%20b/sync.ts:12',
    });
    expect(open('/data/functions/a.ts', 'cursor')).toEqual({ address: 'cursor://file/data/functions/a.ts' });
    expect(open('/data/functions/a.ts', 'zed', 3)).toEqual({ address: 'zed://file/data/functions/a.ts:3' });
    expect(open('/data/functions/a.ts', 'system')).toEqual({ path: '/data/functions/a.ts' });
  });

  it('escapes characters that would end the path of the address', () => {
    expect(open('/data/functions/a?windowId=_blank#x.ts')).toEqual({
      address: 'vscode://file/data/functions/a%3FwindowId%3D_blank%23x.ts',
    });
    expect(open('/data/functions/a.ts', 'vscode', Number.NaN)).toEqual({
      address: 'vscode://file/data/functions/a.ts',
    });
  });

  it.each([
    '/data/vault.db',
    '/data/functions/../x.ts',
    '/data/functions-other/a.ts',
    '/data/functions/run.sh',
    '/data/functions/a.exe',
  ])('opens nothing for %s', (file) => {
    expect(open(file)).toBeUndefined();
    expect(open(file, 'system')).toBeUndefined();
  });
});
