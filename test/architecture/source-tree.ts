import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FileFacts, readFacts } from './file-facts.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const IGNORED = new Set(['node_modules', 'dist', 'release']);
/** Recorded inputs and shipped examples are data, not part of the layers. */
const DATA = ['test/fixtures', 'test/golden', 'functions/templates', 'functions/examples'];
const isSource = (file: string): boolean => /\.(ts|tsx|mts|mjs)$/.test(file) && !file.endsWith('.d.ts');

export interface SourceFile extends FileFacts {
  /** Relative to the repository, with forward slashes. */
  path: string;
}

export function topLevelNames(): string[] {
  return readdirSync(ROOT).filter((name) => !name.startsWith('.') && !IGNORED.has(name) && !name.endsWith('.log'));
}

/** Every file of the repository below its top-level folders. */
export function listFiles(folder = ''): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.name.startsWith('.') || IGNORED.has(entry.name)) return [];
    if (entry.isDirectory()) return DATA.includes(name) ? [] : listFiles(name);
    return folder === '' ? [] : [name];
  });
}

export function readSources(): SourceFile[] {
  return listFiles()
    .filter(isSource)
    .map((file) => ({ path: file, ...readFacts(file, readFileSync(path.join(ROOT, file), 'utf8')) }));
}
