import { queryOptions } from '@tanstack/react-query';
import type { SearchResult } from 'minisearch';
import { ApiError } from '../../lib/api-error.ts';
import { DOCS_INDEX, type DocsPart } from '../../lib/docs-index.ts';
import type { DocsEntry, DocsPage } from '../contract.ts';
import { keys } from '../query-keys.ts';

/** Files of the documentation; they change only with the program. */
const docsFile = <T>(file: string) =>
  queryOptions({
    queryKey: keys.docs(file),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async ({ signal }) => {
      const response = await fetch(`/docs/${file}`, { signal });
      if (response.status === 404) throw new ApiError('not_found', 'The documentation has no such page.', 404);
      if (!response.ok) throw new ApiError('unreachable', 'The documentation cannot be read.', response.status);
      return (await response.json()) as T;
    },
  });

/** All pages in their order. */
export const docsListQueryOptions = () => docsFile<DocsEntry[]>('pages.json');

export const docsPageQueryOptions = (name: string) => docsFile<DocsPage>(`${name}.json`);

/** Hits that score less than this share of the best one say nothing. */
const LEAST_SHARE = 0.15;

/** A part of a page that a search found. */
export interface DocsHit {
  /** `settings#variables`. */
  id: string;
  title: string;
  /** Empty for the beginning of a page. */
  heading: string;
}

/** The search of the documentation, in the page: its index and its code are loaded when it is first used. */
export const docsSearchQueryOptions = () =>
  queryOptions({
    queryKey: keys.docs('search'),
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const [{ default: MiniSearch }, response] = await Promise.all([
        import('minisearch'),
        fetch('/docs/search.json', { signal }),
      ]);
      if (!response.ok) throw new ApiError('unreachable', 'The documentation cannot be searched.', response.status);
      const index = MiniSearch.loadJSON<DocsPart>(await response.text(), DOCS_INDEX);
      return (text: string): DocsHit[] => {
        const found = index.search(text);
        const least = (found[0]?.score ?? 0) * LEAST_SHARE;
        return found.filter(({ score }) => score >= least).map(hitOf);
      };
    },
  });

const hitOf = ({ heading, id, title }: SearchResult): DocsHit => ({
  id: String(id),
  title: String(title),
  heading: String(heading),
});
