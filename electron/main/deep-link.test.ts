import { describe, expect, it } from 'vitest';
import { findDeepLink, parseDeepLink } from './deep-link.ts';

describe('parseDeepLink', () => {
  it('reads the path with its query', () => {
    expect(parseDeepLink('homeport://open/app/logs?status=failed#row')).toEqual({
      kind: 'open',
      path: '/app/logs?status=failed#row',
    });
  });

  it.each(['homeport://open//evil.com/x', 'homeport://open/\\evil.com/x', 'homeport://open///evil.com'])(
    'keeps %s on the server',
    (link) => {
      const parsed = parseDeepLink(link);

      expect(parsed?.kind === 'open' && new URL(parsed.path, 'http://127.0.0.1:3003').host).toBe('127.0.0.1:3003');
    },
  );

  it.each(['https://open/app', 'homeport://delete/all', 'homeport:open', 'nonsense', ''])('refuses %j', (link) => {
    expect(parseDeepLink(link)).toBeUndefined();
  });

  it('lets a second start open a page, and nothing else', () => {
    expect(findDeepLink(['electron', '--flag', 'homeport://open/app'])).toEqual({ kind: 'open', path: '/app' });
    expect(findDeepLink(['electron', 'homeport://quit'])).toBeUndefined();
  });
});
