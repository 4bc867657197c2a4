import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  McpDecisionsStore,
  type McpPolicy,
  type McpToolKey,
  type NamedMcpDecision,
} from '../../stores/mcp-decisions-store.ts';
import type { ApprovalDecision } from './approvals.ts';
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
  async find(key: McpToolKey, risk: ToolRisk): Promise<McpPolicy> {
    const { database } = this.#options;
    const decision = await this.#decisions.find(database.reader, key);
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

  /** Null removes the decision. Also ends a permission for the session. */
  async change(key: McpToolKey, policy: McpPolicy | null): Promise<void> {
    if (policy !== null) return await this.changeAll([key], policy);
    const { database } = this.#options;
    await database.transaction((tx) => this.#decisions.remove(tx, key));
    this.#session.delete(textOf(key));
  }

  async changeAll(keys: readonly McpToolKey[], policy: McpPolicy): Promise<void> {
    const { clock, database } = this.#options;
    await database.transaction((tx) => this.#decisions.upsert(tx, keys, policy, clock.now()));
    for (const key of keys) this.#session.delete(textOf(key));
  }

  /** Stores what a decision means for later calls. */
  async remember(key: McpToolKey, decision: ApprovalDecision): Promise<void> {
    if (decision === 'allow-session') this.#session.add(textOf(key));
    if (decision === 'allow-always') await this.change(key, 'allow');
    if (decision === 'deny-always') await this.change(key, 'deny');
  }
}

function textOf({ apiKeyId, connectionRowId, tool }: McpToolKey): string {
  return `${apiKeyId}:${connectionRowId}:${tool}`;
}
