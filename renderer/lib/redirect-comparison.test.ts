import { describe, expect, it } from 'vitest';
import { adviseOnAddress, compareAddresses, readPasted } from './redirect-comparison.ts';

const OURS = 'http://localhost:3003/oauth/callback';
const THEIRS = 'http://127.0.0.1:3003/oauth/callback';
const encode = encodeURIComponent;

describe('readPasted', () => {
  const authorize = `https://provider.example/authorize?client_id=1&redirect_uri=${encode(THEIRS)}&state=x`;
  const hidden = btoa(
    `\n\u0015redirect_uri_mismatch\u0012\u0080See https://provider.example/help redirect_uri\u0012$${THEIRS} `,
  );

  it.each([
    ['the address of the sign-in page', authorize],
    ['an address inside another', `https://provider.example/login?continue=${encode(authorize)}`],
    ['an address that is not encoded', `https://provider.example/error?redirect_uri=${THEIRS}&x=1`],
    ['a page that packs its message', `https://provider.example/error?authError=${encode(hidden)}&client_id=1`],
    [
      'a list of details',
      `Error 400: redirect_uri_mismatch\nRequest details: redirect_uri: ${THEIRS} flowName=General`,
    ],
    [
      'a sentence in quotes',
      `AADSTS50011: The redirect URI '${THEIRS}' specified in the request does not match the configured ones.`,
    ],
    ['a sentence with a full stop', `redirect_uri did not match any configured URIs. Passed URI: ${THEIRS}.`],
  ])('finds it in %s', (_what, text) => {
    expect(readPasted(text, OURS)).toEqual({ kind: 'asked', address: THEIRS });
  });

  it('takes an address alone for the registered one', () => {
    expect(readPasted(` ${OURS}/ `, OURS)).toEqual({ kind: 'registered', address: `${OURS}/` });
    expect(readPasted('https://hub.example.com/oauth/callback', OURS)).toMatchObject({ kind: 'registered' });
  });

  it('finds no address where there is none', () => {
    expect(readPasted('', OURS)).toBeUndefined();
    expect(readPasted('Error 400: redirect_uri_mismatch', OURS)).toBeUndefined();
    expect(readPasted('https://provider.example/error?code=400', OURS)).toBeUndefined();
    expect(readPasted('100 % of it %zz %E0%A4', OURS)).toBeUndefined();
  });
});

describe('compareAddresses', () => {
  const differences = (pasted: string, expected = OURS) =>
    compareAddresses(pasted, expected).flatMap(({ name, difference }) => (difference ? [[name, difference]] : []));

  it.each([
    [OURS, []],
    ['https://localhost:3003/oauth/callback', [['scheme', 'other']]],
    [THEIRS, [['host', 'other']]],
    ['http://LocalHost:3003/oauth/callback', [['host', 'case']]],
    ['http://localhost/oauth/callback', [['port', 'other']]],
    ['http://localhost:3003/oauth/callback/', [['path', 'slash']]],
    ['http://localhost:3003/OAuth/callback', [['path', 'case']]],
    ['http://localhost:3003/oauth%2Fcallback', [['path', 'encoding']]],
    ['http://localhost:3003/callback', [['path', 'other']]],
    ['http://localhost:3003/oauth/callback?from=x', [['query', 'other']]],
    ['http://[::1]:3003/oauth/callback', [['host', 'other']]],
    [
      'no address',
      [
        ['scheme', 'other'],
        ['host', 'other'],
        ['port', 'other'],
        ['path', 'other'],
      ],
    ],
  ])('names what differs in %s', (pasted, expected) => {
    expect(differences(pasted)).toEqual(expected);
  });

  it('keeps an address behind a redirector in the path', () => {
    const redirector = `https://redirectmeto.com/${OURS}`;
    expect(differences(`https://redirectmeto.com/${THEIRS}`, redirector)).toEqual([['path', 'other']]);
  });
});

describe('adviseOnAddress', () => {
  it('names the address to register in place of the requested one', () => {
    expect(adviseOnAddress({ kind: 'asked', address: THEIRS }, OURS)).toBe(
      `The provider was asked with ${THEIRS}, register ${OURS} and connect again: the host differs.`,
    );
  });

  it('says that the registration lacks an address that was asked rightly', () => {
    expect(adviseOnAddress({ kind: 'asked', address: OURS }, OURS)).toContain(
      `register ${OURS}, character by character`,
    );
  });

  it('names every part that differs from the registered address', () => {
    expect(adviseOnAddress({ kind: 'registered', address: 'https://localhost:3003/oauth/callback/' }, OURS)).toBe(
      `Registered is https://localhost:3003/oauth/callback/, change it to ${OURS}: the scheme and the slash at the end differ.`,
    );
  });

  it('says when nothing differs', () => {
    expect(adviseOnAddress({ kind: 'registered', address: OURS }, OURS)).toContain('the same');
  });
});
