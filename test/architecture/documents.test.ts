import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTING_VARIABLES } from '../../server/contract/setting-variables.ts';
import { ROOT } from './source-tree.ts';

const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');
const PAGES = 'server/docs';

describe('the documents that people read first', () => {
  it.each([
    ['README.md', 10_000],
    ['CHANGELOG.md', 6_000],
    ['DECISIONS.md', 32_000],
  ])('%s stays short', (name, bytes) => {
    expect(Buffer.byteLength(read(name))).toBeLessThanOrEqual(bytes);
  });

  it('show calls that the page of the first ten minutes has, which a test types', () => {
    const calls = [...read('README.md').matchAll(/^```sh\n[\s\S]*?^```$/gm)].map(([block]) => block);

    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) expect(read(`${PAGES}/first-ten-minutes.md`)).toContain(call);
  });

  it('list every page of the documentation', () => {
    const pages = readdirSync(path.join(ROOT, PAGES)).filter((name) => name.endsWith('.md') && name !== 'README.md');

    for (const page of pages) expect(read(`${PAGES}/README.md`)).toContain(`](${page})`);
    expect(read('README.md')).toContain(`](${PAGES}/README.md)`);
  });
});

describe('the pages of the documentation', () => {
  it('name no variable that the program does not read', () => {
    const known = Object.keys(SETTING_VARIABLES);
    const pages = readdirSync(path.join(ROOT, PAGES)).map((name) =>
      name.endsWith('.md') ? read(`${PAGES}/${name}`) : '',
    );
    const named = new Set(pages.join('\n').match(/\bHOMEPORT_[A-Z_]+\b/g));

    expect(known.length).toBeGreaterThan(10);
    expect([...named].filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('the walks of the dashboard', () => {
  it('name files that are there', () => {
    const [, walks = ''] = read('ARCHITECTURE.md').split('\n## Two walks of the dashboard\n');
    const files = [...walks.matchAll(/^\| `(renderer\/[^`]+)` \|/gm)].map(([, file = '']) => file);

    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});

describe('the promises of SECURITY.md', () => {
  const [, promises = ''] = /\n## Promises,.*?\n\|---\|---\|\n(.*?)\n\n/s.exec(read('SECURITY.md')) ?? [];

  it.each(promises.split('\n'))('%s', (row) => {
    const [, tests = ''] = row.split(' | ');
    const files = [...tests.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = '']) => file);

    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});

describe('the workflows', () => {
  const names = readdirSync(path.join(ROOT, '.github/workflows'));

  it.each(names)('%s uses actions by their commit', (name) => {
    const used = [...read(`.github/workflows/${name}`).matchAll(/uses: (\S+)/g)].map(([, action = '']) => action);

    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });
});
