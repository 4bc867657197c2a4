import { createHash } from 'node:crypto';
import { stableJson } from '../../platform/lib/stable-json.ts';
import type { ProviderDefinition } from './entry-schema.ts';
import { parseTemplate, pathsOf } from './template/parse-template.ts';

/**
 * One difference that needs approval while connections use the provider. Undefined means that the member is missing.
 */
export interface SensitiveChange {
  /** Dotted path inside the entry. */
  keyPath: string;
  before: string | undefined;
  after: string | undefined;
}

/**
 * Differences between two versions of an entry, except for members that can neither redirect a credential nor weaken a
 * check (design.md 7.34). Sorted by path; empty when there is none.
 */
export function findSensitiveChanges(before: ProviderDefinition, after: ProviderDefinition): SensitiveChange[] {
  const old = sensitiveMembers(before);
  const now = sensitiveMembers(after);
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((keyPath) => old.get(keyPath) !== now.get(keyPath))
    .sort()
    .map((keyPath) => ({ keyPath, before: old.get(keyPath), after: now.get(keyPath) }));
}

/** Identifies a resolved entry for approval. The order of keys does not matter. */
export function hashEntry(definition: unknown): string {
  return createHash('sha256').update(stableJson(definition)).digest('hex');
}

/** A star stands for any name; members below a path are included. Members that are not listed are sensitive. */
const HARMLESS: readonly (readonly string[])[] = [
  ['display_name'],
  ['docs'],
  ['docs_connect'],
  ['setup_guide_url'],
  ['setup_steps'],
  ['search_terms'],
  ['ways_in_docs'],
  ['confirmed'],
  ['unconfirmed'],
  ['confirmed_on'],
  ['confirmed_by'],
  ['api_description_url'],
  ['categories'],
  ['logo'],
  ['proxy', 'retry'],
  ['proxy', 'paginate'],
  ...['connection_config', 'credentials', 'integration_config', 'assertion_option'].flatMap((map) =>
    ['title', 'description', 'example', 'order', 'doc_section', 'warnings'].map((member) => [map, '*', member]),
  ),
];

function sensitiveMembers(definition: ProviderDefinition): Map<string, string> {
  const members = new Map<string, string>();
  const visit = (value: unknown, path: string[]): void => {
    if (
      HARMLESS.some((pattern) => pattern.length === path.length && pattern.every((name, at) => isName(name, path[at])))
    )
      return;
    if (typeof value !== 'object' || value === null) {
      if (value !== undefined) members.set(path.join('.'), String(value));
      return;
    }
    const inner = Object.entries(value);
    // An empty map or list differs from a missing one, because it may replace an inherited one.
    if (inner.length === 0 && path.length > 0) members.set(path.join('.'), Array.isArray(value) ? '[]' : '{}');
    for (const [name, item] of inner) visit(item, [...path, name]);
  };
  visit(definition, []);
  return members;
}

function isName(pattern: string, name: string | undefined): boolean {
  return pattern === '*' || pattern === name;
}

/** Names that every template may read besides credentials and configuration: facts of the request, `random`. */
export const REQUEST_NAMES: ReadonlySet<string> = new Set([
  'random',
  'method',
  'host',
  'path',
  'endpoint',
  'params',
  'urlCanonicalParams',
  'bodyCanonicalParams',
  'contentType',
]);

/** Whether a template reads a credential: any path that is not configuration or a fact of the request. */
export function readsSecret(text: string): boolean {
  return pathsOf(parseTemplate(text)).some(
    (path) =>
      !/^(connectionConfig|connection_config|metadata)\./.test(path) && !REQUEST_NAMES.has(path) && path !== 'clientId',
  );
}
