import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { environmentOption, integrationOption } from '../command-options.ts';

const PATH = '/environment/mcp-policies';

interface Options {
  environment: string;
  client?: string;
  integrationId?: string;
  connection?: string;
}

interface OfTool {
  client: string;
  provider_config_key: string;
  connection_id: string;
  tool: string;
}

/** Also for connections and clients that come later; null means every one. */
interface Rule {
  client: string | null;
  provider_config_key: string | null;
  connection_id: string | null;
  tool: string;
  policy: string;
}

interface Policies {
  tools: Array<{ provider_config_key: string; tool: string; risk: string; default_policy: string }>;
  rules: Rule[];
  policies: Array<OfTool & { policy: string }>;
  /** Answers about a program of agent sessions, or about one session. */
  programs: Array<OfTool & { program: string | null; session_id: string | null; policy: string }>;
  waiting: Array<OfTool & { reasons: string[]; preview: string[] | null; expires_at: string }>;
}

const POLICIES = {
  allow: 'let MCP clients call a tool without asking',
  deny: 'refuse a tool to MCP clients',
  ask: 'ask before each call of a tool',
};

export function addMcp(program: Command, context: CliContext): void {
  const parent = program.command('mcp').description('policies of MCP clients for the actions of the hub');
  const add = (name: string, description: string): Command =>
    environmentOption(parent.command(name)).description(description);
  add('list', 'tools with their policies, and the calls that wait for an answer').action(({ environment }: Options) =>
    list(context, environment),
  );
  for (const [policy, description] of Object.entries(POLICIES)) {
    const of = 'only of this integration (default: every one that has the tool)';
    integrationOption(add(policy, `${description}; calls that wait for it are answered too`), of)
      .argument('<tool>', 'name of the action')
      .option('--client <name>', 'only for the client with this API key (default: every client, also later ones)')
      .option('--connection <id>', 'only at this connection (default: every connection, also later ones)')
      .action((tool: string, options: Options) => change(context, tool, policy, options));
  }
}

async function list({ hubs, terminal }: CliContext, environment: string): Promise<void> {
  const hub = await hubs.open(environment);
  const { data } = await hub.call<{ data: Policies }>('GET', PATH);
  terminal.printJson(data);
  const rules = data.rules.map((one) => [
    one.tool,
    one.provider_config_key ?? 'every',
    one.connection_id ?? 'every',
    one.client ?? 'every',
    one.policy,
  ]);
  const defaults = data.tools
    .filter((tool) => !data.rules.some((rule) => coversAll(rule, tool)))
    .map((one) => [one.tool, one.provider_config_key, 'every', 'every', `${one.default_policy} (default)`]);
  const set = data.policies.map((one) => [
    one.tool,
    one.provider_config_key,
    one.connection_id,
    one.client,
    one.policy,
  ]);
  const programs = data.programs.map((one) => [
    one.tool,
    one.provider_config_key,
    one.connection_id,
    one.session_id === null ? one.client : `${one.client}, session ${one.session_id}`,
    one.policy,
  ]);
  const rows = [...defaults, ...rules, ...set, ...programs];
  terminal.table(['TOOL', 'INTEGRATION', 'CONNECTION', 'CLIENT', 'POLICY'], rows);
  if (programs.length > 0)
    terminal.note('Answers about programs and sessions are taken back by: homeport mcp ask <tool>');
  for (const { client, connection_id, expires_at, preview, provider_config_key, reasons, tool } of data.waiting)
    terminal.note(
      [
        `${client} waits until ${expires_at} to call ${tool} of ${provider_config_key}/${connection_id}.`,
        ...reasons,
        ...(preview ? [`It would send: ${preview.join('; ')}`] : []),
        `homeport mcp allow ${tool}`,
      ].join(' '),
    );
}

/** Whether the default of the tool does not count any more. */
function coversAll(rule: Rule, { provider_config_key, tool }: Policies['tools'][number]): boolean {
  const isOfTool = rule.tool === tool && (rule.provider_config_key ?? provider_config_key) === provider_config_key;
  return isOfTool && rule.client === null && rule.connection_id === null;
}

async function change({ hubs, terminal }: CliContext, tool: string, policy: string, options: Options): Promise<void> {
  const { client, connection: connection_id, environment, integrationId: provider_config_key } = options;
  const hub = await hubs.open(environment);
  const body = { tool, policy, client, provider_config_key, connection_id };
  const { data } = await hub.call<{ data: { changed: number; holds_for_later: boolean } }>('PUT', PATH, { body });
  terminal.printJson({ tool, policy, ...data });
  const times = data.changed === 1 ? 'one client at one connection' : `${data.changed} pairs of client and connection`;
  const later = data.holds_for_later ? ', and for those that come later' : '';
  terminal.print(`${terminal.colors.green('✓')} ${tool}: ${policy}, for ${times}${later}`);
}
