import { describe, expect, it } from 'vitest';
import { RepeatedCalls } from './repeated-calls.ts';

const SESSION = { apiKeyId: 1, connectionRowId: 1, fingerprint: 'read 1', sessionId: 's1', tool: 'list' };
const ROW = 'The same call came 5 times in a row.';

/** The answers to the calls of one session, each named by its tool. */
function play(repeated: RepeatedCalls, tools: string, most: number | null = 5): Array<string | undefined> {
  return [...tools].map((tool) => repeated.note({ ...SESSION, tool }, { id: 1 }, most));
}

describe('repeated calls', () => {
  it.each([
    ['five of the same', 'AAAAA', [4]],
    ['each one after these', 'AAAAAAA', [4, 5, 6]],
    ['a row that another call ended', 'AAAABAAAA', []],
    ['two that take turns', 'ABABABABAB', [9]],
    ['three that take turns', 'ABCABCABCABCABC', [14]],
    ['a turn of four', 'ABCD'.repeat(6), []],
    ['a status that is read between other work', 'SASBSCSDSESF', []],
  ])('notices %s', (_, tools, noticed) => {
    const all = play(new RepeatedCalls(), tools);
    expect(all.flatMap((one, index) => (one === undefined ? [] : [index]))).toEqual(noticed);
  });

  it('says what is repeated', () => {
    expect(play(new RepeatedCalls(), 'AAAAA').at(-1)).toBe(ROW);
    expect(play(new RepeatedCalls(), 'ABABAB', 3).at(-1)).toBe('The same 2 calls came 3 times in turn.');
  });

  it.each([
    ['the order of members', { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }],
    ['white space', { text: 'buy milk' }, { text: ' buy\n  milk ' }],
    ['how a number is written', { n: 10, m: '1.50' }, { n: '1e1', m: 1.5 }],
  ])('sees through %s', (_, one, other) => {
    const repeated = new RepeatedCalls();
    const found = [one, other, one, other, one].map((given) => repeated.note(SESSION, given, 5));
    expect(found.at(-1)).toBe(ROW);
  });

  it.each([
    ['another argument', { id: 2 }],
    ['another order of a list', { list: [2, 1] }],
    ['a long number with another digit', { id: '12345678901234567891' }],
    ['a member that is null', { id: null }],
  ])('takes %s for another call', (_, other) => {
    const repeated = new RepeatedCalls();
    const base = Object.keys(other)[0] === 'list' ? { list: [1, 2] } : { id: '12345678901234567890' };
    for (let count = 0; count < 4; count += 1) repeated.note(SESSION, base, 5);
    expect(repeated.note(SESSION, other, 5)).toBeUndefined();
  });

  it('counts another connection and another session for themselves', () => {
    const repeated = new RepeatedCalls();
    play(repeated, 'AAAA');
    expect(repeated.note({ ...SESSION, tool: 'A', sessionId: 's2' }, { id: 1 }, 5)).toBeUndefined();
    expect(repeated.note({ ...SESSION, tool: 'A', connectionRowId: 2 }, { id: 1 }, 5)).toBeUndefined();
  });

  it('is quiet about a call that a person allowed for the session, and about nothing else', () => {
    const repeated = new RepeatedCalls();
    play(repeated, 'AAAAA');
    repeated.allow({ ...SESSION, tool: 'A' }, { id: 1 });
    expect(play(repeated, 'AAAAAA').every((one) => one === undefined)).toBe(true);
    expect(play(repeated, 'BBBBB').at(-1)).toBe(ROW);
    repeated.endSession('s1');
    expect(play(repeated, 'AAAAA').at(-1)).toBe(ROW);
  });

  it('can be switched off', () => {
    expect(play(new RepeatedCalls(), 'A'.repeat(50), null).every((one) => one === undefined)).toBe(true);
  });
});
