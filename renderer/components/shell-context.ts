import { createContext, useContext } from 'react';

/** What the shell does for screens that cannot reach it themselves. */
export interface ShellActions {
  /** Shows the calls of MCP clients that wait for an answer, also those that were put aside. */
  reviewApprovals: () => void;
}

export const ShellContext = createContext<ShellActions>({ reviewApprovals: () => {} });

export const useShell = (): ShellActions => useContext(ShellContext);
