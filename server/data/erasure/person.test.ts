import { describe, expect, it } from 'vitest';
import { eraseBytes, Person } from './person.ts';

const ada = new Person({
  endUser: {
    id: 'user_4711',
    displayName: 'Ada "Countess" Lövelace',
    email: 'ada.l+hub@example.com',
    tags: null,
    organization: null,
  },
  tags: {},
});
const short = new Person({
  endUser: { id: '7', displayName: 'Bo', email: null, tags: null, organization: null },
  tags: {},
});
const word = new Person({
  endUser: { id: 'message', displayName: 'Anna', email: null, tags: null, organization: null },
  tags: {},
});

describe('Person', () => {
  it.each([
    ['a plain e-mail address, in any case', 'to Ada.L+HUB@Example.com.', 'to [removed].'],
    ['one in an address', '/users?email=ada.l%2Bhub%40example.com&page=2', '/users?email=[removed]&page=2'],
    ['one that is encoded twice', 'next=%2Fu%3Fe%3Dada.l%252Bhub%2540example.com', 'next=%2Fu%3Fe%3D[removed]'],
    [
      'one at the beginning of a line in JSON',
      '{"text":"Hello\\nada.l+hub@example.com"}',
      '{"text":"Hello\\n[removed]"}',
    ],
    [
      'a name in JSON inside of JSON',
      JSON.stringify({ body: JSON.stringify({ name: 'Ada "Countess" Lövelace' }) }),
      JSON.stringify({ body: JSON.stringify({ name: '[removed]' }) }),
    ],
    ['a name with escaped characters', '{"n":"Ada \\"Countess\\" L\\u00f6velace"}', '{"n":"[removed]"}'],
    ['a name as a member', '{"ada.l+hub@example.com":1}', '{"[removed]":1}'],
    ['an id', 'Sync of user_4711 failed', 'Sync of [removed] failed'],
  ])('removes %s', (_, text, expected) => {
    expect(ada.erase(text, false)).toBe(expected);
  });

  it('keeps longer ids that begin alike', () => {
    expect(ada.erase('user_47110 and xuser_4711', true)).toBe('user_47110 and xuser_4711');
  });

  it('removes short values only where they are a whole value of something that belongs to the connection', () => {
    const text = '{"end_user":{"id":"7","name":"Bo"},"status":7,"text":"7 records for Bob"}';
    expect(short.erase(text, true)).toBe(
      '{"end_user":{"id":"0","name":"[removed]"},"status":7,"text":"7 records for Bob"}',
    );
    expect(short.erase(text, false)).toBe(text);
  });

  it('removes ordinary words only from what belongs to the connection, and never a name of a member', () => {
    const text = '{"message":"A message for Anna, not Annabel"}';
    expect(word.erase(text, true)).toBe('{"message":"A [removed] for [removed], not Annabel"}');
    expect(word.erase(text, false)).toBe(text);
  });

  it('leaves a long number a number', () => {
    const person = new Person({ endUser: null, tags: { end_user_id: '8801234567' } });
    expect(JSON.parse(person.erase('{"user":8801234567,"id":88012345678}', false))).toEqual({
      user: 0,
      id: 88012345678,
    });
  });

  it('knows people by their tags as well', () => {
    const person = new Person({ endUser: null, tags: { end_user_email: 'eva@example.com', end_user_id: 'eva-123' } });
    expect(person.erase('eva@example.com is eva-123', false)).toBe('[removed] is [removed]');
  });

  it('keeps bytes that are no text', () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from('ada.l+hub@example.com'), Buffer.from([0xfe])]);
    const erased = eraseBytes(bytes, (text) => ada.erase(text, false));
    expect(erased).toEqual(Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from('[removed]'), Buffer.from([0xfe])]));
  });

  it('needs time that grows with the text only', () => {
    const text = `${'%25'.repeat(200_000)}${'\\'.repeat(200_000)} ada ${'a'.repeat(200_000)}`;
    const start = performance.now();
    ada.erase(text, true);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
