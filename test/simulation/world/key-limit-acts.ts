import type { Act } from './act.ts';
import { keyOf, textOf } from './calls.ts';
import type { ExpectedConnection } from './expectations.ts';
import type { Answer } from './simulated-hub.ts';
import { versionsOf } from './workspace-acts.ts';
import type { World } from './world.ts';

/** A key of `dev` for one connection only, or one that reads no credentials. */
export interface LimitedKey {
  secret: string;
  /** Undefined: it may read all of them, without credentials. */
  connectionId: string | undefined;
}

/** A session of an agent, for one connection of `dev`. */
export interface AgentSession {
  id: string;
  token: string;
  connectionId: string;
  /** Its end was acknowledged. */
  isEnded: boolean;
}

const NOTE = 'sim/actions/note.ts';
const IDS = ['c0', 'c1', 'c2'];
const ALL = ['read', 'records', 'proxy', 'metadata'];
const READING = ['environment:connections:list', 'environment:connections:read', 'environment:records:read'];

async function makeKey(world: World, pick: number): Promise<string> {
  const connectionId = pick % 3 === 2 ? undefined : IDS[pick % 2];
  const answer = await world.hub.dashboard('POST', '/api/v1/keys?env=dev', {
    name: `limited ${world.limitedKeys.length} ${pick}`,
    ...(connectionId === undefined
      ? { scopes: READING }
      : { scopes: ['environment:*'], allowed: [{ integrationKey: 'sim', connectionId }] }),
  });
  const { secret } = answer.body ?? {};
  if (typeof secret === 'string') world.limitedKeys.push({ secret, connectionId });
  return `${connectionId ?? 'without credentials'} → ${textOf(answer)}`;
}

/** It asks for everything, and gets what it may have. */
async function useKey(world: World, pick: number): Promise<string> {
  const { hub, limitedKeys } = world;
  const limited = limitedKeys[pick % limitedKeys.length];
  if (!limited) return 'there is none';
  const { connectionId, secret: key } = limited;
  const id = IDS[Math.floor(pick / 7) % IDS.length] as string;
  const headers = { 'provider-config-key': 'sim', 'connection-id': id };
  const body = { connection_id: id, provider_config_key: 'sim', metadata: {} };
  const calls: Record<string, () => Promise<Answer>> = {
    list: () => hub.call('GET', '/connections', { key }),
    read: () => hub.call('GET', `/connections/${id}?provider_config_key=sim`, { key }),
    records: () => hub.call('GET', '/records?model=Item', { key, headers }),
    proxy: () => hub.call('GET', '/proxy/account', { key, headers }),
    metadata: () => hub.call('PATCH', '/connections/metadata', { key, body }),
  };
  const may = connectionId === undefined ? ['list', 'read', 'records'] : ['list', ...(id === connectionId ? ALL : [])];
  const done: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    const { body: answer, status } = await call();
    if (status === 0) break;
    if (status !== 200) continue;
    done.push(name);
    if (!may.includes(name)) world.violate(`a key of ${connectionId ?? READING.join()} was answered: ${name} of ${id}`);
    if (connectionId === undefined && name === 'read' && answer.credentials?.access_token !== undefined)
      world.violate(`a key that may not reads a token of ${id}`);
    const others = name === 'list' ? (answer.connections as Array<{ connection_id: string }>) : [];
    if (connectionId !== undefined && others.some((one) => one.connection_id !== connectionId))
      world.violate(`a key of ${connectionId} lists others`);
  }
  return `${connectionId ?? 'without credentials'} at ${id}: ${done.join(', ')}`;
}

async function beginSession(world: World, pick: number): Promise<string> {
  const connectionId = IDS[pick % 2] as string;
  // A call that waits for a person would take a minute.
  for (const version of versionsOf(world, NOTE).values) world.allowedVersions.add(version);
  await world.hub.call('PUT', '/environment/mcp-policies', { body: { tool: 'note', policy: 'allow' } });
  const answer = await world.hub.call('POST', '/sessions', {
    body: {
      tenant: { connections: { pinned: [{ integration_id: 'sim', connection_id: connectionId }] } },
      expires_in: '7d',
    },
  });
  const { session_id: id, session_token: token } = answer.body?.data ?? {};
  if (answer.status === 201) world.sessions.push({ id, token, connectionId, isEnded: false });
  return `${connectionId} → ${textOf(answer)}`;
}

function callAgent({ hub }: World, { id, token }: AgentSession, method: string, params: object): Promise<Answer> {
  return hub.call('POST', `/session/${id}/mcp`, {
    key: token,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
}

const ownerOf = ({ expected }: World, { connectionId }: AgentSession): ExpectedConnection =>
  expected.connection('dev', connectionId);

/** The agent writes a note. */
async function useSession(world: World, pick: number): Promise<string> {
  const session = world.sessions[pick % world.sessions.length];
  if (!session) return 'there is none';
  const owner = ownerOf(world, session);
  const { isEnded } = session;
  const possible = owner.account.record();
  const key = `agent${pick}-${world.provider.notes.length}`;
  const answer = await callAgent(world, session, 'tools/call', {
    name: 'nango_execute',
    arguments: { tool: 'sim__note', input: { key } },
  });
  possible.stop();
  if (isEnded && answer.status === 200) world.violate(`the session of ${session.connectionId} has ended, and answers`);
  const { account: name, version } = world.provider.noteWriters.get(key) ?? {};
  if (name !== undefined && !possible.values.has(name))
    world.violate(
      `the session of ${session.connectionId} wrote as ${name}; expected ${[...possible.values].join(' or ')}`,
    );
  if (version !== undefined && !world.allowedVersions.has(version))
    world.violate(`an agent ran version ${version} of a tool that was allowed before it`);
  return `${session.connectionId}: ${textOf(answer)} ${name ?? 'nothing'}`;
}

async function endSession(world: World, pick: number): Promise<string> {
  const session = world.sessions[pick % world.sessions.length];
  if (!session) return 'there is none';
  const key = keyOf(world, ownerOf(world, session));
  const answer = await world.hub.call('DELETE', `/sessions/${session.id}`, { key });
  if (answer.status === 200) session.isEnded = true;
  return `${session.connectionId}: ${textOf(answer)}`;
}

/** After a restore, or a loss of power: an end may be undone. */
export function doubtEnds({ sessions }: World): void {
  for (const session of sessions) session.isEnded = false;
}

export const LIMIT_ACTS = {
  'a limited key is made': { weight: 2, run: makeKey },
  'a limited key is used': { weight: 2, run: useKey },
  'an agent begins': { weight: 2, run: beginSession },
  'an agent works': { weight: 3, run: useSession },
  'an agent is ended': { weight: 1, run: endSession },
} as const satisfies Record<string, Act>;
