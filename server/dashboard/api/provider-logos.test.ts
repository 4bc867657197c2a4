import { describe, expect, it } from 'vitest';
import { drawInitials } from './dashboard.ts';

describe('drawInitials', () => {
  it.each([
    ['Practice tracker', 'PT'],
    ['github', 'G'],
    ['Élan vital', 'ÉV'],
    ['<script>&"', 'S'],
    ['***', '?'],
  ])('%s → %s', (name, letters) => {
    expect(drawInitials(name)).toContain(`>${letters}</text>`);
  });

  it('gives a name the same colour every time', () => {
    expect(drawInitials('Practice tracker')).toBe(drawInitials('Practice tracker'));
  });
});
