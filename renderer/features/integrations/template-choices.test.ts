import { describe, expect, it } from 'vitest';
import { chooseTemplates } from './template-choices.ts';

const row = (name: string, type: string, isThere = false) => ({ name, type, isThere, description: `About ${name}` });
const ROWS = [row('add-note', 'action', true), row('create-contact', 'action'), row('fetch-contacts', 'sync')];
const names = (search: string, type = ''): string[] => chooseTemplates(ROWS, { search, type }).map(({ name }) => name);

describe('chooseTemplates', () => {
  it('puts those that are added last, and keeps the order otherwise', () => {
    expect(names('')).toEqual(['create-contact', 'fetch-contacts', 'add-note']);
  });

  it('wants every word in name or description, in any case', () => {
    expect(names('CONTACT about')).toEqual(['create-contact', 'fetch-contacts']);
    expect(names('contact note')).toEqual([]);
  });

  it('keeps one type', () => {
    expect(names('', 'sync')).toEqual(['fetch-contacts']);
  });
});
