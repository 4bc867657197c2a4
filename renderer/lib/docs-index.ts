import type { Options, SearchOptions } from 'minisearch';

/** A part of a page: what stands under one heading. */
export interface DocsPart {
  /** `settings#variables`, the address of the part. */
  id: string;
  /** Of the page. */
  title: string;
  heading: string;
  text: string;
  /** How the list of results ranks the page: references come after prose. */
  weight: number;
}

/** Words of people for words of the pages. */
const SAME: Record<string, string> = {
  approval: 'consent',
  approve: 'consent',
  authorise: 'connect',
  authorize: 'connect',
  login: 'sign-in',
  migrate: 'moving',
  password: 'passphrase',
};

/** Words of a question that say nothing about its answer. */
const IGNORED = new Set(
  'a an and any are as at be but by can change do does for from get has have how i if in into is it its me mean my no not of on or our so that the their them then there they this to use want was we what when where which who why will with without you your'.split(
    ' ',
  ),
);

/** A plural finds its singular, and the other way round. */
function processTerm(term: string): string | string[] | null {
  const word = term.toLowerCase();
  if (IGNORED.has(word)) return null;
  const one = word.length > 3 ? word.replace(/ies$/, 'y').replace(/(?<=[^su])s$/, '') : word;
  const same = SAME[one];
  return same === undefined ? one : [one, same];
}

/** Words, and codes as a whole besides their words: `unknown_connection`. */
function tokenize(text: string): string[] {
  const words = text.replaceAll(/\bback up\b/gi, 'backup').split(/[^\p{L}\p{N}]+/u);
  return [...words, ...(text.match(/\b[a-z]+(?:_[a-z]+)+\b/gi) ?? [])].filter((word) => word !== '');
}

const searchOptions: SearchOptions = {
  boost: { title: 3, heading: 4 },
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  boostDocument: (_id, _term, stored) => Number(stored?.['weight'] ?? 1),
  combineWith: 'OR',
};

/** The options with which set-up writes the index and the page reads it. */
export const DOCS_INDEX: Options<DocsPart> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'weight'],
  processTerm,
  tokenize,
  searchOptions,
};
