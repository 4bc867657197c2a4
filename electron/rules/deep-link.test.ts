import { describe, expect, it } from 'vitest';
import { findDeepLink, parseDeepLink } from './deep-link.ts';

describe('parseDeepLink', () => {
  it('reads the path with its query', () => {
    expect(parseDeepLink('homeport://open/app/logs?status=failed#row')).toEqual({
      kind: 'open',
      path: '/app/logs?status=failed#row',
    });
  });

  it.each([
    ['homeport://open/logs', '/app/logs'],
    ['homeport://open/dev/logs?q=a', '/app/dev/logs?q=a'],
    ['homeport://open', '/app/'],
    ['homeport://open//evil.com/x', '/app/evil.com/x'],
    ['homeport://open///evil.com', '/app/evil.com'],
    ['homeport://open/app//evil.com', '/app/evil.com'],
    ['homeport://open/oauth/callback', '/app/oauth/callback'],
    ['homeport://open/https://evil.com', '/app/https://evil.com'],
  ])('opens %s at %s of the server', (link, path) => {
    expect(parseDeepLink(link)).toEqual({ kind: 'open', path });
    expect(new URL(path, 'http://127.0.0.1:3003').host).toBe('127.0.0.1:3003');
  });

  it.each([
    'homeport://open/\\evil.com/x',
    'homeport://open/.\\/evil.com/x',
    'homeport://open/%2e\\/evil.com/x',
    'homeport://open/%5c/evil.com/x',
    'homeport://open/app/../oauth/callback',
    'homeport://open/app/%2e%2e/oauth/callback',
  ])('opens nothing for %s, or stays below /app', (link) => {
    const parsed = parseDeepLink(link);
    const path = parsed?.kind === 'open' ? parsed.path : '/app/';

    expect(path.startsWith('/app/')).toBe(true);
    expect(new URL(path, 'http://127.0.0.1:3003').pathname.startsWith('/app/')).toBe(true);
  });

  it.each(['https://open/app', 'homeport://delete/all', 'homeport:open', 'nonsense', ''])('refuses %j', (link) => {
    expect(parseDeepLink(link)).toBeUndefined();
  });

  it('lets a second start only open a page', () => {
    expect(findDeepLink(['electron', '--flag', 'homeport://open/app'])).toEqual({ kind: 'open', path: '/app/' });
    expect(findDeepLink(['electron', 'homeport://quit'])).toBeUndefined();
  });
});
