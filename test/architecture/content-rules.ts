import type { TextFact } from './file-facts.ts';
import { isOutsideLayers, isWithin } from './import-rules.ts';
import type { SourceFile } from './source-tree.ts';

const SQL =
  /^\s*(SELECT\s|INSERT (OR \w+ )?INTO\s|UPDATE \w+\s+SET\s|DELETE FROM\s|CREATE (TABLE|INDEX|UNIQUE)|BEGIN\b|PRAGMA\s|WITH \w+ AS \()/;
/** Snowflake's API takes SQL in its requests, and the query engine is another database: those statements run there, not in ours. */
const SQL_HOMES = [
  '*.store.ts',
  '*.tables.ts',
  'server/schema',
  'server/platform/database',
  'server/lifecycle/provider-steps/post-connection-steps.ts',
  'server/queries',
];

/** Accesses to the outside world, and the only files that may make them. */
const AMBIENT: Record<string, string[]> = {
  'Date.now': ['server/platform/lib/clock.ts'],
  'new Date()': ['server/platform/lib/clock.ts'],
  'Math.random': ['server/platform/lib/ids.ts', 'server/practice'],
  'process.env': [
    'server/main.ts',
    'server/config.ts',
    'server/platform/sandbox/worker-main.ts',
    'server/cli/cli-main.ts',
  ],
  'process.exit': ['server/main.ts', 'server/cli/cli-main.ts'],
};

type Contents = Pick<SourceFile, 'path' | 'strings' | 'ambient'>;

function report(files: Contents[], pick: (file: Contents) => TextFact[]): string[] {
  return files
    .filter(({ path }) => isWithin(path, 'server') && !isOutsideLayers(path))
    .flatMap((file) => pick(file).map(({ text, line }) => `${file.path}:${line} ${text.trim().slice(0, 60)}`));
}

/** Only the stores and the database contain SQL. */
export function findStraySql(files: Contents[]): string[] {
  return report(files, ({ path, strings }) =>
    SQL_HOMES.some((home) => isWithin(path, home)) ? [] : strings.filter(({ text }) => SQL.test(text)),
  );
}

/** Columns are spelled out: a new column must not change what old code reads. */
export function findStarSelects(files: Contents[]): string[] {
  return report(files, ({ strings }) => strings.filter(({ text }) => /\bSELECT \*/.test(text)));
}

/** Clock, randomness and environment are passed in; only the listed files use the real ones. */
export function findAmbientReads(files: Contents[]): string[] {
  return report(files, ({ path, ambient }) =>
    ambient.filter(({ text }) => {
      const homes = Object.hasOwn(AMBIENT, text) ? AMBIENT[text] : undefined;
      return homes && !homes.some((home) => isWithin(path, home));
    }),
  );
}

/** Keys of the query cache come from one factory, so that writing and invalidating code use the same key. */
export function findStrayQueryKeys(files: Pick<SourceFile, 'path' | 'queryKeys'>[]): string[] {
  return files
    .filter(({ path }) => isWithin(path, 'renderer') && !isOutsideLayers(path))
    .flatMap((file) => file.queryKeys.map(({ text, line }) => `${file.path}:${line} ${text}`));
}
