import { describe, expect, it } from 'vitest';
import {
  copyWithReaderValues,
  fillReaderAddress,
  fillReaderValues,
  HIDDEN_KEY,
  type ReaderValues,
} from './reader-values.ts';

const VALUES: ReaderValues = {
  address: 'http://127.0.0.1:4444',
  secretKey: undefined,
  connection: { integrationKey: 'practice-2', connectionId: 'ada' },
};
const TEXT = 'KEY=paste-the-secret-key-here\ncurl http://127.0.0.1:3003/connections/me?provider_config_key=practice';

describe('the values of the reader', () => {
  it('take the place of those in the page', () => {
    expect(fillReaderValues(TEXT, { ...VALUES, secretKey: 'abc' }, HIDDEN_KEY)).toBe(
      'KEY=abc\ncurl http://127.0.0.1:4444/connections/ada?provider_config_key=practice-2',
    );
  });

  it('are the port in addresses that providers know, too', () => {
    expect(fillReaderAddress('http://localhost:3003/oauth/callback', VALUES.address)).toBe(
      'http://localhost:4444/oauth/callback',
    );
    expect(fillReaderAddress('http://127.0.0.1:3003', 'http://localhost')).toBe('http://localhost');
  });

  it('do not show the key before it is asked for, and a copy has its placeholder', () => {
    expect(fillReaderValues(TEXT, VALUES, HIDDEN_KEY)).toContain('KEY=••••••••\n');
    expect(copyWithReaderValues(TEXT, VALUES)).toContain('KEY=paste-the-secret-key-here\n');
  });

  it('are ids only where an id stands', () => {
    const text =
      'Connection-Id: me\nProvider-Config-Key: practice\n\n{"name": "practice me", "connection_id": "me", "unique_key": "practice"}';

    expect(fillReaderValues(text, VALUES, '')).toBe(
      'Connection-Id: ada\nProvider-Config-Key: practice-2\n\n{"name": "practice me", "connection_id": "ada", "unique_key": "practice"}',
    );
    expect(fillReaderValues('/connections/metadata', VALUES, '')).toBe('/connections/metadata');
    expect(fillReaderValues(text, { ...VALUES, connection: undefined }, '')).toBe(text);
  });
});
