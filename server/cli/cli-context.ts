import type { Config } from '../config.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Resources } from '../resources.ts';
import type { HubAccess } from './hub/hub-access.ts';
import type { Project } from './project/find-project.ts';
import type { EngineNeeds, LocalEngine } from './project/local-engine.ts';
import type { Terminal } from './terminal.ts';

/** Options of every command. `--json` and `--no-interactive` are settings of the terminal. */
export interface SharedOptions {
  autoConfirm: boolean;
}

/** What commands use; created once per call of the program. */
export interface CliContext {
  /** Environment variables. Variables of the project's `.env` are used where the shell has none. */
  env: Record<string, string | undefined>;
  cwd: string;
  config: Config;
  clock: Clock;
  ids: Ids;
  resources: Resources;
  terminal: Terminal;
  hubs: HubAccess;
  /** Exit status of a command that prints its result and is not a plain success, such as `status` without a hub. */
  outcome: { status: number };
  /** Filled before the command runs. */
  options: SharedOptions;
  findProject(): Promise<Project>;
  /** Opens compiler and sandbox for a project. The caller stops it. */
  openEngine(project: Project, needs?: EngineNeeds): Promise<LocalEngine>;
  /** Runs a step that must not be interrupted: after Ctrl-C the command ends only when the step is done. */
  finish<T>(step: () => Promise<T>): Promise<T>;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
}
