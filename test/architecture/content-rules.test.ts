import { describe, expect, it } from 'vitest';
import { findAmbientReads, findStarSelects, findStrayQueryKeys, findStraySql } from './content-rules.ts';
import { readFacts } from './file-facts.ts';
import { findDeepFiles, findForbiddenNames, findLongFiles, findSharedExports, findSharedNames } from './name-rules.ts';

const file = (path: string, text: string) => ({ path, ...readFacts(path, text) });

describe('the content rules', () => {
  it('find SQL outside stores and database, also in templates', () => {
    const text = "const a = 'SELECT id FROM jobs'; const b = `UPDATE jobs SET x = ${1}`; const c = 'SELECT a plan';";

    expect(findStraySql([file('server/functions/runs/a.ts', text)])).toHaveLength(3);
    expect(findStraySql([file('server/log/a.store.ts', text)])).toEqual([]);
  });

  it('leave prose alone', () => {
    expect(
      findStraySql([file('server/platform/lib/a.ts', "const a = 'Select a plan'; const b = 'Begin here';")]),
    ).toEqual([]);
  });

  it('find a star after SELECT', () => {
    expect(findStarSelects([file('server/log/a.store.ts', "const a = 'SELECT * FROM jobs';")])).toHaveLength(1);
  });

  it('find reads of the clock, of randomness and of the environment', () => {
    const text = 'Date.now(); new Date(); Math.random(); process.env["A"]; process.exit(1); new Date(5);';

    expect(findAmbientReads([file('server/functions/runs/a.ts', text)])).toHaveLength(5);
    expect(findAmbientReads([file('server/functions/runs/a.test.ts', text)])).toEqual([]);
    expect(findAmbientReads([file('server/platform/lib/clock.ts', 'Date.now();')])).toEqual([]);
  });

  it('find keys of the query cache that are written out', () => {
    const text = "useQuery({ queryKey: [env, 'a'] }); client.setQueryData(['a'], 1); useQuery({ queryKey: keys.a });";

    expect(findStrayQueryKeys([file('renderer/features/logs/a.ts', text)])).toHaveLength(2);
    expect(findStrayQueryKeys([file('renderer/api/a.test.ts', text)])).toEqual([]);
  });
});

describe('the name rules', () => {
  it('find a base name used twice, with any extension; tests and entries may share theirs', () => {
    const files = ['a/x/one.ts', 'b/one.tsx', 'a/x/one.test.ts', 'b/one.test.ts', 'a/main.ts', 'b/main.ts'];

    expect(findSharedNames(files)).toEqual(['a/x/one.ts, b/one.tsx']);
  });

  it('find drawers and names in the wrong case', () => {
    const files = ['a/index.ts', 'a/utils.ts', 'a/fooBar.ts', 'a/FooBar.tsx', 'a/foo-bar.test.ts', 'a/vite.config.ts'];

    expect(findForbiddenNames(files)).toEqual(['a/index.ts', 'a/utils.ts', 'a/fooBar.ts']);
  });

  it('find files of code with more than 400 lines', () => {
    const long = (path: string, lines: number) => ({ path, text: 'a;\n'.repeat(lines) });

    expect(findLongFiles([long('server/a.ts', 401), long('server/b.ts', 400), long('server/c.test.ts', 900)])).toEqual([
      'server/a.ts: 401 lines',
    ]);
  });

  it('find a name that two files export', () => {
    const one = file('server/a.ts', 'export interface Row {}');
    const other = file('renderer/b.ts', "export const Row = 1; export { Row as Line } from './c.ts';");

    expect(findSharedExports([one, other])).toEqual(['Row: server/a.ts, renderer/b.ts']);
    expect(findSharedExports([one, file('functions/sdk/b.ts', 'export type Row = 1;')])).toEqual([]);
  });

  it('find files deeper than four folders', () => {
    expect(findDeepFiles(['a/b/c/d/e.ts', 'a/b/c/d/e/f.ts'])).toEqual(['a/b/c/d/e/f.ts']);
  });
});
