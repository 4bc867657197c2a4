import type { AgentSessionsService } from '../agents/agent-sessions.service.ts';
import { empty } from '../contract/fields.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import { bodyText, type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import {
  changedLimitsResponse,
  changeLimitsBody,
  type LimitChanges,
  limitsResponse,
  readLimitChanges,
} from './limits.contract.ts';
import { presentLimited } from './limits.present.ts';
import type { LimitedSubject, LimitKind, LimitsService } from './limits.service.ts';

export interface LimitsApiDeps {
  agentSessions: AgentSessionsService;
  environments: EnvironmentService;
  limits: LimitsService;
}

/** What keys, programs and sessions may do (agents.md 9). */
export function limitsApi(use: LimitsApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/environment/limits',
      access: 'key',
      scopes: ['environment:settings:read'],
      limitedKeys: 'refused',
      handler: listLimits(use),
      openapi: {
        id: 'listLimits',
        tag: 'Environment',
        summary: 'List limits of calls',
        details:
          'The defaults of agent sessions (`kind` is `sessions`), and each key, program, session and run that has limits of its own or was counted, with what it used.',
        query: empty,
        responses: { 200: limitsResponse },
      },
    },
    {
      method: 'put',
      path: '/environment/limits',
      access: 'key',
      scopes: ['environment:settings:write'],
      limitedKeys: 'refused',
      handler: setLimits(use),
      audit: {
        action: 'limits_changed',
        subject: (call) => [bodyText('kind')(call), bodyText('id')(call)].filter((part) => part).join(' '),
      },
      openapi: {
        id: 'setLimits',
        tag: 'Environment',
        summary: 'Change limits of a key, a program, a session, or of all sessions',
        details:
          'Changes the limits that are named, and holds at once. `null` is no limit, `"default"` takes a limit of its own back, `limits: null` all of them. What was used stays counted.',
        query: empty,
        body: changeLimitsBody,
        responses: { 200: changedLimitsResponse },
        errors: ['not_found', 'session_not_found'],
        example: { body: { kind: 'sessions', limits: { calls_per_minute: 60, writes: 200 } } },
      },
    },
  ];
}

export async function listNamedLimits(
  use: Pick<LimitsApiDeps, 'environments' | 'limits'>,
  environment: Environment,
): Promise<Array<{ limited: LimitedSubject; name: string | null }>> {
  const [all, keys] = await Promise.all([use.limits.list(environment.id), use.environments.keys.list(environment.id)]);
  const names = new Map(keys.map(({ displayName, id }) => [String(id), displayName]));
  return all.map((limited) => ({ limited, name: limited.kind === 'key' ? (names.get(limited.id) ?? null) : null }));
}

/** Throws `not_found` and `session_not_found` for what does not exist, and `invalid_body` without an id. */
export async function changeNamedLimits(
  { agentSessions, environments, limits: service }: LimitsApiDeps,
  environment: Environment,
  { id = '', kind, limits }: { kind: Exclude<LimitKind, 'run'>; id?: string | undefined; limits: LimitChanges | null },
): Promise<{ limited: LimitedSubject; name: string | null }> {
  if ((id === '') !== (kind === 'sessions'))
    throw new HomeportError('invalid_body', 'Name the key, the program or the session with "id"; "sessions" has none.');
  const key = (await environments.keys.list(environment.id)).find((one) => String(one.id) === id);
  if (kind === 'key' && !key) throw new HomeportError('not_found', `There is no key with the id "${id}".`);
  if (kind === 'session') await agentSessions.get(environment, id, undefined);
  const limited = await service.change(environment.id, { kind, id }, limits);
  return { limited, name: kind === 'key' ? (key?.displayName ?? null) : null };
}

function listLimits(use: LimitsApiDeps): Handler {
  return async ({ environment, query }) => {
    validateQuery(empty, query);
    const all = await listNamedLimits(use, environment);
    return ok({ data: all.map(({ limited, name }) => presentLimited(limited, name)) });
  };
}

function setLimits(use: LimitsApiDeps): Handler {
  return async ({ body, environment, query }) => {
    validateQuery(empty, query);
    const { limits, ...of } = validateBody(changeLimitsBody, body);
    const changed = await changeNamedLimits(use, environment, {
      ...of,
      limits: limits === null ? null : readLimitChanges(limits),
    });
    return ok({ data: presentLimited(changed.limited, changed.name) });
  };
}
