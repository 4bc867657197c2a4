import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAYERS } from '../../build/config/layers.ts';
import { drawLayers, replacePicture } from '../../build/scripts/layer-picture.ts';
import { ROOT } from './source-tree.ts';

describe('build/config/layers.md', () => {
  it('shows the layers as they are (npm run golden:update draws them again)', () => {
    const text = readFileSync(path.join(ROOT, 'build/config/layers.md'), 'utf8');

    expect(replacePicture(text, drawLayers(LAYERS))).toBe(text);
  });
});
