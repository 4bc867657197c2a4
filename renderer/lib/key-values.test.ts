import { describe, expect, it } from 'vitest';
import { formatPairs, parsePairs, readClientFile, toRecord } from './key-values.ts';

describe('parsePairs', () => {
  it('reads lines of an environment file', () => {
    expect(parsePairs('# plan\nexport PLAN="pro"\nregion = eu\n\nurl=https://a.example/?b=c')).toEqual([
      { key: 'PLAN', value: 'pro' },
      { key: 'region', value: 'eu' },
      { key: 'url', value: 'https://a.example/?b=c' },
    ]);
  });

  it('reads a flat JSON object', () => {
    expect(parsePairs('{"plan":"pro","seats":3}')).toEqual([
      { key: 'plan', value: 'pro' },
      { key: 'seats', value: '3' },
    ]);
  });

  it.each(['plan', '', '{"a":', '{"a":{}}', 'a=1\nnothing'])('leaves %j as it is', (text) => {
    expect(parsePairs(text)).toBeUndefined();
  });
});

describe('toRecord', () => {
  it('leaves out rows without a name', () => {
    expect(
      toRecord([
        { key: ' plan ', value: 'pro' },
        { key: '', value: 'x' },
      ]),
    ).toEqual({ plan: 'pro' });
  });
});

it('finds the client at the top or one level below', () => {
  expect(readClientFile('{"clientId": "a", "clientSecret": "b"}')).toEqual({ client_id: 'a', client_secret: 'b' });
  const google = '{"web": {"client_id": "x.apps", "project_id": "p", "client_secret": "s"}}';
  expect(readClientFile(google)).toEqual({ client_id: 'x.apps', client_secret: 's' });
});

it('leaves other text alone', () => {
  expect(readClientFile('a client id')).toBeUndefined();
  expect(readClientFile('{"broken"')).toBeUndefined();
  expect(readClientFile('{"redirect": ["x"], "nothing": null}')).toBeUndefined();
});

it.each(['plain', 'two words', 'a"b\\c', 'line\none\r\n#two', "it's", '', ' padded ', '$HOME', 'a=b'])(
  'reads %j back as it was written',
  (value) => {
    const pairs = [
      { key: 'FIRST', value },
      { key: 'LAST', value: 'x' },
    ];

    expect(parsePairs(formatPairs(pairs))).toEqual(pairs);
  },
);
