import { describe, expect, it } from 'vitest';
import { lineDifference } from './line-difference.ts';

describe('lineDifference', () => {
  it('is empty for the same text', () => {
    expect(lineDifference('a\nb\n', 'a\nb\n')).toBe('');
  });

  it('shows every line of a new text', () => {
    expect(lineDifference('', 'a\nb\n')).toBe('+ a\n+ b');
  });

  it('shows removed and added lines with three lines around them', () => {
    const lines = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
    const changed = lines.with(5, 'six').toSpliced(9, 0, '10');

    expect(lineDifference(lines.join('\n'), changed.join('\n'))).toBe(
      ['…', '  3', '  4', '  5', '- 6', '+ six', '  7', '  8', '  9', '+ 10'].join('\n'),
    );
  });

  it('never hides an added line, however long the texts are', () => {
    const before = Array.from({ length: 6000 }, (_, index) => `a${index}`);
    const after = Array.from({ length: 6000 }, (_, index) => `b${index}`);

    const shown = lineDifference(before.join('\n'), after.join('\n')).split('\n');

    expect(shown.filter((line) => line.startsWith('+ '))).toHaveLength(6000);
  });
});
