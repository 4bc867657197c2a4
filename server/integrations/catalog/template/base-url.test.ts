import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../field-schema.ts';
import { fillAuthUrl } from './auth-url.ts';
import { resolveBaseUrl } from './base-url.ts';
import { parseTemplate } from './parse-template.ts';
import { valueAt } from './resolve-template.ts';

const text = { type: 'string', title: 'T', description: 'D' } as const;

function resolve(template: string, config: Record<string, string>, fields?: Record<string, FieldDefinition>) {
  return resolveBaseUrl(
    parseTemplate(template),
    { lookup: (path) => valueAt({ connectionConfig: config }, path), now: 0, random: '' },
    fields,
  );
}

describe('resolveBaseUrl', () => {
  it.each([
    'evil.test/',
    'x.evil.test/',
    'evil.test?',
    'evil.test#',
    'me@evil.test',
    'evil.test\\',
    'evil.test:',
    'a\r\nb',
    'a b',
    'evil.test%2f',
  ])('refuses %j inside a host name', (subdomain) => {
    expect(() => resolve('https://${connectionConfig.subdomain}.acme.test/api', { subdomain })).toThrow(/does not fit/);
  });

  it('never lets a value move the host, whatever it is', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom(
          'a',
          '.',
          '/',
          '\\',
          '@',
          ':',
          '?',
          '#',
          '%',
          '2',
          'f',
          '\u3002',
          '\uff0f',
          '\u2024',
          '[',
          ']',
          ' ',
          '\t',
        ),
      }),
    );
    fc.assert(
      fc.property(value, (subdomain) => {
        let address: string;
        try {
          address = resolve('https://${connectionConfig.s}.acme.test/api', { s: subdomain });
        } catch {
          return true;
        }
        const url = URL.parse(`${address}/items`);
        return url === null || (url.hostname.endsWith('.acme.test') && url.username === '' && url.port === '');
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not show the refused value', () => {
    expect(() => resolve('https://${connectionConfig.s}.acme.test', { s: 'evil.test/secret' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('evil') }),
    );
  });

  it('accepts a plain value, and a port where the host ends', () => {
    expect(resolve('https://${connectionConfig.s}.acme.test', { s: 'one' })).toBe('https://one.acme.test');
    expect(resolve('https://${connectionConfig.h}/api', { h: 'git.acme.test:8443' })).toBe(
      'https://git.acme.test:8443/api',
    );
  });

  it('accepts a path behind the host where the pattern of the value does', () => {
    const fields = { h: { ...text, pattern: '^[a-z.]+(/[a-z]+)?$' } };
    expect(resolve('https://${connectionConfig.h}', { h: 'dev.acme.test/one' }, fields)).toBe(
      'https://dev.acme.test/one',
    );
    const loose = { h: { ...text, pattern: 'acme' } };
    for (const value of [
      'acme.test/a?b',
      'acme.test/a#b',
      'me@acme.test/a',
      'acme.test/a\\b',
      'acme.test/%2e',
      '/acme',
    ])
      expect(() => resolve('https://${connectionConfig.h}/api', { h: value }, loose)).toThrow(/does not fit/);
    expect(() => resolve('https://${connectionConfig.h}.acme.test', { h: 'acme.evil.test/' }, loose)).toThrow(
      /does not fit/,
    );
    expect(() => resolve('https://${connectionConfig.h}', { h: 'acme.test/one' })).toThrow(/does not fit/);
  });

  it.each([
    [{ ...text, pattern: '^[a-z]+$' }, 'UP'],
    [{ ...text, enum: ['eu', 'us'] }, 'cn'],
    [{ ...text, format: 'hostname' as const }, 'a:80'],
    [{ ...text, format: 'uuid' as const }, 'no-uuid'],
  ])('enforces %j', (field, value) => {
    expect(() => resolve('https://${connectionConfig.s}/x', { s: value }, { s: field })).toThrow(/does not fit/);
  });

  it('does not enforce the field of a value used in the path', () => {
    expect(
      resolve('https://api.acme.test/${connectionConfig.s}', { s: 'UP/1' }, { s: { ...text, pattern: '^[a-z]+$' } }),
    ).toBe('https://api.acme.test/UP/1');
  });

  it('accepts a whole address, but only a web address', () => {
    expect(resolve('${connectionConfig.url}/api', { url: 'https://acme.test/sub' })).toBe('https://acme.test/sub/api');
    expect(() => resolve('${connectionConfig.url}/api', { url: 'file:///etc' })).toThrow(/does not fit/);
    expect(() => resolve('${connectionConfig.url}/api', { url: 'https://me:pw@acme.test' })).toThrow(/does not fit/);
  });

  it('does not let a value that starts the address reach into the host', () => {
    expect(() => resolve('${connectionConfig.url}.acme.test/api', { url: 'https://evil.test/' })).toThrow(
      /does not fit/,
    );
    expect(() => resolve('${connectionConfig.scheme}://acme.test', { scheme: 'ftp' })).toThrow(/does not fit/);
  });

  it('names the missing key', () => {
    expect(() => resolve('https://${connectionConfig.subdomain}.acme.test', {})).toThrow(
      expect.objectContaining({ code: 'missing_connection_config', message: expect.stringContaining('subdomain') }),
    );
  });

  it.each([
    [{ host: 'own.test' }, 'https://own.test/v1'],
    [{}, 'https://api.acme.test'],
  ])('chooses between two addresses: %j', (config, expected) => {
    expect(resolve('https://${connectionConfig.host}/v1 || https://api.acme.test', config)).toBe(expected);
  });
});

describe('fillAuthUrl', () => {
  it('percent-encodes values and treats empty ones as missing', () => {
    expect(
      fillAuthUrl('https://acme.test/${connectionConfig.tenant}/token', { connectionConfig: { tenant: 'a b' } }),
    ).toBe('https://acme.test/a%20b/token');
    expect(() =>
      fillAuthUrl('https://acme.test/${connectionConfig.tenant}/token', { connectionConfig: { tenant: '' } }),
    ).toThrow(/tenant/);
  });

  it('keeps a value that is an address, and encodes nothing when told so', () => {
    expect(
      fillAuthUrl('${connectionConfig.instance_url}/oauth', { connectionConfig: { instance_url: 'https://a.test' } }),
    ).toBe('https://a.test/oauth');
    expect(
      fillAuthUrl('https://a.test/${connectionConfig.path}', {
        connectionConfig: { path: 'x/y' },
        encodesValues: false,
      }),
    ).toBe('https://a.test/x/y');
  });

  it('does not let a value move the host', () => {
    expect(() =>
      fillAuthUrl('https://${connectionConfig.s}.acme.test/token', { connectionConfig: { s: 'evil.test/' } }),
    ).toThrow(/does not fit/);
  });
});
