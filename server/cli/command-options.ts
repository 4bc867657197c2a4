import { type Command, Option } from 'commander';
import { DEFAULT_ENVIRONMENT } from './hub/hub-access.ts';

/** An option with further spellings that stay accepted. All of them set the same value. */
class SpeltOption extends Option {
  readonly #name: string;

  constructor(flags: string, description: string | undefined, name: string) {
    super(flags, description);
    this.#name = name;
  }

  override attributeName(): string {
    return this.#name;
  }
}

interface Spelling {
  flags: string;
  description: string;
  /** Name of the value in the options of the command. */
  name: string;
  /** Earlier or foreign spellings; the help does not show them. */
  also: readonly string[];
  value?: string;
}

function addSpelt(command: Command, { flags, description, name, also, value }: Spelling): Command {
  const shown = new SpeltOption(flags, description, name);
  command.addOption(value === undefined ? shown : shown.default(value));
  for (const other of also) command.addOption(new SpeltOption(other, undefined, name).hideHelp());
  return command;
}

/** `-e, --env`, as `environment` in the options; `--environment` is accepted too. */
export function environmentOption(command: Command, description = 'environment'): Command {
  const flags = '-e, --env <name>';
  const also = ['--environment <name>'];
  return addSpelt(command, { flags, description, also, name: 'environment', value: DEFAULT_ENVIRONMENT });
}

/** `-i, --integration`, as `integrationId` in the options; `--integration-id` is accepted too. */
export function integrationOption(command: Command, description: string, flags = '-i, --integration <key>'): Command {
  return addSpelt(command, { flags, description, also: ['--integration-id <key>'], name: 'integrationId' });
}

/** `--last-sync-date`; `--lastSyncDate` is the spelling of the reference (functions.md 8.1). */
export function lastSyncDateOption(command: Command, description: string): Command {
  const flags = '-l, --last-sync-date <date>';
  return addSpelt(command, { flags, description, also: ['--lastSyncDate <date>'], name: 'lastSyncDate' });
}

/** For commands that ask before they change something. Others accept the option and do not show it. */
export function confirmOption(command: Command): Command {
  return command.option('--auto-confirm', 'answer yes to questions');
}
