import { typescriptLanguage } from '@codemirror/lang-javascript';
import { classHighlighter, highlightCode } from '@lezer/highlight';
import { parser as pythonParser } from '@lezer/python';
import { lexer, type Token, type Tokens } from 'marked';
import type { DocsCode, DocsElement, DocsNode } from '../../../server/contract/docs-tree.ts';
import { readBlocks } from './page-blocks.ts';

const PARSERS = {
  js: typescriptLanguage.parser,
  ts: typescriptLanguage.parser,
  tsx: typescriptLanguage.parser,
  json: typescriptLanguage.parser,
  python: pythonParser,
};

/** Markdown as a tree of elements, which the dashboard draws without inserting HTML. Raw HTML stays out. */
export function pageTree(markdown: string): DocsNode[] {
  const skipped = new Set(
    readBlocks(markdown)
      .filter(({ marks, language }) => language === 'http' && marks.skip !== undefined)
      .map(({ text }) => text),
  );
  const nextId = createAnchors();

  const block = (token: Token): DocsNode[] => {
    switch (token.type) {
      case 'heading': {
        const { depth, text } = token as Tokens.Heading;
        return [{ tag: `h${depth}`, id: nextId(text), children: inlines(token) }];
      }
      case 'paragraph':
        return [{ tag: 'p', children: inlines(token) }];
      case 'text':
        return inlines(token);
      case 'blockquote':
        return [{ tag: 'blockquote', children: blocks((token as Tokens.Blockquote).tokens) }];
      case 'hr':
        return [{ tag: 'hr', children: [] }];
      case 'list':
        return [list(token as Tokens.List)];
      case 'table':
        return [table(token as Tokens.Table)];
      case 'code':
        return [code(token as Tokens.Code)];
      case 'space':
      case 'html':
        return [];
      default:
        throw new Error(`The pages have no element for "${token.type}": ${token.raw}`);
    }
  };
  const blocks = (tokens: readonly Token[]): DocsNode[] => tokens.flatMap(block);

  const list = ({ items, ordered, start }: Tokens.List): DocsElement => ({
    tag: ordered ? 'ol' : 'ul',
    ...(ordered && start !== 1 ? { start: Number(start) } : {}),
    children: items.map(({ tokens }) => ({ tag: 'li', children: blocks(tokens) })),
  });

  const table = ({ header, rows }: Tokens.Table): DocsElement => {
    const row = (cells: readonly Tokens.TableCell[], tag: string): DocsElement => ({
      tag: 'tr',
      children: cells.map((cell) => ({ tag, children: cell.tokens.flatMap(inline) })),
    });
    return {
      tag: 'table',
      children: [
        // A table of facts has an empty head.
        ...(header.some(({ text }) => text !== '') ? [{ tag: 'thead', children: [row(header, 'th')] }] : []),
        { tag: 'tbody', children: rows.map((cells) => row(cells, 'td')) },
      ],
    };
  };

  const code = ({ lang = '', text }: Tokens.Code): DocsCode => {
    const [language = ''] = lang.split(' ');
    const pieces = coloured(language, text);
    return {
      code: text,
      language,
      ...(pieces ? { pieces } : {}),
      ...(language === 'http' && !skipped.has(`${text}\n`) ? { runs: true } : {}),
    };
  };

  return blocks(lexer(markdown));
}

const inlines = (token: Token): DocsNode[] =>
  'tokens' in token && token.tokens ? token.tokens.flatMap(inline) : [unescaped(token)];

function inline(token: Token): DocsNode[] {
  switch (token.type) {
    case 'text':
    case 'escape':
      return [unescaped(token)];
    case 'codespan':
      return [{ tag: 'code', children: [(token as Tokens.Codespan).text] }];
    case 'strong':
    case 'em':
    case 'del':
      return [{ tag: token.type, children: inlines(token) }];
    case 'br':
      return [{ tag: 'br', children: [] }];
    case 'html':
      return [];
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return [{ tag: 'img', src: href, alt: text, children: [] }];
    }
    case 'link': {
      const { href } = token as Tokens.Link;
      return [{ tag: 'a', href: href.replace(/^(?:\.\.\/)?([\w/-]+)\.md(?=$|#)/, '$1'), children: inlines(token) }];
    }
    default:
      throw new Error(`The pages have no element for "${token.type}": ${token.raw}`);
  }
}

/** Markdown keeps entities such as `&lt;`, which a page of elements would show as they are written. */
const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&#39;': "'" };
const unescaped = (token: Token): string =>
  String((token as Tokens.Text).text).replaceAll(/&(?:lt|gt|amp|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

function coloured(language: string, text: string): DocsCode['pieces'] {
  const parser = PARSERS[language as keyof typeof PARSERS];
  if (!parser) return undefined;
  // An object alone would be read as a block.
  const before = language === 'json' ? '(' : '';
  const source = `${before}${text}`;
  const pieces: NonNullable<DocsCode['pieces']> = [];
  highlightCode(
    source,
    parser.parse(source),
    classHighlighter,
    (part, classes) => pieces.push(classes === '' ? [part] : [part, classes]),
    () => pieces.push(['\n']),
  );
  if (before !== '' && pieces[0]) pieces[0][0] = pieces[0][0].slice(before.length);
  return pieces;
}

/** Returns the anchor of each heading of a page, as GitHub makes it. */
export function createAnchors(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const id = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const times = used.get(id) ?? 0;
    used.set(id, times + 1);
    return times === 0 ? id : `${id}-${times}`;
  };
}

/** The text of nodes, for the search. */
export function treeText(nodes: readonly DocsNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      if ('code' in node) return `${node.code} `;
      return treeText(node.children) + (/^(?:p|li|t[dh]|h\d)$/.test(node.tag) ? ' ' : '');
    })
    .join('');
}
