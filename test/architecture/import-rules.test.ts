import { describe, expect, it } from 'vitest';
import { findCircles } from './circles.ts';
import { readFacts } from './file-facts.ts';
import { findStaleEntries, findUnknownNouns, findViolations } from './import-rules.ts';

const file = (path: string, text = ''): { path: string; imports: ReturnType<typeof readFacts>['imports'] } => ({
  path,
  imports: readFacts(path, text).imports,
});

describe('the import rules', () => {
  it('refuse an import of a higher layer and say why', () => {
    const found = findViolations([file('server/log/a.store.ts', "import { b } from './logs.service.ts';")]);

    expect(found).toHaveLength(1);
    expect(found[0]).toContain('server/log/a.store.ts:1 imports server/log/logs.service.ts: *.store.ts: The only SQL');
  });

  it('let entry points import services as types only', () => {
    const asType = file('server/log/a.api.ts', "import type { Logs } from './logs.service.ts';");
    const asValue = file('server/log/b.dashboard.ts', "import { Logs } from './logs.service.ts';");
    const asHalfType = file('server/log/c.job.ts', "import { type Logs } from './logs.service.ts';");

    const found = findViolations([asType, asValue, asHalfType]);

    expect(found.map((line) => line.split(' ')[0])).toEqual(['server/log/b.dashboard.ts:1', 'server/log/c.job.ts:1']);
  });

  it('see dynamic imports, re-exports and import types', () => {
    const text = "export * from '../http/a.ts';\nconst b = import('../http/b.ts');\ntype C = import('../http/c.ts').C;";

    expect(findViolations([file('server/platform/lib/x.ts', text)])).toHaveLength(3);
  });

  it('refuse a noun that imports a later one, even as a type', () => {
    const text = "import type { Runs } from '../functions/runs/runs.service.ts';";

    expect(findViolations([file('server/log/logs.service.ts', text)])[0]).toContain('functions stands above log');
  });

  it('let others load the services of a noun only, its other files as types', () => {
    const value = file('server/functions/a.ts', "import { op } from '../log/operation.ts';");
    const type = file('server/functions/b.ts', "import type { Operation } from '../log/operation.ts';");
    const service = file('server/functions/c.ts', "import { Logs } from '../log/logs.service.ts';");
    const inside = file('server/functions/runs/d.ts', "import { run } from '../e.ts';");

    expect(findViolations([value, type, service, inside]).map((line) => line.split(' ')[0])).toEqual([
      'server/functions/a.ts:1',
    ]);
  });

  it('keep the engines apart', () => {
    expect(
      findViolations([file('server/platform/vault/a.ts', "import type { B } from '../sandbox/b.ts';")]),
    ).toHaveLength(1);
  });

  it('see modules that are loaded by require', () => {
    const text = "createRequire(import.meta.url)('keytar'); require('sqlite3');";

    expect(findViolations([file('server/platform/lib/x.ts', text)])).toHaveLength(2);
  });

  it('keep a package in its home and the contract on zod alone', () => {
    const stray = file('server/log/a.store.ts', "import sqlite3 from 'sqlite3';");
    const contract = file('server/contract/a.ts', "import { z } from 'zod';\nimport fs from 'node:fs';");

    expect(findViolations([stray, contract])).toHaveLength(2);
  });

  it('let tests import everything, and nothing else import tests', () => {
    const test = file(
      'server/platform/lib/a.test.ts',
      "import { b } from '../http/b.ts';\nimport { c } from '../../../test/support/c.ts';",
    );
    const source = file('server/platform/lib/a.ts', "import { c } from '../../../test/support/c.ts';");

    expect(findViolations([test, source])).toEqual([
      'server/platform/lib/a.ts:1 imports test/support/c.ts: only tests import test/',
    ]);
  });

  it('keep a second SQLite library away from a hub in the process of a test', () => {
    const text = "import { DatabaseSync } from 'node:sqlite';";

    expect(findViolations([file('test/contract/a.test.ts', text), file('test/simulation/b.ts', text)])).toEqual([
      'test/contract/a.test.ts:1 imports node:sqlite: tests read databases with test/support/look-into.ts',
    ]);
  });

  it('refuse a file outside of every layer and a folder that is not in the list', () => {
    expect(findViolations([file('server/drawer/a.ts', "import { b } from '../platform/lib/b.ts';")])).toHaveLength(1);
    expect(findUnknownNouns([file('server/misc/misc.service.ts')])).toEqual(['misc']);
  });
});

describe('stale entries', () => {
  const unused = [file('server/platform/lib/a.ts'), file('server/contract/b.ts')];
  const used = [
    file('server/platform/lib/a.ts', "import { b } from '../../contract/b.ts';"),
    file('server/contract/b.ts'),
  ];
  const permission = 'server/platform/lib → server/contract';

  it('are permissions that no file uses although both sides have files', () => {
    expect(findStaleEntries(unused, [])).toEqual([permission]);
    expect(findStaleEntries(used, [])).toEqual([]);
    expect(findStaleEntries([file('server/platform/lib/a.ts')], [])).toEqual([]);
  });

  it('are not those that are planned, until the plan comes true', () => {
    expect(findStaleEntries(unused, [permission])).toEqual([]);
    expect(findStaleEntries(used, [permission])).toEqual([`${permission} is in use: take it off PLANNED`]);
  });
});

describe('circles', () => {
  it('are found over value imports', () => {
    const circle = [
      file('server/platform/lib/a.ts', "import './b.ts';"),
      file('server/platform/lib/b.ts', "import './a.ts';"),
    ];

    expect(findCircles(circle)).toEqual([['server/platform/lib/a.ts', 'server/platform/lib/b.ts']]);
  });

  it('of types do not count: nothing is loaded in a circle', () => {
    const pair = [
      file('server/platform/lib/a.ts', "import './b.ts';"),
      file('server/platform/lib/b.ts', "import type { A } from './a.ts';"),
    ];

    expect(findCircles(pair)).toEqual([]);
  });
});
