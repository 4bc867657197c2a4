import { createContext, useContext } from 'react';

/** What the playground begins with; what is absent stays as it was used last. */
export interface PlaygroundTarget {
  kind?: 'action' | 'sync' | 'proxy' | 'webhook' | 'event' | 'records';
  integrationKey?: string;
  connectionId?: string;
  /** Of the function. */
  name?: string;
  /** Of a run that is over: the playground shows it. */
  runId?: string;
  webhookId?: string;
  /** Of records. */
  model?: string;
  variant?: string;
  /** JSON text of the input. */
  input?: string;
  /** Of an API call; the path below the provider's base address. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  endpoint?: string;
  body?: string;
}

/** What the shell does for screens that cannot reach it themselves. */
export interface ShellActions {
  /** Shows the calls of MCP clients that wait for an answer, also those that were put aside. */
  reviewApprovals: () => void;
  /** Opens the search over everything, with what was open before. */
  openPalette: () => void;
  /** Opens the playground as a sheet beside the screen. */
  openPlayground: (target: PlaygroundTarget) => void;
  /** Forgets the key to every secret, or reads it again; says how it went. */
  setVaultLocked: (isLocked: boolean) => void;
  /** Name of the environment when it is a production one: what destroys something asks for it. */
  productionName?: string | undefined;
}

export const ShellContext = createContext<ShellActions>({
  reviewApprovals: () => {},
  openPalette: () => {},
  openPlayground: () => {},
  setVaultLocked: () => {},
});

export const useShell = (): ShellActions => useContext(ShellContext);
