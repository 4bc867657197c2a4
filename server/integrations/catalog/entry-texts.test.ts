import { describe, expect, it } from 'vitest';
import { findEntryText, importedCatalogPath, pickEntries, replaceEntryText } from './entry-texts.ts';

const FILE = `# Ours
acme:
  display_name: Acme # the old name
  auth_mode: NONE

# About the other one
other:
  display_name: Other
  auth_mode: NONE
`;

describe('the text of entries', () => {
  it('is found without the comment of the entry after it', () => {
    expect(findEntryText(FILE, 'acme')).toBe('acme:\n  display_name: Acme # the old name\n  auth_mode: NONE\n');
    expect(findEntryText(FILE, 'missing')).toBeUndefined();
  });

  it('is replaced, and everything around it stays', () => {
    const text = 'acme:\n  display_name: New\n  auth_mode: NONE\n';

    expect(replaceEntryText(FILE, 'acme', text)).toBe(
      FILE.replace('  display_name: Acme # the old name', '  display_name: New'),
    );
  });

  it('is added at the end of a file, and of an empty one', () => {
    expect(replaceEntryText(FILE, 'third', 'third: {}\n')).toBe(`${FILE}\nthird: {}\n`);
    expect(replaceEntryText('', 'third', 'third: {}')).toBe('third: {}\n');
  });

  it('is taken out', () => {
    expect(replaceEntryText(FILE, 'other', null)).not.toContain('other:');
    expect(replaceEntryText(FILE, 'missing', null)).toBe(FILE);
  });

  it('is not searched in a file with another layout', () => {
    expect(replaceEntryText('{ "acme": {} }', 'acme', 'acme: {}')).toBeUndefined();
  });

  it('is picked word for word', async () => {
    expect(await pickEntries(FILE, new Set(['other']))).toBe('other:\n  display_name: Other\n  auth_mode: NONE\n');
  });
});

describe('the path of an imported file', () => {
  it.each([
    ['my shop.yml', 'providers.d/my-shop.yaml'],
    ['../../x.yaml', 'providers.d/x.yaml'],
    ['...', 'providers.d/imported.yaml'],
  ])('of %s is %s', (name, path) => {
    expect(importedCatalogPath(name)).toBe(path);
  });
});
