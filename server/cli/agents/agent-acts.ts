import {
  AGENT_PROGRAMS,
  type AgentProgram,
  commandReach,
  isSessionOf,
  type Places,
  type ProgramAccess,
  type Reach,
} from '../../agents/programs/agent-programs.ts';
import { changedLines } from '../../agents/programs/changed-lines.ts';
import { ConfigProblem } from '../../agents/programs/config-entry.ts';
import {
  changedText,
  type ProgramFile,
  reachOf,
  readProgramFile,
  readProgramFileSafely,
  snippet,
  writeProgramFile,
} from '../../agents/programs/program-file.ts';
import { localTime } from '../../platform/lib/local-time.ts';
import { nearestName } from '../../platform/lib/nearest-name.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import { type ListedConnection, listConnections, locateConnection } from '../hub/find-connection.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { missingSkill, removeSkill, writeSkill } from './skill-file.ts';
import type { SessionAddress } from './stdio-relay.ts';

export interface AgentOptions {
  environment: string;
}

export interface TenantOptions extends AgentOptions {
  connection: string[];
  expiresIn: string;
  queryRecords?: boolean;
}

export interface AddOptions extends TenantOptions {
  access?: string;
  print?: boolean;
  /** False with `--no-skill`. */
  skill?: boolean;
}

interface Pin {
  integration_id: string;
  connection_id: string;
}

interface CreatedSession {
  session_id: string;
  session_token: string;
  mcp_url: string;
  expires_at: string;
}

/** As `GET /sessions` answers. */
interface ListedSession {
  session_id: string;
  state: string;
  calls: number;
  last_used_at: string | null;
  expires_at: string;
  client: { name: string } | null;
  name: string | null;
  toolset: Record<string, { connection_id: string | null }>;
  untrusted_reads: Array<{ tool: string; integration_id: string }>;
}

const SESSIONS = '/sessions';
const PROGRAM_ACCESS: readonly ProgramAccess[] = ['sign-in', 'session', 'command'];
const HOW: Record<ProgramAccess, string> = {
  'sign-in': 'signs in with a browser',
  session: 'has the token of one session',
  command: 'starts "homeport agents stdio"',
};

export async function listAgents({ env, hubs, terminal }: CliContext, { environment }: AgentOptions): Promise<void> {
  const hub = await hubs.open(environment);
  const { data: sessions } = await hub.call<{ data: ListedSession[] }>('GET', SESSIONS);
  const files = await Promise.all(AGENT_PROGRAMS.map((one) => readProgramFileSafely(one, placesOf(env))));
  const rows = files.map(({ program, ...found }) => {
    const reach = 'entry' in found ? reachOf(found.entry) : undefined;
    const own = sessions.filter((one) =>
      isSessionOf(program, reach?.sessionId, { id: one.session_id, clientName: clientName(one) }),
    );
    const used = own.map(({ last_used_at }) => last_used_at).filter((at) => at !== null);
    return {
      program: program.id,
      name: program.name,
      file: found.file,
      set_up: 'entry' in found && found.entry !== undefined,
      access: reach?.access ?? null,
      problem: 'problem' in found ? found.problem : null,
      sessions: own.filter(({ state }) => state === 'active').map(({ session_id }) => session_id),
      last_used_at: used.toSorted().at(-1) ?? null,
    };
  });
  terminal.printJson({ programs: rows, sessions });
  const shown = rows.filter((row) => row.set_up || row.problem !== null);
  if (shown.length === 0)
    terminal.note(`No program is set up. Add one: homeport agents add ${AGENT_PROGRAMS[0]?.id ?? ''}`);
  else
    terminal.table(
      ['PROGRAM', 'HOW', 'LAST USED', 'FILE'],
      shown.map((row) => [
        row.name,
        row.problem ?? (row.access ? HOW[row.access] : 'an entry that a person wrote'),
        row.last_used_at === null ? '-' : localTime(row.last_used_at),
        row.file,
      ]),
    );
  const running = sessions.filter(({ state }) => state === 'active');
  if (running.length > 0)
    terminal.table(
      ['SESSION', 'CLIENT', 'CONNECTIONS', 'CALLS', 'EXPIRES', 'READ TEXT BY STRANGERS'],
      running.map((one) => [
        one.session_id,
        clientName(one) ?? '-',
        connectionsOf(one),
        String(one.calls),
        localTime(one.expires_at),
        untrustedOf(one),
      ]),
    );
}

function connectionsOf({ toolset }: ListedSession): string {
  const named = Object.entries(toolset).map(([key, { connection_id }]) => `${key}/${connection_id ?? 'not connected'}`);
  return named.join(', ') || '-';
}

