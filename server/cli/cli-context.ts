import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Resources } from '../resources.ts';
import type { HubAccess } from './hub/hub-access.ts';
import type { Project } from './project/find-project.ts';
import type { EngineNeeds, LocalEngine } from './project/local-engine.ts';
import type { Terminal } from './terminal.ts';

/** Options that every command takes; `--json` and `--no-interactive` are settings of the terminal. */
export interface SharedOptions {
  autoConfirm: boolean;
}

/** What commands work with; made once for a command line. */
export interface CliContext {
  /** Environment variables, the project's `.env` behind them. */
  env: Record<string, string | undefined>;
  cwd: string;
  config: Config;
  clock: Clock;
  ids: Ids;
  resources: Resources;
  terminal: Terminal;
  hubs: HubAccess;
  /** Filled before the command runs. */
  options: SharedOptions;
  findProject(): Promise<Project>;
  /** Compiler and sandbox over a project; the caller stops it. */
  openEngine(project: Project, needs?: EngineNeeds): Promise<LocalEngine>;
  /** Does what must not end half-way: told to stop meanwhile, the command ends after it. */
  finish<T>(step: () => Promise<T>): Promise<T>;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
}
