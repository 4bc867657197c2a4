import { readFileSync, writeFileSync } from 'node:fs';
import { LAYERS } from '../config/layers.ts';
import { drawLayers, replacePicture } from './layer-picture.ts';

const file = new URL('../config/layers.md', import.meta.url);
writeFileSync(file, replacePicture(readFileSync(file, 'utf8'), drawLayers(LAYERS)));
