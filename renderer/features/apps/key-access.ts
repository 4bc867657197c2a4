import { KEY_PRESETS, KEY_SCOPES, type KeyPreset, SINGLE_KEY_SCOPES, WHOLE_ENVIRONMENT } from '../../api/contract.ts';

/** The choices for what a key may do. */
export type KeyAccess = KeyPreset | 'chosen';

export const ACCESS_OPTIONS: ReadonlyArray<{ value: KeyAccess; label: string; text: string }> = [
  { value: 'full', label: 'Full', text: 'The whole hub: every environment, with credentials, settings and keys.' },
  { value: 'read', label: 'Read only', text: 'Lists and records. No credentials, no variables, no changes.' },
  {
    value: 'proxy',
    label: 'Proxy only',
    text: 'Calls to providers through Homeport. The app never sees a credential.',
  },
  { value: 'agent', label: 'Agent (MCP)', text: 'Calls tools and nothing else. Tools that change something ask you.' },
  {
    value: 'build',
    label: 'Agent that builds (MCP)',
    text: 'Writes and proves functions. Each deploy asks you; it works when building by agents is on in the settings.',
  },
  { value: 'chosen', label: 'Chosen scopes', text: 'Exactly what you tick.' },
];

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((scope) => b.includes(scope));

/** The preset that holds exactly these scopes. */
export function keyAccessOf(scopes: readonly string[]): KeyAccess {
  const presets = Object.entries(KEY_PRESETS) as Array<[KeyPreset, readonly string[]]>;
  return presets.find(([, preset]) => isSame(preset, scopes))?.[0] ?? 'chosen';
}

/** "Full", "Read only", "3 scopes". */
export function accessText(scopes: readonly string[]): string {
  const access = keyAccessOf(scopes);
  if (access !== 'chosen') return ACCESS_OPTIONS.find(({ value }) => value === access)?.label ?? '';
  return scopes.length === 1 ? '1 scope' : `${scopes.length} scopes`;
}

/** Single scopes by noun, without `environment:`, in the order of the documentation. */
export const SCOPE_GROUPS: ReadonlyArray<{ name: string; scopes: string[] }> = [
  ...Object.entries(KEY_SCOPES).map(([noun, verbs]) => ({
    name: noun,
    scopes: verbs.map((verb) => `${noun}:${verb}`),
  })),
  { name: 'more', scopes: [...SINGLE_KEY_SCOPES] },
].map(({ name, scopes }) => ({
  name: name.replaceAll('_', ' '),
  scopes: scopes.map((scope) => `environment:${scope}`),
}));

const ALL = SCOPE_GROUPS.flatMap(({ scopes }) => scopes);

/** Scopes that stand for several single ones. */
export function spreadScopes(scopes: readonly string[]): string[] {
  return ALL.filter((one) =>
    scopes.some((held) => held === one || (held.endsWith(':*') && one.startsWith(held.slice(0, -1)))),
  );
}

/** The scopes to store for a choice. */
export function scopesOf(access: KeyAccess, chosen: readonly string[]): string[] {
  if (access !== 'chosen') return [...KEY_PRESETS[access]];
  return chosen.length === ALL.length ? [WHOLE_ENVIRONMENT] : [...chosen];
}
