import type { LimitedCall, LimitSubject } from '../limits/limits.service.ts';
import type { AgentSession } from './agent-session.ts';

/** Whose limits hold for the calls of a session. The name that a program gives itself in a call is none of them. */
export function limitedBy({
  apiKeyId,
  environmentId,
  id,
  madeBy,
  name,
}: Pick<AgentSession, 'apiKeyId' | 'environmentId' | 'id' | 'madeBy' | 'name'>): Pick<
  LimitedCall,
  'environmentId' | 'subjects'
> {
  const subjects: LimitSubject[] = [{ kind: 'session', id }];
  if (madeBy === 'program' && name !== null) subjects.push({ kind: 'program', id: name });
  if (apiKeyId !== null) subjects.push({ kind: 'key', id: String(apiKeyId) });
  return { environmentId, subjects };
}

/**
 * Whose "always" holds. A program says its name itself, so what counts is the name that a person was shown at its
 * sign-in; and a key does not get what was allowed to the program of another one.
 */
export function identityOf({ apiKeyId, madeBy, name }: AgentSession, calledItself: string): string {
  if (madeBy === 'program') return name ?? calledItself;
  return apiKeyId === null ? calledItself : `${calledItself} (key ${apiKeyId})`;
}
