import type {
  AgentCallRow,
  AgentProgramRow,
  AgentSessionListRow,
} from '../../server/agents/dashboard-agents.contract.ts';
import type { LimitedRow, ShownLimits } from '../../server/limits/dashboard-limits.contract.ts';

const FIXTURE_HOME = '/home/ada';
const program = (id: string, name: string, file: string, changes: Partial<AgentProgramRow> = {}): AgentProgramRow => ({
  ...{ id, name, file: `${FIXTURE_HOME}/${file}`, isSetUp: false, access: null, problem: null, link: null },
  ...{ snippet: '{}', next: `Start ${name}.`, lastUsedAt: null },
  ...changes,
});

/** One program of each state. */
export const FIXTURE_PROGRAMS: AgentProgramRow[] = [
  program('claude-code', 'Claude Code', '.claude.json', { isSetUp: true, access: 'sign-in' }),
  program('claude-desktop', 'Claude Desktop', '.config/Claude/claude_desktop_config.json'),
  program('codex', 'Codex', '.codex/config.toml'),
  program('cursor', 'Cursor', '.cursor/mcp.json', { isSetUp: true }),
  program('gemini', 'Gemini CLI', '.gemini/settings.json', {
    problem: `${FIXTURE_HOME}/.gemini/settings.json: It is not JSON: PropertyNameExpected in line 3.`,
  }),
];

const FIXTURE_LIMITS: ShownLimits = {
  ...{ callsPerMinute: 120, calls: null, writes: 1000, cost: null, repeats: 5, hosts: null, methods: null },
};

const limited = (kind: LimitedRow['kind'], id: string, changes: Partial<LimitedRow> = {}): LimitedRow => ({
  ...{ kind, id, name: null, limits: FIXTURE_LIMITS, own: [], defaults: FIXTURE_LIMITS },
  used: { calls: 0, writes: 0, cost: 0 },
  ...changes,
});
const UNLIMITED: ShownLimits = { ...FIXTURE_LIMITS, callsPerMinute: null, writes: null, repeats: null };

/** One of each kind. */
export const FIXTURE_LIMITED: LimitedRow[] = [
  limited('sessions', ''),
  limited('key', '7', {
    ...{ name: 'Nightly report', defaults: UNLIMITED, own: ['calls', 'hosts'] },
    limits: { ...UNLIMITED, calls: 5000, hosts: ['api.github.com', '*.example.com'] },
    used: { calls: 1204, writes: 17, cost: 0 },
  }),
  limited('program', 'Claude Code', {
    ...{ limits: UNLIMITED, defaults: UNLIMITED, used: { calls: 312, writes: 8, cost: 0 } },
  }),
  limited('session', 's2', {
    ...{ limits: { ...FIXTURE_LIMITS, writes: 20 }, own: ['writes'], used: { calls: 14, writes: 3, cost: 0.4 } },
  }),
];

/** One session that runs and one that is over. `now`: milliseconds. */
export function fixtureSessions(now: number): AgentSessionListRow[] {
  const at = (minutes: number): string => new Date(now + minutes * 60_000).toISOString();
  const shared = { name: 'Claude Code', client: 'claude-code', madeBy: 'program' } as const;
  const limits = { ...FIXTURE_LIMITS };
  const connections = [{ integrationKey: 'github', connectionId: 'octo' }];
  return [
    {
      ...{
        ...shared,
        id: 's2',
        state: 'active',
        connections,
        calls: 14,
        limits,
        used: { calls: 14, writes: 3, cost: 0 },
      },
      ...{ createdAt: at(-95), expiresAt: at(6 * 24 * 60), endedAt: null, lastUsedAt: at(-4) },
      untrustedContent: 'ask',
      untrustedReads: [{ tool: 'read-issues', integrationKey: 'github', connectionId: 'octo', readAt: at(-60) }],
    },
    {
      ...{
        ...shared,
        id: 's1',
        state: 'terminated',
        connections,
        calls: 3,
        limits,
        used: { calls: 3, writes: 0, cost: 0 },
      },
      ...{ createdAt: at(-2 * 24 * 60), expiresAt: at(-60), endedAt: at(-1500), lastUsedAt: at(-1510) },
      untrustedContent: 'ask',
      untrustedReads: [],
    },
  ];
}

/** A call that can be taken back, and one that cannot. */
export const FIXTURE_AGENT_CALLS: AgentCallRow[] = [
  {
    ...{ id: 'call-2', tool: 'create-issue', integrationKey: 'github', connectionId: 'octo' },
    madeAt: '2026-03-01T09:30:00.000Z',
    requests: [
      {
        ...{ method: 'POST', host: 'api.github.com', path: '/repos/octo/hello/issues', status: 201 },
        body: '{"title":"Search is slow"}',
      },
    ],
    ...{ hasMore: false, input: '{"title":"Search is slow"}', output: '{"number":7}' },
    ...{ undoState: 'possible', refusal: null, undoneAt: null },
  },
  {
    ...{ id: 'call-1', tool: 'send-mail', integrationKey: 'github', connectionId: 'octo' },
    madeAt: '2026-03-01T09:20:00.000Z',
    ...{ requests: [], hasMore: false, input: '{}', output: 'null' },
    ...{ undoState: 'none', refusal: '"send-mail" names no undo.', undoneAt: null },
  },
];
