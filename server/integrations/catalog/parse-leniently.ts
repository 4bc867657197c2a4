import { nearestName } from '../../platform/lib/nearest-name.ts';
import type { EntryIssue, SchemaIssue } from './catalog-problem.ts';
import { entrySchema, type ProviderDefinition } from './entry-schema.ts';
import { knownMembers } from './known-members.ts';

export type LenientParse =
  | {
      definition: ProviderDefinition;
      warnings: EntryIssue[];
      /** Members that the format does not define. They are kept for readers of the entry and not used here. */
      keptMembers: Array<{ path: Path; value: unknown }>;
    }
  | { issues: EntryIssue[] };

type Path = (string | number)[];

export const NO_HANDLER = 'names no built-in handler';

/**
 * Parts that an entry can do without; a star stands for any name. A part is left out completely when something in it is
 * invalid. A pattern may be left out because a host that needs it is then refused.
 */
const DISPENSABLE: readonly (readonly string[])[] = [
  ...['docs', 'docs_connect', 'setup_guide_url', 'setup_steps', 'search_terms'].map((key) => [key]),
  ...['confirmed', 'unconfirmed', 'confirmed_on', 'confirmed_by', 'api_description_url'].map((key) => [key]),
  ['available_scopes'],
  ['logo'],
  ['categories', '*'],
  ['registration_params', '*'],
  ['proxy', 'paginate'],
  ['proxy', 'retry', '*'],
  ['proxy', 'retry'],
  ['proxy', 'decompress'],
  // Connections are then stored without a trial request.
  ['proxy', 'verification'],
  ['webhook_allowed_query_params'],
  ...[
    'pre_connection_creation',
    'post_connection',
    'pre_connection_deletion',
    'credentials_verification',
    'webhook_routing',
  ].map((step) => [`${step}_script`]),
  ...['connection_config', 'credentials', 'integration_config', 'assertion_option'].flatMap((map) =>
    ['title', 'description', 'example', 'pattern', 'format', 'order', 'doc_section', 'warnings'].map((member) => [
      map,
      '*',
      member,
    ]),
  ),
];
/** Removing one part may reveal an issue in another one. */
const MAX_ROUNDS = 5;

/** Parses an entry with the schema. Unusual parts are removed, with a warning for each. */
export function parseLeniently(
  raw: unknown,
  handlers: ReadonlySet<string> | undefined,
  describe: (issue: SchemaIssue, raw: unknown) => EntryIssue[],
): LenientParse {
  const warnings: EntryIssue[] = [];
  const keptMembers: Array<{ path: Path; value: unknown }> = [];
  let current = raw;
  for (let round = 0; ; round++) {
    const parsed = entrySchema.safeParse(current);
    if (parsed.success) {
      warnings.push(...dropUnknownHandlers(parsed.data, handlers));
      return { definition: parsed.data, warnings, keptMembers };
    }
    const found = parsed.error.issues.map((issue) => ({ issue, described: describe(issue, current) }));
    const fatal = found.filter(({ issue }) => issue.code !== 'unrecognized_keys' && !dispensable(pathOf(issue)));
    if (fatal.length > 0 || round === MAX_ROUNDS) return { issues: fatal.flatMap(({ described }) => described) };
    const copy: unknown = structuredClone(current);
    for (const { issue, described } of found.toReversed()) {
      for (const { path, reason } of described) {
        if (issue.code === 'unrecognized_keys') {
          keptMembers.push({ path, value: memberAt(current, path) });
          warnings.push({ path, reason: unknownMember(path) });
          removeMember(copy, path);
          continue;
        }
        const part = dispensable(pathOf(issue)) ?? path;
        warnings.push({ path: part, reason: `${reason}; ${leaveOut(copy, part)}` });
      }
    }
    current = copy;
  }
}

/** The part to leave out for an issue at `path`; undefined when the entry cannot do without it. */
export function dispensable(path: Path): Path | undefined {
  const pattern = DISPENSABLE.find(
    (one) => one.length <= path.length && one.every((name, at) => name === '*' || name === path[at]),
  );
  return pattern && path.slice(0, pattern.length);
}

/** Fields without a title are shown with their names. */
function leaveOut(entry: unknown, part: Path): string {
  const member = part.at(-1);
  const isFieldText = part.length === 3 && (member === 'title' || member === 'description');
  if (!isFieldText) {
    removeMember(entry, part);
    return 'left out';
  }
  setMember(entry, part, member === 'title' ? String(part[1]) : '');
  return member === 'title' ? 'the name is shown instead' : 'left empty';
}

function dropUnknownHandlers(definition: ProviderDefinition, handlers: ReadonlySet<string> | undefined): EntryIssue[] {
  const members = definition as Record<string, unknown>;
  const unknown = Object.keys(members).filter(
    (key) => key.endsWith('_script') && handlers && !handlers.has(String(members[key])),
  );
  return unknown.map((key) => {
    const meant = nearestName(String(members[key]), handlers ?? []);
    delete members[key];
    return { path: [key], reason: `${NO_HANDLER}; left out${meant ? `; did you mean ${meant}?` : ''}` };
  });
}

function unknownMember(path: Path): string {
  const meant = nearestName(String(path.at(-1)), knownMembers(path.slice(0, -1)));
  return `is not known; it is kept and has no effect${meant ? `; did you mean ${meant}?` : ''}`;
}

function pathOf({ path }: SchemaIssue): Path {
  return path.map((key) => (typeof key === 'number' ? key : String(key)));
}

type Members = Record<string | number, unknown>;

function memberAt(entry: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Members | undefined)?.[key], entry);
}

export function removeMember(entry: unknown, path: Path): void {
  const parent = memberAt(entry, path.slice(0, -1));
  const last = path.at(-1);
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (typeof parent === 'object' && parent !== null && last !== undefined) delete (parent as Members)[last];
}

/** When the parent of the member was left out, the member is left out too. */
export function setMember(entry: unknown, path: Path, value: unknown): void {
  const parent = memberAt(entry, path.slice(0, -1));
  const last = path.at(-1);
  if (typeof parent === 'object' && parent !== null && last !== undefined) (parent as Members)[last] = value;
}
