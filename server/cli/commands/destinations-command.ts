import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { confirmOption, environmentOption } from '../command-options.ts';
import type { DestinationOptions, NewDestinationOptions } from './destination-acts.ts';

const load = () => import('./destination-acts.ts');
const collect = (one: string, all: readonly string[] = []): string[] => [...all, one];

/** Record destinations: where synced records go on their own (http-api.md 11.4). */
export function addDestinations(program: Command, context: CliContext): void {
  const parent = program
    .command('destinations')
    .description('where synced records go on their own: PostgreSQL, NDJSON files, an address');
  const add = (name: string): Command => environmentOption(parent.command(name));
  const one = (name: string): Command => add(name).argument('<name>', 'name or id of the destination');
  add('list')
    .description('all destinations, with what waits and the last failure')
    .action(async ({ environment }: DestinationOptions) => (await load()).listDestinations(context, environment));
  one('show')
    .description('one destination, with the progress of each model')
    .action(async (name: string, { environment }: DestinationOptions) =>
      (await load()).showDestination(context, name, environment),
    );
  add('create')
    .description('send records somewhere from now on, beginning with the first change')
    .argument('<name>', 'name of the destination')
    .option('--postgres <connection>', 'postgres://user:password@host:5432/database; @file or @- reads it')
    .option('--folder <path>', 'a folder for NDJSON files')
    .option('--url <address>', 'an address that gets batches by POST')
    .option('--schema <name>', 'schema of PostgreSQL (default: homeport)')
    .option('--tls <mode>', 'off, encrypt or verify (default: off for this computer, else verify)')
    .option('--ca <file>', 'certificate of the authority that signed the one of the server')
    .option('--token <token>', 'bearer token for the address; @file or @- reads it')
    .option('--mark', 'keep rows of deleted records, with _deleted set')
    .option('--only <integration>', 'only records of this integration; may be repeated', collect, [])
    .option('--model <model>', 'only this model; may be repeated', collect, [])
    .option('--connection <connection_id>', 'only this connection; may be repeated', collect, [])
    .option('--test', 'only try the connection; nothing is created')
    .action(async (name: string, options: NewDestinationOptions) =>
      (await load()).createDestination(context, name, options),
    );
  one('test')
    .description('try the connection of a destination; no record is written')
    .action(async (name: string, { environment }: DestinationOptions) =>
      (await load()).testDestination(context, name, environment),
    );
  for (const [act, what, done] of ACTS)
    one(act)
      .description(what)
      .action(async (name: string, { environment }: DestinationOptions) =>
        (await load()).commandDestination(context, { act, done, name, environment }),
      );
  one('replay')
    .description('deliver changes again, from a moment or from the beginning')
    .option('--from <time>', 'the moment, such as 2026-01-31T00:00:00Z; default: the beginning')
    .action(async (name: string, options: DestinationOptions & { from?: string }) =>
      (await load()).replayDestination(context, name, options),
    );
  confirmOption(one('delete'))
    .description('delete a destination; what it delivered stays where it is')
    .action(async (name: string, { environment }: DestinationOptions) =>
      (await load()).deleteDestination(context, name, environment),
    );
}

const ACTS = [
  ['pause', 'let changes wait', 'paused'],
  ['resume', 'deliver what waits', 'resumed'],
  ['retry', 'try now, whatever the wait after failures', 'tries now'],
] as const;
