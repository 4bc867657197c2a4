import type { Command } from 'commander';
import { AGENT_PROGRAMS } from '../../agents/programs/agent-programs.ts';
import type { AddOptions, AgentOptions, TenantOptions } from '../agents/agent-acts.ts';
import type { LimitOptions } from '../agents/limit-acts.ts';
import type { CliContext } from '../cli-context.ts';
import { confirmOption, environmentOption } from '../command-options.ts';

/** Loaded when one of the commands runs: the editors of JSON, TOML and YAML are large. */
const acts = () => import('../agents/agent-acts.ts');

interface Manage {
  manage?: boolean;
}

/** The agent programs of this computer (agents.md 6). */
export function addAgents(program: Command, context: CliContext): void {
  const parent = program.command('agents').description('connect agent programs of this computer to the hub');
  const add = (name: string, isDefault = false): Command => environmentOption(parent.command(name, { isDefault }));
  const known = `one of ${AGENT_PROGRAMS.map(({ id }) => id).join(', ')}`;
  add('list', true)
    .description('programs that are set up, what each may do, and when it was last used')
    .action(async (options: AgentOptions) => (await acts()).listAgents(context, options));
  tenantOptions(confirmOption(add('add')))
    .description('write an entry for the hub into the configuration of a program, after showing the change')
    .argument('<program>', known)
    .option('--access <way>', 'sign-in, session or command (default: the first one that the program can)')
    .option('--print', 'only print the entry; nothing is written')
    .option('--no-skill', 'write no SKILL.md for a program that reads skills')
    .option('--manage', 'a second entry, with a key that only builds functions (agents_may_build switches it on)')
    .action(async (name: string, options: AddOptions & Manage) =>
      options.manage
        ? (await import('../agents/manage-acts.ts')).addBuilding(context, name, options)
        : (await acts()).addAgentProgram(context, name, options),
    );
  confirmOption(add('remove'))
    .description('remove the entry from the configuration of a program, and end the session that it holds')
    .argument('<program>', known)
    .option('--manage', 'remove the entry that builds functions, and revoke its key')
    .action(async (name: string, options: AgentOptions & Manage) =>
      options.manage
        ? (await import('../agents/manage-acts.ts')).removeBuilding(context, name, options)
        : (await acts()).removeAgentProgram(context, name, options),
    );
  addLimits(parent, context);
  tenantOptions(add('stdio'))
    .description('speak MCP on standard input and output, for programs that start their servers themselves')
    .action(async (options: TenantOptions) => (await acts()).serveStdio(context, options));
}

function addLimits(parent: Command, context: CliContext): void {
  const limits = parent.command('limits').description('how much keys, programs, sessions and runs of commands may do');
  environmentOption(limits.command('list', { isDefault: true }))
    .description('limits, and what is used of them')
    .action(async (options: LimitOptions) => (await import('../agents/limit-acts.ts')).listLimits(context, options));
  environmentOption(limits.command('set'))
    .description('change the limits that are named: a number, none, or default')
    .argument('<whose>', 'sessions (each of them), key, program or session')
    .argument('[id]', 'id of the key or session, name of the program')
    .option('--calls-per-minute <number>', 'calls in any 60 seconds')
    .option('--calls <number>', 'calls in all')
    .option('--writes <number>', 'calls that write, in all')
    .option('--cost <number>', 'cost in all, as functions report it')
    .option('--repeats <number>', 'the same call in a row, before a person is asked')
    .option('--hosts <names>', 'only these hosts, separated by commas')
    .option('--methods <names>', 'only these methods, separated by commas')
    .option('--defaults', 'take all other limits of its own back')
    .action(async (whose: string, id: string | undefined, options: LimitOptions) =>
      (await import('../agents/limit-acts.ts')).setLimits(context, whose, id, options),
    );
}

function tenantOptions(command: Command): Command {
  return command
    .option(
      '-c, --connection <connection_id>',
      'a connection that the agent may use, and no other; may be repeated (default: the only one of each integration)',
      (id: string, all: string[]) => [...all, id],
      [],
    )
    .option('--expires-in <time>', 'life of a session, such as 2h or 7d, at most 30d', '30d')
    .option(
      '--query-records',
      'the agent may ask synced records in SQL, of these connections (homeport_query_records)',
    );
}
