import MiniSearch from 'minisearch';
import { DOCS_INDEX, type DocsPart } from '../../../renderer/lib/docs-index.ts';
import type { DocsNode } from '../../../server/contract/docs-tree.ts';
import { treeText } from './page-tree.ts';

interface IndexedPage {
  name: string;
  title: string;
  about: string;
  content: readonly DocsNode[];
  /** Made from the code. */
  isReference: boolean;
}

/** The index that a page loads to search offline, as text. */
export function searchIndex(pages: readonly IndexedPage[]): string {
  const index = new MiniSearch<DocsPart>(DOCS_INDEX);
  for (const page of pages) index.addAll(partsOf(page));
  return JSON.stringify(index);
}

function partsOf({ about, content, isReference, name, title }: IndexedPage): DocsPart[] {
  const weight = name.startsWith('providers/') ? 0.3 : isReference ? 0.35 : 1;
  // The page of a provider is found as a whole: its headings are those of every provider.
  if (name.startsWith('providers/')) return [{ id: name, title, heading: '', text: `${name} ${about}`, weight }];
  // Before its own parts, which have its title too.
  const parts: DocsPart[] = [{ id: name, title, heading: '', text: about, weight: weight * 1.5 }];
  for (const node of content) {
    if (typeof node !== 'string' && 'tag' in node && node.id !== undefined)
      parts.push({ id: `${name}#${node.id}`, title, heading: treeText(node.children).trim(), text: '', weight });
    else {
      const last = parts.at(-1);
      if (last) last.text += ` ${treeText([node])}`;
    }
  }
  return parts;
}
