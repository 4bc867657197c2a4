import { createContext, useContext } from 'react';

/** What the playground begins with; what is absent stays as it was used last. */
export interface PlaygroundTarget {
  kind?: 'action' | 'sync' | 'proxy' | 'webhook';
  integrationKey?: string;
  connectionId?: string;
  /** Of the function. */
  name?: string;
  webhookId?: string;
  /** JSON text of the input. */
  input?: string;
}

/** What the shell does for screens that cannot reach it themselves. */
export interface ShellActions {
  /** Shows the calls of MCP clients that wait for an answer, also those that were put aside. */
  reviewApprovals: () => void;
  /** Opens the playground as a sheet beside the screen. */
  openPlayground: (target: PlaygroundTarget) => void;
}

export const ShellContext = createContext<ShellActions>({
  reviewApprovals: () => {},
  openPlayground: () => {},
});

export const useShell = (): ShellActions => useContext(ShellContext);