/** What it read that strangers wrote. */
function untrustedOf({ untrusted_reads: reads }: ListedSession): string {
  const tools = [...new Set(reads.map(({ integration_id, tool }) => `${integration_id}/${tool}`))];
  const [first = '-', ...others] = tools;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function clientName({ client, name }: ListedSession): string | undefined {
  return client?.name ?? name ?? undefined;
}

export async function addAgentProgram(context: CliContext, name: string, options: AddOptions): Promise<void> {
  const { clock, env, hubs, terminal } = context;
  const program = agentProgramOf(name);
  const access = accessOf(program, options.access);
  if (access === 'sign-in' && options.connection.length > 0)
    throw new CliFailure(
      'With --access sign-in you choose the connections in the browser. Leave --connection out, or use --access session.',
      EXIT.usage,
    );
  if (access === 'sign-in' && options.queryRecords)
    throw new CliFailure(
      'With --access sign-in you allow queries in the browser. Leave --query-records out, or use --access session.',
      EXIT.usage,
    );
  const file = await asConfigFailure(() => readProgramFile(program, placesOf(env)));
  const hub = await hubs.open(options.environment);
  const pins = access === 'sign-in' ? [] : await choosePins(context, hub, options.connection);
  const skill = options.skill === false ? undefined : await missingSkill(program, placesOf(env));
  if (!options.print) {
    // Asked before a session is made, so that "no" leaves nothing behind.
    const planned = access === 'session' ? { url: `${hub.baseUrl}/session/<new>/mcp`, token: '<new>' } : undefined;
    const reach = planned ?? reachWithout(context, hub, access, pins, options);
    const text = await asConfigFailure(() => changedText(file, reach));
    if (text === file.text) {
      terminal.printJson({ program: program.id, file: file.file, backup: null, access });
      terminal.print(`${program.name} is set up like this already in ${file.file}. Nothing was changed.`);
      if (skill !== undefined) {
        await confirm(context, `Write the skill ${skill}?`);
        await addSkill(context, skill);
      }
      return;
    }
    showChange(context, file, text);
    const also = skill === undefined ? '' : `, and the skill ${skill}`;
    await confirm(context, `Write this to ${file.file}${also}?`);
  }
  const reach =
    access === 'session'
      ? await reachOfNewSession(hub, pins, options)
      : reachWithout(context, hub, access, pins, options);
  if (options.print) return print(context, file, reach);
  const changed = await asConfigFailure(() => changedText(file, reach));
  const backup = await asConfigFailure(() => writeProgramFile(file, changed, new Date(clock.now())));
  await endSessionOf(hub, file.entry);
  terminal.printJson({ program: program.id, file: file.file, backup: backup ?? null, access });
  terminal.print(`${terminal.colors.green('✓')} ${program.name} is set up in ${file.file}`);
  if (backup !== undefined) terminal.note(`The file as it was: ${backup}`);
  if (skill !== undefined) await addSkill(context, skill);
  terminal.note(program.next);
}

async function addSkill({ terminal }: CliContext, file: string): Promise<void> {
  await writeSkill(file);
  terminal.note(`It reads in ${file} how to work with Homeport.`);
}

function print({ terminal }: CliContext, file: ProgramFile, reach: Reach): void {
  const text = snippet(file, reach);
  terminal.printJson({ program: file.program.id, file: file.file, entry: file.program.entry(reach) });
  terminal.printValue(text.trimEnd());
  terminal.note(`Put this into ${file.file}.`);
}

/** The lines that change, without the rest of a person's file. */
export function showChange({ terminal }: CliContext, { file, text = '' }: ProgramFile, changed: string): void {
  const { added, line, removed } = changedLines(text, changed);
  terminal.note(`${file}, from line ${line}:`);
  for (const one of removed) terminal.note(terminal.colors.red(`- ${one}`));
  for (const one of added) terminal.note(terminal.colors.green(`+ ${one}`));
}

export async function removeAgentProgram(
  context: CliContext,
  name: string,
  { environment }: AgentOptions,
): Promise<void> {
  const { clock, env, hubs, terminal } = context;
  const file = await asConfigFailure(() => readProgramFile(agentProgramOf(name), placesOf(env)));
  if (file.entry === undefined)
    throw new CliFailure(`${file.program.name} has no entry "homeport" in ${file.file}. Nothing was changed.`);
  const changed = await asConfigFailure(() => changedText(file, undefined));
  showChange(context, file, changed);
  await confirm(context, `Write this to ${file.file}?`);
  const backup = await asConfigFailure(() => writeProgramFile(file, changed, new Date(clock.now())));
  terminal.printJson({ program: file.program.id, file: file.file, backup: backup ?? null });
  terminal.print(`${terminal.colors.green('✓')} ${file.program.name} has no entry for the hub any more`);
  if (backup !== undefined) terminal.note(`The file as it was: ${backup}`);
  const skill = await removeSkill(file.program, placesOf(env));
  if (skill !== undefined) terminal.note(`Removed ${skill}`);
  if (reachOf(file.entry)?.access === 'session') await endSessionOf(await hubs.open(environment), file.entry);
}

/** A session whose token no program has any more is of no use. It may have ended already. */
async function endSessionOf(hub: HubClient, entry: unknown): Promise<void> {
  const id = reachOf(entry)?.sessionId;
  if (id === undefined) return;
  const { body, status } = await hub.send('DELETE', `${SESSIONS}/${id}`);
  if (status >= 400 && status !== 404) throw hub.refusal(status, body);
}

export async function serveStdio(context: CliContext, options: TenantOptions): Promise<void> {
  const { relayStdio } = await import('./stdio-relay.ts');
  const made = new Map<string, { hub: HubClient; id: string }>();
  const open = async (previous: SessionAddress | undefined): Promise<SessionAddress> => {
    const hub = await context.hubs.open(options.environment);
    const before = previous && made.get(previous.url);
    if (before) await requireExpired(before.hub, before.id);
    const pins = await choosePins(context, hub, options.connection);
    const session = await createSession(hub, pins, options);
    made.set(session.mcp_url, { hub, id: session.session_id });
    return { url: session.mcp_url, token: session.session_token };
  };
  await relayStdio({ ...context.terminal.stdio(), fetch, open, signal: context.signal });
  for (const { hub, id } of made.values()) await hub.send('DELETE', `${SESSIONS}/${id}`);
}

/** A session that a person has ended stays ended; one whose time is over is made again. */
async function requireExpired(hub: HubClient, id: string): Promise<void> {
  const { body, status } = await hub.send('GET', `${SESSIONS}/${id}`);
  const state = status < 400 ? (body as { data: ListedSession }).data.state : 'expired';
  if (state !== 'expired')
    throw new CliFailure('This session was ended in Homeport. Start the program again for a new one.');
}

/** The connections of the session: the named ones, else the only one of each integration. */
export async function choosePins(context: CliContext, hub: HubClient, named: string[]): Promise<Pin[]> {
  const chosen: ListedConnection[] = [];
  for (const id of named) chosen.push(await locateConnection(context, hub, id, undefined));
  if (chosen.length > 0) return pinsOf(chosen);
  const byIntegration = Map.groupBy(await listConnections(hub, {}), (one) => one.provider_config_key);
  if (byIntegration.size === 0)
    throw new CliFailure('There is no connection that an agent could use. Connect one: homeport connect github');
  for (const [integration, all] of byIntegration) {
    const [only, ...others] = all;
    if (only && others.length === 0) chosen.push(only);
    else
      chosen.push(
        await context.terminal.choose(
          `Which connection of ${integration}? (number)`,
          all.map((value) => ({ label: value.connection_id, value })),
          `${integration} has several connections: ${all.map((one) => one.connection_id).join(', ')}. Name those that the agent may use with --connection.`,
        ),
      );
  }
  return pinsOf(chosen);
}

function pinsOf(connections: ListedConnection[]): Pin[] {
  return connections.map(({ connection_id, provider_config_key }) => ({
    integration_id: provider_config_key,
    connection_id,
  }));
}

async function createSession(
  hub: HubClient,
  pinned: Pin[],
  { expiresIn, queryRecords = false }: TenantOptions,
): Promise<CreatedSession> {
  const meta_tools = { homeport_query_records: queryRecords };
  const body = { tenant: { connections: { pinned } }, expires_in: expiresIn, meta_tools };
  return (await hub.call<{ data: CreatedSession }>('POST', SESSIONS, { body })).data;
}

async function reachOfNewSession(hub: HubClient, pins: Pin[], options: TenantOptions): Promise<Reach> {
  const session = await createSession(hub, pins, options);
  return { url: session.mcp_url, token: session.session_token };
}

function reachWithout(
  { config, env, resources }: CliContext,
  hub: HubClient,
  access: ProgramAccess,
  pins: Pin[],
  { environment, expiresIn, queryRecords = false }: AddOptions,
): Reach {
  if (access === 'sign-in') return { url: `${hub.baseUrl}/agents/mcp` };
  return commandReach({
    launcher: resources.launcher,
    environment,
    expiresIn,
    queryRecords,
    connections: pins.map(({ connection_id }) => connection_id),
    home: env['HOMEPORT_HOME'] && config.home,
  });
}

function accessOf({ access, name }: AgentProgram, wanted: string | undefined): ProgramAccess {
  if (wanted === undefined) return access[0];
  const found = PROGRAM_ACCESS.find((one) => one === wanted);
  if (found && access.includes(found)) return found;
  const reason = found ? `${name} cannot use "${found}".` : `There is no access "${wanted}".`;
  throw new CliFailure(`${reason} It can use: ${access.join(', ')}.`, EXIT.usage);
}

export function agentProgramOf(name: string): AgentProgram {
  const found = AGENT_PROGRAMS.find(({ id }) => id === name);
  if (found) return found;
  const ids = AGENT_PROGRAMS.map(({ id }) => id);
  const meant = nearestName(name, ids);
  const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new CliFailure(
    `Homeport does not know the program "${name}".${advice} It knows: ${ids.join(', ')}.`,
    EXIT.usage,
  );
}

export function placesOf(env: CliContext['env']): Places {
  const home = env['HOME'] ?? env['USERPROFILE'];
  if (!home) throw new CliFailure('HOME is not set, so the configuration of programs cannot be found.');
  return { platform: process.platform, home, env };
}

export async function asConfigFailure<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ConfigProblem ? new CliFailure(error.message) : error;
  }
}
