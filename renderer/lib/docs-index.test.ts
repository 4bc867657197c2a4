import MiniSearch from 'minisearch';
import { describe, expect, it } from 'vitest';
import { DOCS_INDEX, type DocsPart } from './docs-index.ts';

const part = (id: string, heading: string, text: string, weight = 1): DocsPart => ({
  id,
  title: 'Page',
  heading,
  text,
  weight,
});

const index = new MiniSearch<DocsPart>(DOCS_INDEX);
index.addAll([
  part('backups', 'Backups', 'copies of the database'),
  part('upgrade', 'Upgrade and back', 'return to the version before'),
  part('errors#unknown_connection', 'unknown_connection', 'Status 400.', 0.6),
  part('api#delete', 'DELETE /connection', '400: unknown_connection, unknown_provider', 0.6),
  part('consent', 'Consent', 'the hub asks you'),
  part('providers/port', 'Port provider', 'sign in', 0.4),
]);
const first = (text: string): unknown => index.search(text)[0]?.id;

describe('the search of the documentation', () => {
  it.each([
    ['how do I back up my data?', 'backups'],
    ['what does unknown_connection mean', 'errors#unknown_connection'],
    ['approve a call', 'consent'],
    ['backup', 'backups'],
  ])('answers %j', (question, id) => {
    expect(first(question)).toBe(id);
  });

  it('finds nothing for words that say nothing', () => {
    expect(index.search('how do I')).toEqual([]);
  });

  it('forgives a slip of the keys, and unfinished words', () => {
    expect(first('bakups')).toBe('backups');
    expect(first('upgr')).toBe('upgrade');
  });
});
