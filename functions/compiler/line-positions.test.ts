import { describe, expect, it } from 'vitest';
import { LinePositions } from './source-file.ts';

describe('LinePositions', () => {
  const text = 'one\r\nä two\n\nend';
  const positions = new LinePositions(text);

  it.each([
    ['one', 1, 1],
    ['two', 2, 3],
    ['end', 4, 1],
  ])('finds "%s" in line %i, column %i', (word, line, column) => {
    expect(positions.at(text.indexOf(word))).toEqual({ line, column });
  });

  it('knows the end of the text', () => {
    expect(positions.at(text.length)).toEqual({ line: 4, column: 4 });
  });
});
