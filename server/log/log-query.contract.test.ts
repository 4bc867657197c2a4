import { describe, expect, it } from 'vitest';
import {
  excludeFromQuery,
  isFieldBegun,
  matchesLogQuery,
  parseLogQuery,
  suggestionsFor,
  tokenAt,
} from './log-query.contract.ts';

describe('parseLogQuery', () => {
  it('tells fields, exclusions, durations, words and exact words apart', () => {
    const query = parseLogQuery(
      'status:failed,timeout type:sync:run -connection:abc duration>2s slow "exact words" -noise',
    );

    expect(query.sets).toEqual([
      { field: 'state', values: ['failed', 'timeout'], isExcluded: false },
      { field: 'type', values: ['sync:run'], isExcluded: false },
      { field: 'connection', values: ['abc'], isExcluded: true },
    ]);
    expect([query.minDurationMs, query.maxDurationMs]).toEqual([2001, undefined]);
    expect([query.text, query.excludedTexts]).toEqual(['slow "exact words"', ['noise']]);
    expect(query.problems).toEqual([]);
  });

  it('takes quoted values with spaces and commas', () => {
    expect(parseLogQuery('connection:"a, b",c').sets).toEqual([
      { field: 'connection', values: ['a, b', 'c'], isExcluded: false },
    ]);
  });

  it('reads durations with and without a unit, open and closed, and turns them around behind a minus', () => {
    const rangeOf = (text: string) => {
      const { minDurationMs, maxDurationMs } = parseLogQuery(text);
      return [minDurationMs, maxDurationMs];
    };

    expect(rangeOf('duration>=1.5s')).toEqual([1500, undefined]);
    expect(rangeOf('duration<500')).toEqual([undefined, 499]);
    expect(rangeOf('duration>1s duration<=1m')).toEqual([1001, 60_000]);
    expect(rangeOf('-duration>2s')).toEqual([undefined, 2000]);
  });

  it('says what cannot be meant, and takes unknown fields and addresses for words', () => {
    expect(parseLogQuery('state:broken duration>soon').problems).toEqual([
      'There is no state "broken".',
      '"soon" is not a duration. Write 500ms, 2s, 5m or 1h.',
    ]);
    expect(parseLogQuery('https://api.example/v1 page:3').text).toBe('https://api.example/v1 page:3');
  });

  it('says of a field that does not exist which ones do, or what was meant', () => {
    const problemsOf = (query: string) => parseLogQuery(query).problems;

    expect(problemsOf('foo:bar')).toEqual([
      '"foo" is not a field: state, type, integration, connection, function, trigger, session and duration are. Put it in quotes to search for the words.',
    ]);
    expect(problemsOf('-auth:refresh_token')).toEqual(['"auth" is not a field. Write -type:auth:refresh_token.']);
    expect(problemsOf('"foo:bar" https://api.example 12:30 foo:')).toEqual([]);
  });

  it('leaves out a field whose value is still being typed', () => {
    expect(parseLogQuery('state: function:""')).toMatchObject({ sets: [], text: '', problems: [] });
  });
});

describe('isFieldBegun', () => {
  it('is true of the beginning of a field’s name, also an excluded or another one', () => {
    expect(['s', 'sta', 'STATE', '-sta', 'dura', 'scr'].map(isFieldBegun)).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(['', 'state:', 'stale', 'ticket', '"sta'].map(isFieldBegun)).toEqual([false, false, false, false, false]);
  });
});

describe('excludeFromQuery', () => {
  it('adds an exclusion once, in the place of the opposite', () => {
    expect(excludeFromQuery('slow', 'state', 'failed')).toBe('slow -state:failed');
    expect(excludeFromQuery('state:failed slow', 'state', 'failed')).toBe('slow -state:failed');
    expect(excludeFromQuery('-connection:"a b"', 'connection', 'a b')).toBe('-connection:"a b"');
  });
});

describe('suggestionsFor', () => {
  it('offers fields, then their values, also behind a minus and a comma', () => {
    expect(suggestionsFor('in', []).map(({ insert }) => insert)).toEqual(['integration:']);
    expect(suggestionsFor('-st', []).map(({ insert }) => insert)).toEqual(['-state:']);
    expect(suggestionsFor('state:failed,t', []).map(({ insert }) => insert)).toEqual([
      'state:failed,waiting',
      'state:failed,timeout',
    ]);
    expect(suggestionsFor('-connection:c', [{ value: 'Cobalt Cycles', label: null }])[0]?.insert).toBe(
      '-connection:"Cobalt Cycles"',
    );
  });

  it('finds the token at the caret', () => {
    expect(tokenAt('state:failed  sync', 12).text).toBe('state:failed');
    expect(tokenAt('state:failed  sync', 13)).toEqual({ text: '', from: 13, to: 13 });
  });
});

describe('matchesLogQuery', () => {
  const row = {
    state: 'failed',
    types: ['sync', 'sync:run'],
    integration: 'github',
    connection: null,
    function: 'fetch-issues',
    trigger: 'schedule',
    durationMs: 2500,
    texts: ['Fetching issues'],
  };
  const matches = (text: string): boolean => matchesLogQuery(row, parseLogQuery(text));

  it('applies sets, exclusions, durations and words', () => {
    expect(matches('state:failed type:sync duration>2s issues')).toBe(true);
    expect([matches('-type:sync:run'), matches('duration<2s'), matches('-issues'), matches('trigger:api')]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('keeps a row without the field when a value of it is excluded', () => {
    expect([matches('-connection:abc'), matches('connection:abc')]).toEqual([true, false]);
  });
});
