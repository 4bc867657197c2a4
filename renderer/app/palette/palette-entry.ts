import type { ReactNode } from 'react';

/** The object of an entry, from which its actions follow. */
export type Subject =
  | { kind: 'connection'; integrationKey: string; connectionId: string }
  | { kind: 'integration'; key: string }
  | { kind: 'function'; integrationKey: string; type: 'sync' | 'action' | 'on-event'; name: string }
  | { kind: 'operation'; id: string };

/** What a command still has to know: the palette then lists what to choose from. */
export type PaletteStep =
  | { choose: 'sync'; verb: SyncVerb }
  | { choose: 'connection'; verb: SyncVerb; sync: { integrationKey: string; name: string } }
  | { choose: 'action' }
  | { choose: 'integration' };

export type SyncVerb = 'RUN' | 'PAUSE' | 'UNPAUSE' | 'CANCEL';

export interface PaletteEntry {
  /** Stable across lists, so that frequent choices rank higher. */
  id: string;
  group: string;
  label: string;
  /** The label is an identifier, as the name of a function is. */
  isCode?: boolean;
  hint?: string;
  icon: ReactNode;
  aside?: ReactNode;
  /** Further search words; not shown. */
  keywords?: readonly string[];
  /** An address below the dashboard's base, or a function to call. */
  to?: string;
  run?: () => unknown;
  /** Choosing it lists what it acts on. */
  step?: PaletteStep;
  subject?: Subject;
  /** Shown only when something is typed that matches it. */
  isQuiet?: boolean;
  /** The server found it for exactly this text, possibly by a field that is not shown. */
  isFound?: boolean;
  /** The text is its id or address: it ranks above everything else. */
  isExact?: boolean;
}

export type PaletteMode = 'all' | 'actions' | 'connections' | 'logs' | 'path' | 'help';

/** First characters that restrict the search (ui.md 12). */
const PREFIXES: Readonly<Record<string, PaletteMode>> = {
  '>': 'actions',
  '@': 'connections',
  '#': 'logs',
  '/': 'path',
  '?': 'help',
};

/** The kinds to search, and the text. */
export function readQuery(query: string): { mode: PaletteMode; text: string } {
  const mode = PREFIXES[query.charAt(0)];
  return mode === undefined ? { mode: 'all', text: query.trim() } : { mode, text: query.slice(1).trim() };
}
