import { existsSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileOf, readBlocks } from '../../../build/scripts/docs/page-blocks.ts';
import { TypeCheckProgram } from '../../../functions/compiler/type-check/type-check-program.ts';
import { SCREEN_HELP } from '../../../renderer/app/screen-help.ts';
import { readHttp } from '../../../renderer/lib/http-block.ts';
import type { DocsElement, DocsEntry, DocsNode, DocsPage } from '../../../server/contract/docs-tree.ts';
import { ERROR_CODES } from '../../../server/contract/error-codes.ts';
import { ROOT } from '../../architecture/source-tree.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { pageNames, readPage } from './page-list.ts';

describe('every page of the documentation', () => {
  it('is in the list once', () => {
    const names = pageNames();

    expect(names.length).toBeGreaterThan(5);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(pageNames())('has marks and requests that can be read: %s', (name) => {
    for (const block of readBlocks(readPage(name))) {
      if (block.language === 'http') readHttp(block.text);
      if (block.marks.skip !== undefined) expect(block.marks.skip.length, `line ${block.line}`).toBeGreaterThan(5);
    }
  });

  it('has TypeScript whose types are right', async () => {
    const folder = await createTempHome();
    try {
      await symlink(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
      const paths: string[] = [];
      for (const name of pageNames())
        for (const block of readBlocks(readPage(name))) {
          if (block.language !== 'ts' || block.marks.skip !== undefined) continue;
          const path = join(name, fileOf(block) ?? `line-${block.line}.ts`);
          const isFunction = /from '(homeport|nango)'/.test(block.text);
          await mkdir(dirname(join(folder.path, path)), { recursive: true });
          await writeFile(
            join(folder.path, path),
            isFunction ? block.text : `/// <reference types="node" />\n${block.text}`,
          );
          paths.push(path);
        }
      const program = new TypeCheckProgram({ workspace: folder.path, sdkFolder: join(ROOT, 'functions/sdk') });

      const results = program.check(paths);

      expect(results.map(({ path }) => path)).toEqual(paths);
      expect(results.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
    } finally {
      await folder.remove();
    }
  });
});

describe('the documentation as set-up wrote it', () => {
  const folder = join(ROOT, 'dist/docs');
  const entries = JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')) as DocsEntry[];
  const pages = new Map(
    entries.map(({ name }) => [name, JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as DocsPage]),
  );

  it('links only to pages, anchors and pictures that are there', () => {
    const broken = [...pages].flatMap(([name, { content }]) =>
      elementsOf(content)
        .filter((one) => !leadsSomewhere(one, name))
        .map(({ href, src }) => `${name}: ${href ?? src}`),
    );

    expect(pages.size).toBeGreaterThan(200);
    expect(broken).toEqual([]);
  });

  it('has the page of every screen, and an anchor of every error code', () => {
    const errors = pages.get('errors');

    expect(Object.values(SCREEN_HELP).filter((name) => !pages.has(name))).toEqual([]);
    expect(Object.keys(ERROR_CODES).filter((code) => !errors || !anchorsOf(errors).has(code))).toEqual([]);
  });

  const anchorsOf = ({ content }: DocsPage): Set<string> => new Set(elementsOf(content).flatMap(({ id }) => id ?? []));

  function leadsSomewhere({ href, src }: DocsElement, from: string): boolean {
    if (src !== undefined) return existsSync(join(folder, src));
    if (href === undefined || /^(?:https?|mailto):/.test(href)) return true;
    const [name = '', anchor] = href.split('#');
    const page = pages.get(name === '' ? from : name);
    return page !== undefined && (anchor === undefined || anchorsOf(page).has(anchor));
  }
});

const elementsOf = (nodes: readonly DocsNode[]): DocsElement[] =>
  nodes.flatMap((node) => (typeof node === 'object' && 'tag' in node ? [node, ...elementsOf(node.children)] : []));
