import { describe, expect, it } from 'vitest';
import { previewOf, toPreview } from './write-preview.ts';

const write = (body: unknown, known?: unknown, more: { method?: string; path?: string } = {}) =>
  ({ method: 'PATCH', path: '/things/7', ...more, body, known }) as const;

describe('a write beside what is known', () => {
  it.each([
    [
      'a change',
      write({ state: 'closed' }, { state: 'open', title: 'Lamp' }),
      ['- state: "open"', '+ state: "closed"'],
    ],
    ['a value that stays', write({ state: 'open' }, { state: 'open' }), ['  state: "open"']],
    ['a new member', write({ note: 'x' }, { state: 'open' }), ['+ note: "x"']],
    ['nothing known', write({ title: 'Lamp', labels: ['a'] }), ['+ title: "Lamp"', '+ labels: ["a"]']],
    [
      'a member within another one',
      write({ properties: { email: 'b' } }, { properties: { email: 'a', name: 'n' } }),
      ['- properties.email: "a"', '+ properties.email: "b"'],
    ],
    ['a text', write('hello'), ['+ "hello"']],
    ['no body', write(undefined), []],
    [
      'a deletion',
      write(undefined, { id: '7', title: 'Lamp' }, { method: 'DELETE' }),
      ['- id: "7"', '- title: "Lamp"'],
    ],
  ])('%s', (_title, one, lines) => {
    expect(previewOf(one, undefined).lines).toEqual(lines);
  });

  it('prefers what was read to the record of a sync, and says which it is', () => {
    const record = { state: 'started' };
    expect(previewOf(write({ state: 'closed' }, { state: 'open' }), record).known).toBe('read');
    const blind = previewOf(write({ state: 'closed' }), record);
    expect([blind.known, blind.lines[0]]).toEqual(['record', '- state: "started"']);
    expect(previewOf(write({ state: 'closed' }), undefined).known).toBeNull();
  });

  it('shows the variables of a mutation, and its name', () => {
    const body = { query: 'mutation CloseIssue($id: ID!) { close(id: $id) { id } }', variables: { id: '7' } };
    const shown = previewOf(write(body, undefined, { method: 'POST', path: '/graphql' }), undefined);
    expect([shown.path, shown.lines]).toEqual(['/graphql CloseIssue', ['+ id: "7"']]);
  });

  it('cuts long values and long lists', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${index}`, 'x'.repeat(1_000)]));
    const { lines } = previewOf(write(many), undefined);
    expect(lines).toHaveLength(41);
    expect(lines.at(-1)).toBe('… 20 more lines');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(360);
  });

  it('tells other programs which members would change, and no value', () => {
    const one = previewOf(write({ state: 'closed', note: 'mine' }, { state: 'secret-state' }), undefined);
    const { summary } = toPreview([one], 'What follows depends on the answer of the provider.');
    expect(summary).toEqual(['PATCH /things/7 (state, note)', 'What follows depends on the answer of the provider.']);
  });
});
