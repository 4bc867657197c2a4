import { connectAgent, decideNext } from '../agents/agent-client.ts';
import type { Created } from '../agents/agent-fixture.ts';
import type { SeededHub } from './seeded-hub.ts';
import { signInPerson } from './signed-in-agent.ts';

/** A session in which an agent ran `echo`, which a person allowed; resolves to the ids of both. */
export async function makeWrittenCall({ api, server }: SeededHub): Promise<{ sessionId: string; callId: string }> {
  const connections = { pinned: [{ integration_id: 'practice', connection_id: 'me' }] };
  const { body } = await api.send('POST /sessions', { body: { tenant: { connections } } });
  const { data: session } = body as { data: Created };
  const agent = await connectAgent(session);
  const answer = agent.call('nango_execute', { tool: 'practice__echo', input: { text: 'a' } });
  await decideNext(await signInPerson(server), 'allow-once');
  await answer;
  const listed = await api.send(`GET /sessions/${session.session_id}/calls`);
  const [call] = (listed.body as { data: Array<{ call_id: string }> }).data;
  return { sessionId: session.session_id, callId: call?.call_id ?? '' };
}
