import { join } from 'node:path';
import type { Command } from 'commander';
import { type FunctionKind, functionPath } from '../../../functions/compiler/function-path.ts';
import { readIfExists } from '../../lib/read-if-exists.ts';
import { writeNewFile, writeProjectFile } from '../../lib/write-new-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { environmentOption } from '../command-options.ts';

interface Options {
  environment: string;
  sync?: boolean;
  action?: boolean;
  onEvent?: boolean;
  force?: boolean;
}

export function addPull(program: Command, context: CliContext): void {
  environmentOption(program.command('pull'), 'environment to fetch from')
    .description('fetch the source of a deployed function into the project')
    .argument('<integration>', 'integration')
    .argument('<name>', 'function')
    .option('-s, --sync', 'the sync of that name')
    .option('-a, --action', 'the action of that name')
    .option('--on-event', 'the event handler of that name')
    .option('-f, --force', 'overwrite an existing file')
    .action((integration: string, name: string, options: Options) => pull(context, integration, name, options));
}

async function pull(context: CliContext, integration: string, name: string, options: Options): Promise<void> {
  const { terminal } = context;
  const { root } = await context.findProject();
  const hub = await context.hubs.open(options.environment);
  const type = options.sync ? 'sync' : options.action ? 'action' : options.onEvent ? 'on-event' : undefined;
  const { code, type: found } = await hub.call<{ code: string; type: FunctionKind }>(
    'GET',
    `/integrations/${encodeURIComponent(integration)}/functions/${encodeURIComponent(name)}/code`,
    { query: { type } },
  );
  const path = functionPath(integration, found, name);
  if (options.force) await writeProjectFile(root, path, code);
  else if (!(await writeNewFile(root, path, code)))
    throw new CliFailure(`${path} already exists. Run the command again with --force to overwrite it.`, EXIT.usage);
  const folder = await context.hubs.functionsFolder();
  if (folder !== undefined && folder !== root && (await readIfExists(join(folder, path))) !== undefined)
    terminal.note(`The hub runs this function from ${join(folder, path)}: edit it there, a deploy of it is refused.`);
  terminal.printJson({ path });
  terminal.print(`${terminal.colors.green('✓')} ${path}`);
}
