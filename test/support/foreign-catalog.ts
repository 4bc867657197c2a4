import { stringify } from 'yaml';
import type { BuiltinCatalog } from '../../server/integrations/catalog/builtin-catalog.ts';
import { generatedProviders } from './generated-providers.ts';

/** Entries of a large public catalogue (providers.md), and how many of them are aliases and unsafe here. */
export const FOREIGN_ENTRIES = 981;
const ALIASES = 67;
export const UNSAFE_ENTRIES = 12;

/** A catalogue file that somebody brings along: the built-in keys written out, aliases, entries of all kinds, unsafe ones. */
export function foreignCatalog(builtin: BuiltinCatalog): string {
  const known = Object.fromEntries([...builtin].map(([name, { alias: _alias, ...entry }]) => [name, entry]));
  const aliases = Array.from(
    { length: ALIASES },
    (_, at) => `alias-${at}:\n  alias: own-${at}\n  display_name: Alias ${at}\n  docs: https://docs.alias-${at}.test\n`,
  );
  const rest = FOREIGN_ENTRIES - builtin.size - ALIASES - UNSAFE_ENTRIES;
  return [
    stringify(known, { aliasDuplicateObjects: false, lineWidth: 0 }),
    generatedProviders(rest),
    ...aliases,
    ...Array.from({ length: UNSAFE_ENTRIES }, (_, at) => unsafeEntry(at)),
  ].join('\n');
}

/** Whoever connects chooses where the key goes. */
const unsafeEntry = (at: number): string => `unsafe-${at}:
  display_name: Unsafe ${at}
  auth_mode: API_KEY
  docs: https://docs.unsafe-${at}.test
  proxy: { base_url: "https://\${connectionConfig.host}", headers: { x-key: "\${apiKey}" } }
  connection_config: { host: { type: string, title: Host, description: Any } }
  credentials: { apiKey: { type: string, title: Key, description: A key } }
`;
