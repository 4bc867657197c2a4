import path from 'node:path';
import type { SourceFile } from './source-tree.ts';

const FORBIDDEN = new Set(['index', 'utils', 'util', 'helpers', 'helper', 'common', 'misc']);
/** Entries and roots of processes and bundles: their folder identifies them. */
const ENTRIES = new Set(['main', 'app']);
/** Files of a noun of the server: the suffix says the layer (build/config/layers.ts). */
const SUFFIX = /\.(contract|tables|store|service|present|job|api|dashboard)$/;
const DEEPEST = 4;

const isCode = (file: string): boolean => /\.(ts|tsx|mjs)$/.test(file) && !file.endsWith('.d.ts');
const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);
const stemOf = (file: string): string => path.posix.basename(file).replace(/\.(ts|tsx|mjs)$/, '');

/** Base names of more than one source file. Tests are left out: they are named after their subject or folder. */
export function findSharedNames(files: string[]): string[] {
  const byStem = new Map<string, string[]>();
  for (const file of files.filter((name) => isCode(name) && !isTest(name))) {
    const stem = stemOf(file).toLowerCase();
    if (!ENTRIES.has(stem)) byStem.set(stem, [...(byStem.get(stem) ?? []), file]);
  }
  return [...byStem.values()].filter((same) => same.length > 1).map((same) => same.join(', '));
}

export function findForbiddenNames(files: string[]): string[] {
  return files.filter((file) => {
    if (!isCode(file)) return false;
    const stem = stemOf(file)
      .replace(/\.(test|bench|config)$/, '')
      .replace(SUFFIX, '');
    const isKebab = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem);
    const isComponent = file.endsWith('.tsx') && /^[A-Z][A-Za-z0-9]*$/.test(stem);
    return FORBIDDEN.has(stem.toLowerCase()) || !(isKebab || isComponent);
  });
}

export function findDeepFiles(files: string[]): string[] {
  return files.filter((file) => file.split('/').length - 1 > DEEPEST);
}

/**
 * Authors' examples and types use the words of the runtime that they describe; `node-globals` replaces a file of the
 * runtime where Node provides the globals.
 */
const SAME_WORDS = [
  'functions/sdk/',
  'functions/templates/',
  'functions/compiler/workspace-plugin.ts',
  'functions/testing/node-globals.ts',
];

/** Names that two files of the program export: a reader would not know which one is meant. */
export function findSharedExports(files: Pick<SourceFile, 'path' | 'exports'>[]): string[] {
  const filesByName = new Map<string, string[]>();
  for (const { path: file, exports } of files) {
    if (isTest(file) || file.startsWith('test/') || SAME_WORDS.some((folder) => file.startsWith(folder))) continue;
    for (const { text } of exports) filesByName.set(text, [...(filesByName.get(text) ?? []), file]);
  }
  return [...filesByName].filter(([, same]) => same.length > 1).map(([name, same]) => `${name}: ${same.join(', ')}`);
}

const MAX_LINES = 400;
/** Files that contain one table each. */
const LONG_TABLES = new Set(['build/config/layers.ts']);

/** Files of code that are too long to read at once. Tests are exempt, because they are lists of cases. */
export function findLongFiles(files: ReadonlyArray<{ path: string; text: string }>): string[] {
  return files
    .filter(({ path: file }) => isCode(file) && !isTest(file) && !file.startsWith('test/') && !LONG_TABLES.has(file))
    .map(({ path: file, text }) => ({ file, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ file, lines }) => `${file}: ${lines} lines`);
}
