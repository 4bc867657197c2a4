import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { environmentOption, integrationOption } from '../command-options.ts';
import { headersOfConnection, locateConnection } from '../hub/find-connection.ts';
import { type HubClient, parseHubJson, refusalLines } from '../hub/hub-client.ts';
import { readJsonArgument } from '../project/json-argument.ts';

interface RunOptions {
  environment: string;
  integrationId?: string;
  input?: string;
  async?: boolean;
  maxRetries?: string;
}

export function addActions(program: Command, context: CliContext): void {
  const parent = program.command('actions').description('actions of the hub: run them');
  integrationOption(environmentOption(parent.command('run')), 'integration of the connection')
    .description('run an action of the hub and print its output as JSON; the hub logs the run')
    .argument('<name>')
    .argument('<connection_id>')
    .option('--input <json>', 'its input: JSON, @input.json, or @- for standard input')
    .option('--async', 'do not wait: print the id of the run, for `api GET /action/<id>`')
    .option('--max-retries <number>', 'with --async: how often to try again, 0 to 5')
    .action((name: string, connection: string, options: RunOptions) => run(context, name, connection, options));
}

async function run(context: CliContext, name: string, connectionId: string, options: RunOptions): Promise<void> {
  const { hubs, terminal } = context;
  const input = options.input === undefined ? undefined : await readJsonArgument('--input', options.input, context);
  const hub = await hubs.open(options.environment);
  const connection = await locateConnection(context, hub, connectionId, options.integrationId);
  const response = await hub.raw(new URL(`${hub.baseUrl}/action/trigger`), {
    method: 'POST',
    headers: {
      ...headersOfConnection(connection),
      'content-type': 'application/json',
      ...(options.async ? { 'x-async': 'true' } : {}),
      ...(options.maxRetries === undefined ? {} : { 'x-max-retries': options.maxRetries }),
    },
    body: JSON.stringify({ action_name: name, ...(input === undefined ? {} : { input }) }),
  });
  const text = await response.text();
  // 400, 401, 403 and 404 mean that nothing ran.
  if (!response.ok) throw failureOf(hub, response.status, parseHubJson(text));
  terminal.printJsonText(text === '' ? 'null' : text);
}

function failureOf(hub: HubClient, status: number, body: unknown): CliFailure {
  if (status < 424) return hub.refusal(status, body);
  const { code, payload } = (body as { error?: { code?: string; payload?: unknown } } | undefined)?.error ?? {};
  return new CliFailure(`The action failed: ${refusalLines(status, body).join('\n  ')}`, EXIT.run, {
    code: code ?? 'run_failed',
    status,
    ...(payload === undefined ? {} : { payload }),
  });
}
