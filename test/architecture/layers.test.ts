import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PLANNED, TOP_LEVEL } from '../../build/config/layers.ts';
import { findCircles } from './circles.ts';
import { findAmbientReads, findStarSelects, findStrayQueryKeys, findStraySql } from './content-rules.ts';
import { findStaleEntries, findUnknownNouns, findViolations } from './import-rules.ts';
import { findDeepFiles, findForbiddenNames, findLongFiles, findSharedExports, findSharedNames } from './name-rules.ts';
import { listFiles, ROOT, readSources, topLevelNames } from './source-tree.ts';

const sources = readSources();
const files = listFiles();

describe('the imports of the repository', () => {
  it('follow the table of layers', () => {
    expect(findViolations(sources)).toEqual([]);
  });

  it('use every permission of the table that is not planned', () => {
    expect(findStaleEntries(sources, PLANNED)).toEqual([]);
  });

  it('form no circle', () => {
    expect(findCircles(sources)).toEqual([]);
  });

  it('know every folder of server', () => {
    expect(findUnknownNouns(sources)).toEqual([]);
  });
});

describe('the names in the repository', () => {
  it('at the top level are the agreed ones', () => {
    expect(topLevelNames().filter((name) => !TOP_LEVEL.includes(name))).toEqual([]);
  });

  it('of source files are unique', () => {
    expect(findSharedNames(files)).toEqual([]);
  });

  it('of source files are kebab-case (components PascalCase) and say what is inside', () => {
    expect(findForbiddenNames(files)).toEqual([]);
  });

  it('that are exported are unique', () => {
    expect(findSharedExports(sources)).toEqual([]);
  });

  it('stand at most four folders deep', () => {
    expect(findDeepFiles(files)).toEqual([]);
  });

  it('are of files with at most 400 lines of code', () => {
    const texts = sources.map(({ path: file }) => ({ path: file, text: readFileSync(path.join(ROOT, file), 'utf8') }));
    expect(findLongFiles(texts)).toEqual([]);
  });
});

describe('the server', () => {
  it('keeps its SQL in stores and database', () => {
    expect(findStraySql(sources)).toEqual([]);
  });

  it('spells out the columns it selects', () => {
    expect(findStarSelects(sources)).toEqual([]);
  });

  it('reads clock, randomness and environment in the named files only', () => {
    expect(findAmbientReads(sources)).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('takes the keys of its query cache from one factory', () => {
    expect(findStrayQueryKeys(sources)).toEqual([]);
  });
});
