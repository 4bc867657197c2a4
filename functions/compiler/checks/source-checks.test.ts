import { describe, expect, it } from 'vitest';
import { collectFacts } from '../source-facts.ts';
import { SourceFile } from '../source-file.ts';
import { checkSource } from './source-checks.ts';

/** Codes of the errors for the body of an `exec`. */
function codesOf(body: string): string[] {
  const text = `export default createSync({\n  exec: async (nango) => {\n${body}\n  },\n});\n`;
  const facts = collectFacts(new SourceFile('demo/syncs/probe.ts', text));
  return checkSource(facts, true).map(({ code }) => code);
}

/**
 * The calls of functions.md 2.3, and the write calls that its list leaves out: a run that ends before them loses them
 * too.
 */
const AWAITED = [
  ...['batchUpdate', 'updateMetadata', 'saveCheckpoint', 'clearCheckpoint', 'tryAcquireLock', 'releaseLock'],
  ...['releaseAllLocks', 'triggerSync', 'startSync'],
  ...['batchDelete', 'batchSave', 'batchSend', 'delete', 'deleteRecordsFromPreviousExecutions', 'get', 'getConnection'],
  ...['getEnvironmentVariables', 'getFieldMapping', 'getMetadata', 'log', 'patch', 'post', 'proxy', 'put'],
  ...['setFieldMapping', 'setMergingStrategy', 'setMetadata', 'trackDeletesEnd', 'trackDeletesStart', 'triggerAction'],
];
const NOT_AWAITED = [
  'paginate',
  'listRecords',
  'setLogger',
  'ActionError',
  'getToken',
  'getCheckpoint',
  'getIntegration',
  'uncontrolledFetch',
];

describe('calls that have to be awaited', () => {
  it.each(AWAITED)('%s is refused without await and accepted with it', (method) => {
    expect(codesOf(`nango.${method}(x);`)).toContain('method_need_await');
    expect(codesOf(`const later = nango.${method}(x);`)).toContain('method_need_await');
    for (const handled of [
      `await nango.${method}(x);`,
      `return nango.${method}(x);`,
      `nango.${method}(x).then(done);`,
      `nango.${method}(x).catch(done);`,
      `await Promise.all([nango.${method}(x)]);`,
    ])
      expect(codesOf(handled)).not.toContain('method_need_await');
  });

  it.each(NOT_AWAITED)('%s is not checked', (method) => {
    expect(codesOf(`nango.${method}(x);`)).toEqual([]);
  });

  it('are only those of an identifier named nango', () => {
    expect(codesOf('client.get(x); this.nango.get(x); get(x);')).toEqual([]);
  });
});

describe('the order of calls', () => {
  it.each(['proxy', 'get', 'post', 'put', 'patch', 'delete', 'batchSave', 'batchUpdate', 'batchDelete'])(
    'puts setMergingStrategy above %s',
    (method) => {
      const strategy = "await nango.setMergingStrategy({ strategy: 'override' }, 'Item');";

      expect(codesOf(`await nango.${method}(x);\n${strategy}`)).toEqual(['set_merging_strategy_order']);
      expect(codesOf(`${strategy}\nawait nango.${method}(x);`)).toEqual([]);
    },
  );

  it.each(['batchSave', 'batchUpdate', 'batchDelete'])(
    'puts deleteRecordsFromPreviousExecutions below %s',
    (method) => {
      const deletion = "await nango.deleteRecordsFromPreviousExecutions('Item');";

      expect(codesOf(`${deletion}\nawait nango.${method}(x, 'Item');`)).toEqual(['delete_records_order']);
      expect(codesOf(`await nango.${method}(x, 'Item');\n${deletion}`)).toEqual([]);
      expect(codesOf(`${deletion}\n${deletion}`)).toEqual(['delete_records_order']);
    },
  );

  it.each([
    ['START', ['track_deletes_order']],
    ['END', ['track_deletes_order']],
    ['END SAVE START', ['track_deletes_order', 'track_deletes_order', 'track_deletes_order']],
    ['START START SAVE END', ['track_deletes_order']],
    ['START SAVE END END', ['track_deletes_order']],
    ['SAVE START END', ['track_deletes_order']],
    ['START END SAVE', ['track_deletes_order']],
    ['START SAVE END', []],
  ])('of trackDeletes: %s', (order, codes) => {
    const lines: Record<string, string> = {
      START: "await nango.trackDeletesStart('Item');",
      END: "await nango.trackDeletesEnd('Item');",
      SAVE: "await nango.batchSave(x, 'Item');",
    };

    expect(
      codesOf(
        order
          .split(' ')
          .map((word) => lines[word])
          .join('\n'),
      ),
    ).toEqual(codes);
  });
});

describe('modules', () => {
  it.each([
    ...['homeport', 'nango', 'zod', 'crypto', 'node:crypto', 'url', 'node:url', './x', '../lib/x.js'].map((name) => [
      name,
      [],
    ]),
    ...['soap', 'unzipper', 'botbuilder', 'nango/experimental'].map((name) => [name, ['unsupported_module']]),
    ...['fs', 'node:fs', 'axios', 'zod/v4', '/etc/x', 'homeport/test', 'soap/lib'].map((name) => [
      name,
      ['disallowed_import'],
    ]),
  ] as Array<[string, string[]]>)('%s', (name, codes) => {
    const check = (statement: string): string[] =>
      checkSource(collectFacts(new SourceFile('demo/lib/probe.ts', `${statement}\n`)), false).map(({ code }) => code);

    expect(check(`import x from '${name}';`)).toEqual(codes);
    expect(check(`import { type X } from '${name}';`)).toEqual(codes);
    expect(check(`export * from '${name}';`)).toEqual(codes);
    expect(check(`import type { X } from '${name}';`)).toEqual([]);
    expect(check(`export type { X } from '${name}';`)).toEqual([]);
  });

  it.each([
    ['soap', 'nango.post()'],
    ['unzipper', 'Ask the provider'],
    ['botbuilder', 'REST API'],
  ])('%s is refused with the reason and an alternative', (name, advice) => {
    const [diagnostic] = checkSource(collectFacts(new SourceFile('demo/a.ts', `import x from '${name}';`)), false);

    expect(diagnostic?.message).toContain('isolate');
    expect(diagnostic?.message).toContain(advice);
  });
});

describe('retryOn', () => {
  it.each(['get', 'post', 'put', 'patch', 'delete', 'proxy', 'paginate'])('of %s needs retries', (method) => {
    expect(codesOf(`await nango.${method}({ endpoint: '/x', retryOn: [404] });`)).toEqual(['retryon_need_retries']);
    expect(codesOf(`await nango.${method}({ endpoint: '/x', retryOn: [404], retries: 1 });`)).toEqual([]);
  });
});
