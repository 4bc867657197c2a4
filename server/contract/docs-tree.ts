/** The documentation as set-up writes it and the hub serves it at `/docs` (http-api.md 19). */

/** A page in the list: `/docs/pages.json`. */
export interface DocsEntry {
  /** `settings`, or `providers/github`. */
  name: string;
  title: string;
  about: string;
  /** The part of the navigation; pages of providers have none, because their list is a page. */
  section: string | null;
}

/** A page to draw: `/docs/<name>.json`. */
export interface DocsPage {
  name: string;
  title: string;
  /** Without the heading of the page. */
  content: DocsNode[];
}

/** Text, an element, or a code block. */
export type DocsNode = string | DocsElement | DocsCode;

export interface DocsElement {
  tag: string;
  children: DocsNode[];
  /** Anchor of a heading. */
  id?: string;
  /** Address of a link: `#anchor`, `settings#anchor` for another page, or a whole address. */
  href?: string;
  /** Address and description of a picture. */
  src?: string;
  alt?: string;
  /** First number of an ordered list that does not begin with 1. */
  start?: number;
}

export interface DocsCode {
  code: string;
  language: string;
  /** The code in pieces with their syntax class; absent without colours. */
  pieces?: Array<[text: string, syntax?: string]>;
  /** An HTTP request that the reader may send to their hub. */
  runs?: true;
}
