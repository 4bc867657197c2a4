import { describe, expect, it } from 'vitest';
import { isAllowedRedirect, matchesRedirect, redirectName } from './redirect-uri.ts';

const here = { isPublic: false };

describe('a redirect address', () => {
  it.each([
    'http://127.0.0.1:8976/callback',
    'http://localhost/callback',
    'http://[::1]:1/x',
    'https://localhost:8443/x',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/oauth',
  ])('%s leads to a program of this computer', (uri) => {
    expect(isAllowedRedirect(uri, here)).toBe(true);
  });

  it.each([
    'https://claude.ai/api/mcp/auth_callback',
    'http://192.168.0.2/callback',
    'http://127.0.0.1.evil.test/x',
    'http://127.0.0.1:1/x#part',
    'http://user@127.0.0.1/x',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'callback',
    '',
  ])('%s does not', (uri) => {
    expect(isAllowedRedirect(uri, here)).toBe(false);
  });

  it('may be a site with https when the request came by the public address', () => {
    expect(isAllowedRedirect('https://claude.ai/api/mcp/auth_callback', { isPublic: true })).toBe(true);
    expect(isAllowedRedirect('http://claude.ai/x', { isPublic: true })).toBe(false);
    expect(isAllowedRedirect('javascript:alert(1)', { isPublic: true })).toBe(false);
  });

  it('is the registered one, with any port at a loopback address', () => {
    expect(matchesRedirect('http://127.0.0.1:5000/cb', 'http://127.0.0.1:4000/cb')).toBe(true);
    expect(matchesRedirect('http://127.0.0.1:5000/cb', 'http://127.0.0.1/cb')).toBe(true);
    expect(matchesRedirect('http://127.0.0.1:5000/other', 'http://127.0.0.1:4000/cb')).toBe(false);
    expect(matchesRedirect('http://127.0.0.1:5000/cb?x=1', 'http://127.0.0.1:4000/cb')).toBe(false);
    expect(matchesRedirect('http://localhost:5000/cb', 'http://127.0.0.1:4000/cb')).toBe(false);
    expect(matchesRedirect('https://claude.ai:444/cb', 'https://claude.ai/cb')).toBe(false);
    expect(matchesRedirect('cursor://a/cb', 'cursor://a/cb')).toBe(true);
  });

  it('is called by its host or its scheme', () => {
    expect(redirectName('http://127.0.0.1:8976/callback')).toBe('127.0.0.1:8976');
    expect(redirectName('cursor://anysphere/x')).toBe('cursor');
  });
});
