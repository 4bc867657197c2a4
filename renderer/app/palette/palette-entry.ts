import type { ReactNode } from 'react';

/** What an entry stands for, so that its actions are known. */
export type Subject =
  | { kind: 'connection'; integrationKey: string; connectionId: string }
  | { kind: 'integration'; key: string }
  | { kind: 'function'; integrationKey: string; type: 'sync' | 'action' | 'on-event'; name: string }
  | { kind: 'operation'; id: string };

export interface PaletteEntry {
  /** The same in every list, so that what is chosen often is found sooner. */
  id: string;
  group: string;
  label: string;
  hint?: string;
  icon: ReactNode;
  aside?: ReactNode;
  /** Found by these too; not shown. */
  keywords?: readonly string[];
  /** Where it leads, below the dashboard's base; or what it does. */
  to?: string;
  run?: () => unknown;
  subject?: Subject;
  /** Shown only once something is typed that fits. */
  isQuiet?: boolean;
  /** The server found it for exactly this text, maybe by something that is not shown. */
  isFound?: boolean;
  /** The text is its id or its address: it goes before everything else. */
  isExact?: boolean;
}

export type PaletteMode = 'all' | 'actions' | 'connections' | 'logs' | 'path' | 'help';

/** First characters that narrow what is searched (ui.md 12). */
const PREFIXES: Readonly<Record<string, PaletteMode>> = {
  '>': 'actions',
  '@': 'connections',
  '#': 'logs',
  '/': 'path',
  '?': 'help',
};

/** What is searched, and for what. */
export function readQuery(query: string): { mode: PaletteMode; text: string } {
  const mode = PREFIXES[query.charAt(0)];
  return mode === undefined ? { mode: 'all', text: query.trim() } : { mode, text: query.slice(1).trim() };
}
