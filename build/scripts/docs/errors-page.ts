import { readFileSync } from 'node:fs';
import { ERROR_CODES } from '../../../server/contract/error-codes.ts';
import type { OpenApiDocument } from '../../../server/contract/openapi/openapi-document.ts';
import { REFERENCE, type WrittenPage } from './written-page.ts';

const CATALOGUE = new URL('../../../server/contract/error-codes.ts', import.meta.url);
/** More routes than this say nothing. */
const MAX_NAMED_ROUTES = 6;

/** Every error code under an anchor of its own, to which the answers of the hub link. */
export function errorsPage(document: OpenApiDocument): WrittenPage {
  const groups = groupsOfCodes();
  const routes = routesByCode(document);
  const parts = groups.map(({ title, codes }) =>
    [`## ${title}`, ...codes.map((code) => codePart(code, routes))].join('\n\n'),
  );
  return {
    name: 'errors',
    title: 'Errors',
    about: 'every error code: its status, when it occurs, and which routes answer it',
    section: REFERENCE,
    text: `# Errors

Every failure of the API has the same form. \`code\` never changes its meaning; \`message\` says in words what happened and what to do;
\`docs\` leads to the code on this page.

\`\`\`json
{
  "error": {
    "message": "There is no integration \\"github\\".",
    "code": "unknown_provider_config",
    "docs": "http://127.0.0.1:3003/docs/errors#unknown_provider_config"
  }
}
\`\`\`

A request that is not valid has \`errors\` instead of a message: one entry a problem, with \`code\`, \`message\` and the \`path\` of the member.
A few codes add \`payload\`. Status 429 comes with the header \`Retry-After\`.

${parts.join('\n\n')}
`,
  };
}

function codePart(code: keyof typeof ERROR_CODES, routes: ReadonlyMap<string, string[]>): string {
  const { status, when } = ERROR_CODES[code];
  const named = routes.get(code) ?? [];
  const answeredBy = named.length > 0 && named.length <= MAX_NAMED_ROUTES ? `\n\nAnswered by ${named.join(', ')}.` : '';
  return `### ${code}\n\nStatus ${status}. ${when}${answeredBy}`;
}

/** The codes under the comments that group them in the catalogue. */
export function groupsOfCodes(): Array<{ title: string; codes: Array<keyof typeof ERROR_CODES> }> {
  const groups: Array<{ title: string; codes: Array<keyof typeof ERROR_CODES> }> = [];
  for (const line of readFileSync(CATALOGUE, 'utf8').split('\n')) {
    const [, title] = /^ {2}\/\/ (.+)$/.exec(line) ?? [];
    const [, code] = /^ {2}(\w+): \{/.exec(line) ?? [];
    if (title !== undefined) groups.push({ title: title.replace(/\.$/, ''), codes: [] });
    if (code !== undefined && code in ERROR_CODES) groups.at(-1)?.codes.push(code as keyof typeof ERROR_CODES);
  }
  const listed = groups.flatMap(({ codes }) => codes);
  const missing = Object.keys(ERROR_CODES).filter((code) => !listed.includes(code as keyof typeof ERROR_CODES));
  if (missing.length > 0) throw new Error(`Codes under no comment of error-codes.ts: ${missing.join(', ')}`);
  return groups.filter(({ codes }) => codes.length > 0);
}

function routesByCode({ paths }: OpenApiDocument): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(methods))
      for (const { description } of Object.values(responses as Record<string, { description: string }>))
        for (const [, code = ''] of description.matchAll(/`(\w+)`/g))
          found.set(code, [...(found.get(code) ?? []), `\`${method.toUpperCase()} ${path}\``]);
  return found;
}
