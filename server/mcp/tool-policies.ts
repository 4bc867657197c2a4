import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { ApprovalDecision } from './approvals.ts';
import {
  type McpCallKey,
  McpDecisionsStore,
  type McpPolicy,
  type McpRule,
  type McpToolKey,
  type NamedMcpDecision,
  type NamedMcpRule,
} from './mcp-decisions.store.ts';
import type { ToolRisk } from './mcp-tool.ts';

export interface ToolPoliciesOptions {
  database: Database;
  clock: Clock;
  /** For tools without a decision. With `ask`, tools that only read still run without asking. */
  defaultPolicy: McpPolicy;
}

/** What each client may do with each tool: the user's decision, or the default for its risk. */
export class ToolPolicies {
  readonly #options: ToolPoliciesOptions;
  readonly #decisions = new McpDecisionsStore();
  /** Tools that are allowed until the hub stops. */
  readonly #session = new Set<string>();

  constructor(options: ToolPoliciesOptions) {
    this.#options = options;
  }

  /** The policy that currently applies to the tool. */
  async find(key: McpCallKey, risk: ToolRisk): Promise<McpPolicy> {
    const { reader } = this.#options.database;
    const decision = (await this.#decisions.find(reader, key)) ?? (await this.#decisions.findByRule(reader, key));
    if (decision !== 'deny' && this.#session.has(textOf(key))) return 'allow';
    return decision ?? this.defaultOf(risk);
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

  /** Null removes the decision. Also ends a permission for the session. */
  async change(key: McpToolKey, policy: McpPolicy | null): Promise<void> {
    if (policy !== null) return await this.changeAll([key], policy);
    const { database } = this.#options;
    await database.transaction((tx) => this.#decisions.remove(tx, key));
    this.#session.delete(textOf(key));
  }

  /** `rule` is the same policy for connections and keys that come later. */
  async changeAll(
    keys: readonly McpToolKey[],
    policy: McpPolicy,
    rule?: Omit<McpRule, 'policy' | 'decidedAt'>,
  ): Promise<void> {
    const { clock, database } = this.#options;
    const decidedAt = clock.now();
    await database.transaction(async (tx) => {
      await this.#decisions.upsert(tx, keys, policy, decidedAt);
      if (rule) await this.#decisions.replaceRule(tx, { ...rule, policy, decidedAt });
    });
    for (const key of keys) this.#session.delete(textOf(key));
  }

  /** Stores what a decision means for later calls. */
  async remember(key: McpToolKey, decision: ApprovalDecision): Promise<void> {
    if (decision === 'allow-session') this.#session.add(textOf(key));
    if (decision === 'allow-always') await this.change(key, 'allow');
    if (decision === 'deny-always') await this.change(key, 'deny');
  }
}

function textOf({ apiKeyId, connectionRowId, fingerprint, tool }: McpToolKey): string {
  return `${apiKeyId}:${connectionRowId}:${tool}:${fingerprint}`;
}
