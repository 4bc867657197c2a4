import path from 'node:path';

/** A file of the repository with its text. */
export interface TextFile {
  /** Relative to the repository, with forward slashes. */
  path: string;
  text: string;
}

/** `http-api.md 1.1`, `functions.md 1.6, 1.7`: a document and its sections; a comment may break the line between them. */
const CITATION = /\b([a-z][a-z-]*\.md)\s+(?:[*#]\s+|\/\/\s+)?(\d+(?:\.\d+)*(?:(?:, | and )\d+(?:\.\d+)+)*)/g;
/** `DECISIONS 113` and the like: the numbers of entries of DECISIONS.md. */
const DECISION_CITATION = /\bDECISIONS? (\d+(?:(?:, | and )\d+)*)/gi;
const NUMBERED_HEADING = /^#{1,6} (\d+(?:\.\d+)*)\.? /gm;
const HEADING = /^#{1,6} (.+)$/gm;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
const CODE = /^```[\s\S]*?^```|`[^`\n]*`/gm;

/** The numbers of the headings of a document. */
export function findSections(text: string): Set<string> {
  return new Set([...text.matchAll(NUMBERED_HEADING)].map(([, number = '']) => number));
}

/**
 * One sentence for each citation that names no document of the specification, or a section that the document lacks.
 * `sections` holds the numbers of the headings by the name of the document.
 */
export function findUnresolvedCitations(files: TextFile[], sections: ReadonlyMap<string, Set<string>>): string[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(CITATION)].flatMap(({ 1: document = '', 2: numbers = '', index }) => {
      const where = `${file.path}:${file.text.slice(0, index).split('\n').length}`;
      const known = sections.get(document);
      if (!known) return [`${where} cites ${document}, which is not in the specification`];
      const missing = numbers.split(/, | and /).filter((number) => !known.has(number));
      return missing.map((number) => `${where} cites ${document} ${number}, which has no such heading`);
    }),
  );
}

/** One sentence for each citation of a decision that is not in DECISIONS.md. */
export function findUnresolvedDecisions(files: TextFile[], decisions: ReadonlySet<string>): string[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(DECISION_CITATION)].flatMap(({ 1: numbers = '', index }) => {
      const where = `${file.path}:${file.text.slice(0, index).split('\n').length}`;
      const missing = numbers.split(/, | and /).filter((number) => !decisions.has(number));
      return missing.map((number) => `${where} cites decision ${number}, which is not in DECISIONS.md`);
    }),
  );
}

/** Pages that exist in the hub only; test/e2e/docs checks the links to them. */
const MADE_FROM_CODE =
  /^server\/docs\/(?:api(?:-[a-z-]+)?|commands|errors|keyboard|limits|providers|sdk|variables|providers\/[\w-]+)\.md$/;

/** One sentence for each link of a Markdown file to a missing file or heading. `read` returns undefined for a missing file. */
export function findBrokenLinks(files: TextFile[], read: (path: string) => string | undefined): string[] {
  return files.flatMap((file) =>
    [...file.text.replaceAll(CODE, '').matchAll(LINK)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [name = '', anchor] = target.split('#');
      const linked = name === '' ? file.path : path.posix.join(path.posix.dirname(file.path), name);
      if (MADE_FROM_CODE.test(linked)) return [];
      const text = read(linked);
      if (text === undefined) return [`${file.path} links to ${linked}, which is not there`];
      if (anchor === undefined || anchorsOf(text).has(anchor)) return [];
      return [`${file.path} links to ${target}, which has no such heading`];
    }),
  );
}

/** The anchors that GitHub generates from headings. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(HEADING)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
