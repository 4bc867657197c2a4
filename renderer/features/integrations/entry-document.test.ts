import { describe, expect, it } from 'vitest';
import { readEntryDocument, renameEntry, undescribedFields, writeEntryValue } from './entry-document.ts';

const TEXT = `# Ours
acme:
  display_name: Acme # as on their site
  auth_mode: API_KEY
  default_scopes: [a, b]
  proxy:
    # The old one was http
    base_url: https://\${connectionConfig.team}.acme.test
    headers: { x-key: "\${apiKey}" }
`;

describe('an entry in its editor', () => {
  it('is read for the form', () => {
    const entry = readEntryDocument(TEXT);

    expect(entry?.name).toBe('acme');
    expect(entry?.text(['proxy', 'base_url'])).toContain('acme.test');
    expect(entry?.text(['default_scopes'])).toBe('a,b');
    expect(entry?.map(['proxy', 'headers'])).toEqual({ 'x-key': '${apiKey}' });
    expect(entry?.text(['missing', 'too'])).toBe('');
  });

  it('keeps its comments and everything else when the form changes a value', () => {
    const changed = writeEntryValue(TEXT, ['display_name'], 'Acme Inc.');

    expect(changed).toBe(TEXT.replace('Acme #', 'Acme Inc. #'));
    expect(writeEntryValue(changed, ['docs'], 'https://acme.test')).toMatch(
      /# Ours\n.*# as on their site\n.*# The old one was http\n.*\n {2}docs: https:\/\/acme.test\n$/s,
    );
  });

  it('removes emptied values, and a map that is then empty', () => {
    const text = 'acme:\n  display_name: Acme\n  proxy:\n    base_url: https://a.test\n';

    expect(writeEntryValue(text, ['proxy', 'base_url'], undefined)).toBe('acme:\n  display_name: Acme\n');
  });

  it('gets another key', () => {
    expect(renameEntry(TEXT, 'acme-two')).toBe(TEXT.replace('acme:', 'acme-two:'));
    expect(renameEntry('', 'new')).toBe('new:\n  display_name: ""\n');
  });

  it('can be cleared and typed again, key and name, without the word null and in its place', () => {
    const cleared = renameEntry(TEXT, '');
    expect(readEntryDocument(cleared)?.name).toBe('');
    expect(readEntryDocument(cleared)?.text(['display_name'])).toBe('Acme');
    expect(readEntryDocument(writeEntryValue(cleared, ['docs'], 'https://acme.test'))?.text(['docs'])).toBe(
      'https://acme.test',
    );
    expect(renameEntry(cleared, 'my-shop')).toBe(TEXT.replace('acme:', 'my-shop:'));
    for (const name of ['null', 'true', '12', 'a: b', '#x'])
      expect(readEntryDocument(renameEntry(cleared, name))?.name).toBe(name);

    const unnamed = writeEntryValue(TEXT, ['display_name'], '');
    expect(writeEntryValue(unnamed, ['display_name'], 'Acme')).toMatch(/^# Ours\nacme:\n {2}display_name: Acme #/);
    expect(readEntryDocument(':\n  display_name: A\n')?.name).toBe('');
  });

  it('leaves the form alone while it cannot be read', () => {
    expect(readEntryDocument('acme: [')).toBeUndefined();
    expect(readEntryDocument('a: {}\nb: {}\n')).toBeUndefined();
    expect(writeEntryValue('acme: [', ['x'], 'y')).toBe('acme: [');
    expect(readEntryDocument('')?.name).toBe('');
  });

  it('says which placeholders have no field', () => {
    const entry = readEntryDocument(TEXT);
    expect(entry && undescribedFields(TEXT, entry)).toEqual(['team']);
  });
});
