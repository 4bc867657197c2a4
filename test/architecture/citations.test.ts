import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  findBrokenLinks,
  findSections,
  findUnresolvedCitations,
  findUnresolvedDecisions,
  type TextFile,
} from './citations.ts';
import { listFiles, ROOT } from './source-tree.ts';

const SPECIFICATION = 'server/contract/spec';

function readText(name: string): string | undefined {
  const file = path.join(ROOT, name);
  if (!existsSync(file)) return undefined;
  return statSync(file).isFile() ? readFileSync(file, 'utf8') : '';
}

const rootDocuments = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
const texts: TextFile[] = [...rootDocuments, ...listFiles(), ...listFiles('functions/templates')]
  .filter((name) => /\.(ts|tsx|mjs|md|yaml)$/.test(name))
  .map((name) => ({ path: name, text: readText(name) ?? '' }));

describe('the citations in the repository', () => {
  it('name a document of the specification and a section that it has', () => {
    const documents = texts.filter((file) => path.posix.dirname(file.path) === SPECIFICATION);
    const sections = new Map(documents.map((file) => [path.posix.basename(file.path), findSections(file.text)]));

    expect(findUnresolvedCitations(texts, sections)).toEqual([]);
  });

  it('name decisions that DECISIONS.md has', () => {
    expect(findUnresolvedDecisions(texts, findSections(readText('DECISIONS.md') ?? ''))).toEqual([]);
  });
});

describe('the links between the documents of the repository', () => {
  it('lead to files and headings that are there', () => {
    const documents = texts.filter((file) => file.path.endsWith('.md'));

    expect(findBrokenLinks(documents, readText)).toEqual([]);
  });
});

describe('the rule of citations', () => {
  const sections = new Map([['guide.md', findSections('# 1. One\ntext\n## 1.2 Two\n### 3.4\n')]]);
  // Built from parts, because the test also reads this file.
  const cite = (document: string, section: string): TextFile => ({
    path: 'a.ts',
    text: `/** (${document} ${section}). */`,
  });

  it('knows numbered headings of every level, and no other lines', () => {
    expect(findSections('# 1. One\n2. item\n## 2.1 Two\n### Three 3\n')).toEqual(new Set(['1', '2.1']));
  });

  it('takes a section that is a heading, also after another one', () => {
    expect(findUnresolvedCitations([cite('guide.md', '1'), cite('guide.md', '1.2.')], sections)).toEqual([]);
    expect(findUnresolvedCitations([cite('guide.md', '1.2, 1.3 and 1.4')], sections)).toHaveLength(2);
  });

  it('refuses a section without heading, and a document that is not in the specification', () => {
    expect(findUnresolvedCitations([cite('guide.md', '1.9')], sections)[0]).toMatch(
      /^a\.ts:1 cites guide\.md .*no such heading/,
    );
    expect(findUnresolvedCitations([cite('lost.md', '1')], sections)[0]).toContain('lost.md');
  });

  it('sees a citation over the end of a line of a comment', () => {
    expect(findUnresolvedCitations([cite('guide.md', '\n * 7')], sections)).toHaveLength(1);
  });
});

describe('the rule of decisions', () => {
  const cite = (numbers: string): TextFile[] => [{ path: 'a.ts', text: ['// DECISIONS', numbers].join(' ') }];

  it('takes numbers that have an entry, alone and in a list', () => {
    expect(findUnresolvedDecisions(cite('7, 8 and 9'), new Set(['7', '8', '9']))).toEqual([]);
  });

  it('refuses the others', () => {
    const [sentence, ...others] = findUnresolvedDecisions(cite('7 and 8'), new Set(['7']));

    expect(sentence).toMatch(/^a\.ts:1 .* 8, which is not in DECISIONS\.md$/);
    expect(others).toEqual([]);
  });
});

describe('the rule of links', () => {
  const read = (name: string): string | undefined => (name === 'docs/b.md' ? '# How to add: a route\n' : undefined);
  const links = (text: string): string[] => findBrokenLinks([{ path: 'docs/a.md', text }], read);

  it('accepts files, headings, other sites and text inside code', () => {
    expect(links('[b](b.md) [h](b.md#how-to-add-a-route) [w](https://example.com) `[x](y)`')).toEqual([]);
  });

  it('refuses files and headings that are not there', () => {
    expect(links('[c](c.md) [h](b.md#gone) ![p](p.png)')).toHaveLength(3);
  });
});
