import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { ReadCache } from '../platform/lib/read-cache.ts';
import type { ApprovalDecision } from './approvals.ts';
import {
  type McpCallKey,
  McpDecisionsStore,
  type McpPolicy,
  type McpRule,
  type McpToolKey,
  type NamedMcpDecision,
  type NamedMcpRule,
  type NamedProgramDecision,
  type ProgramDecisionName,
  type StoredDecision,
} from './mcp-decisions.store.ts';
import { coversVersion, describeChange, type ToolRisk } from './mcp-tool.ts';

export interface ToolPoliciesOptions {
  database: Database;
  clock: Clock;
  /** For tools without a decision. With `ask`, tools that only read still run without asking. */
  defaultPolicy: McpPolicy;
}

/** The policy of a call. `change`: what is different since the tool was allowed, when that is why it asks. */
export interface FoundPolicy {
  policy: McpPolicy;
  change: string | null;
}

/** Calls whose decisions are kept in memory: every call of an agent looks them up. */
const CACHED_CALLS = 1000;

/** What each client may do with each tool: the user's decision, or the default for its risk. */
export class ToolPolicies {
  readonly #options: ToolPoliciesOptions;
  readonly #decisions = new McpDecisionsStore();
  /** What was decided about calls, until anything is decided. */
  readonly #found = new ReadCache<{ decision: StoredDecision | undefined }>({ max: CACHED_CALLS });
  /** Tools that clients with an API key may use until the hub stops. */
  readonly #untilStop = new Set<string>();

  constructor(options: ToolPoliciesOptions) {
    this.#options = options;
  }

  /** The policy that currently applies to the tool. */
  async find(key: McpCallKey, risk: ToolRisk): Promise<FoundPolicy> {
    const decision = await this.#findDecision(key);
    if (decision?.policy !== 'deny' && this.#untilStop.has(textOf(key))) return { policy: 'allow', change: null };
    if (!decision) return { policy: this.defaultOf(risk), change: null };
    // A permission for another version of the tool is none.
    return decision.policy === 'allow' && !coversVersion(decision.fingerprint, key.fingerprint)
      ? { policy: 'ask', change: describeChange(decision.fingerprint, key.fingerprint) }
      : { policy: decision.policy, change: null };
  }

  /** The policy for a tool without a decision. */
  defaultOf(risk: ToolRisk): McpPolicy {
    const { defaultPolicy } = this.#options;
    return defaultPolicy === 'ask' && risk === 'read' ? 'allow' : defaultPolicy;
  }

  list(environmentId: number): Promise<NamedMcpDecision[]> {
    return this.#decisions.list(this.#options.database.reader, environmentId);
  }

  listRules(environmentId: number): Promise<NamedMcpRule[]> {
    return this.#decisions.listRules(this.#options.database.reader, environmentId);
  }

  listOfPrograms(environmentId: number): Promise<NamedProgramDecision[]> {
    return this.#decisions.listOfPrograms(this.#options.database.reader, environmentId);
  }

  /** Resolves to whether there was such a decision. */
  takeBack(environmentId: number, named: ProgramDecisionName): Promise<boolean> {
    return this.#store((tx) => this.#decisions.removeOfProgram(tx, environmentId, named));
  }

  /** Null removes the decision. Also ends a permission until the hub stops. */
  async change(key: McpToolKey, policy: McpPolicy | null): Promise<void> {
    if (policy !== null) return await this.changeAll([key], policy);
    await this.#store((tx) => this.#decisions.remove(tx, key));
    this.#untilStop.delete(textOf(key));
  }

  /** `rule` is the same policy for connections and keys that come later. */
  async changeAll(
    keys: readonly McpToolKey[],
    policy: McpPolicy,
    rule?: Omit<McpRule, 'policy' | 'decidedAt'>,
  ): Promise<void> {
    const decidedAt = this.#options.clock.now();
    await this.#store(async (tx) => {
      await this.#decisions.upsert(tx, keys, policy, decidedAt);
      if (!rule) return;
      await this.#decisions.replaceRule(tx, { ...rule, policy, decidedAt });
      // The latest decision counts: those about programs would be listed without an effect.
      if (rule.apiKeyId === undefined) await this.#decisions.removeReplaced(tx, rule);
    });
    for (const key of keys) this.#untilStop.delete(textOf(key));
  }

  /** Stores what a decision means for later calls. */
  async remember(key: McpCallKey, decision: ApprovalDecision): Promise<void> {
    if (decision === 'allow-once' || decision === 'deny') return;
    const policy = decision === 'deny-always' ? 'deny' : 'allow';
    const { apiKeyId, program, sessionId } = key;
    if (sessionId !== null) {
      const isForSession = decision === 'allow-session' || program === null;
      const whose = isForSession ? { program: '', sessionId } : { program, sessionId: '' };
      await this.#storeOfProgram(key, policy, whose);
    } else if (decision === 'allow-session') this.#untilStop.add(textOf(key));
    else if (apiKeyId !== null) await this.change({ ...key, apiKeyId }, policy);
  }

  /** Forgets what was allowed for one agent session. */
  async forgetSession(sessionId: string): Promise<void> {
    await this.#store((tx) => this.#decisions.removeOfSession(tx, sessionId));
  }

  async #storeOfProgram(
    { environmentId, connectionRowId, tool, fingerprint }: McpCallKey,
    policy: McpPolicy,
    whose: { program: string; sessionId: string },
  ): Promise<void> {
    const about = { environmentId, connectionRowId, tool, fingerprint };
    const decidedAt = this.#options.clock.now();
    await this.#store((tx) => this.#decisions.upsertOfProgram(tx, { ...about, ...whose, policy, decidedAt }));
  }

  /** Every change of decisions, after which each call looks them up again. */
  #store<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#options.database.transaction((tx) => {
      tx.afterCommit(() => this.#found.clear());
      return work(tx);
    });
  }

  /** From memory after the first time. What belongs to a deleted key or connection is not asked for any more. */
  async #findDecision(key: McpCallKey): Promise<StoredDecision | undefined> {
    const read = async () => ({ decision: await this.#readDecision(key) });
    return (await this.#found.get(callOf(key), read))?.decision;
  }

  /**
   * A decision about the client goes before a rule for several. For a session, the latest counts: what was decided about
   * it or its program, or what holds for the key that made it.
   */
  async #readDecision(key: McpCallKey): Promise<StoredDecision | undefined> {
    const found = await this.#decisions.findAll(this.#options.database.reader, key);
    const { program: own, key: ofKey } = found;
    const general = ofKey ?? found.rule;
    if (!own || !general) return own ?? general;
    if (own.decidedAt === general.decidedAt) return general.policy === 'deny' ? general : own;
    return own.decidedAt > general.decidedAt ? own : general;
  }
}

/** All that decisions are looked up by. */
function callOf(key: McpCallKey): string {
  const { apiKeyId, connectionId, connectionRowId, environmentId, integrationKey, program, sessionId, tool } = key;
  return JSON.stringify([
    environmentId,
    integrationKey,
    connectionId,
    connectionRowId,
    tool,
    apiKeyId,
    program,
    sessionId,
  ]);
}

function textOf({ apiKeyId, connectionRowId, fingerprint, tool }: McpToolKey | McpCallKey): string {
  return `${apiKeyId}:${connectionRowId}:${tool}:${fingerprint}`;
}
