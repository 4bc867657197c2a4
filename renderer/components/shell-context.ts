import { createContext, useContext } from 'react';

/** Initial values of the playground; absent values stay as they were used last. */
export interface PlaygroundTarget {
  kind?: 'action' | 'sync' | 'proxy' | 'webhook' | 'event' | 'records';
  integrationKey?: string;
  connectionId?: string;
  /** Name of the function. */
  name?: string;
  /** Id of an ended run, which the playground shows. */
  runId?: string;
  webhookId?: string;
  /** Model of records. */
  model?: string;
  variant?: string;
  /** JSON text of the input. */
  input?: string;
  /** An API call; the path is below the provider's base address. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  endpoint?: string;
  body?: string;
}

/** Functions of the shell for screens, which cannot import it. */
export interface ShellActions {
  /** Shows the calls of MCP clients that wait for a response, including postponed ones. */
  reviewApprovals: () => void;
  /** Opens the palette with the recently opened objects. */
  openPalette: () => void;
  /** Opens the playground as a sheet beside the screen. */
  openPlayground: (target: PlaygroundTarget) => void;
  /** Copies a secret: the desktop app marks it as such and removes it later, a browser only copies it. */
  copySecret: (text: string) => Promise<void>;
  /** Locks or unlocks the vault and shows the result. */
  setVaultLocked: (isLocked: boolean) => void;
  /** Name of the environment when it is a production one: destructive actions ask for it. */
  productionName?: string | undefined;
}

export const ShellContext = createContext<ShellActions>({
  reviewApprovals: () => {},
  openPalette: () => {},
  openPlayground: () => {},
  copySecret: (text) => navigator.clipboard.writeText(text),
  setVaultLocked: () => {},
});

export const useShell = (): ShellActions => useContext(ShellContext);
