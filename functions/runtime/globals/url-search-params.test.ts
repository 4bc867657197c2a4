import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { URLSearchParams as Guest } from './url-search-params.ts';

const texts = fc.string({ unit: 'grapheme', maxLength: 12 });
// Without raw characters next to broken escapes, for which Node differs from the standard.
const queries = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      '=',
      '&',
      '%',
      '%2',
      '%41',
      '%e4',
      '%aa',
      '%f0%90',
      '%ed%a0',
      '%C3%BC',
      '+',
      ' ',
      '?',
      '#',
      "'",
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''));

describe('URLSearchParams of the guest', () => {
  it('reads any query as Node does', () => {
    fc.assert(
      fc.property(queries, (query) => {
        expect([...new Guest(query)]).toEqual([...new URLSearchParams(query)]);
      }),
    );
  });

  it('keeps raw characters beside broken escapes', () => {
    expect(new Guest('%e4ü').toString()).toBe('%EF%BF%BD%C3%BC=');
  });

  it('writes any pairs as Node does', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(texts, texts)), (pairs) => {
        expect(new Guest(pairs).toString()).toBe(new URLSearchParams(pairs).toString());
      }),
    );
  });

  it('changes as Node does', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const changes = fc.array(fc.tuple(fc.constantFrom('append', 'set', 'delete'), names, fc.constantFrom('1', '2')));
    fc.assert(
      fc.property(changes, (steps) => {
        const [guest, node] = [new Guest('b=0&a=1&b=2'), new URLSearchParams('b=0&a=1&b=2')];
        for (const [step, name, value] of steps as Array<['append', string, string]>) {
          guest[step](name, value);
          node[step](name, value);
        }
        guest.sort();
        node.sort();

        expect([guest.toString(), guest.size]).toEqual([node.toString(), node.size]);
        expect([guest.get('a'), guest.getAll('b'), guest.has('c', '1')]).toEqual([
          node.get('a'),
          node.getAll('b'),
          node.has('c', '1'),
        ]);
      }),
    );
  });

  it('takes records and refuses tuples of another length', () => {
    expect(new Guest({ a: 1, b: 'x y' }).toString()).toBe('a=1&b=x+y');
    expect(() => new Guest([['a']])).toThrow(TypeError);
  });
});
