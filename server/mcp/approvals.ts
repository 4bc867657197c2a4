import type { Clock, Timer } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { McpToolKey } from './mcp-decisions.store.ts';
import type { ToolRisk } from './mcp-tool.ts';

/** A call that waits for a person's decision. */
export interface Approval {
  id: string;
  environmentId: number;
  /** Name of the client's API key. */
  clientName: string;
  integrationKey: string;
  connectionId: string;
  tool: string;
  risk: ToolRisk;
  arguments: Record<string, unknown>;
  askedAt: number;
  /** After this time the call is refused. */
  expiresAt: number;
}

/** `allow-session` is valid until the hub stops, the `always` decisions until the user changes them. */
export type ApprovalDecision = 'allow-once' | 'allow-session' | 'allow-always' | 'deny' | 'deny-always';

/** How a question ended. `withdrawn`: its client disconnected or the hub stopped. */
export type ApprovalEnd = ApprovalDecision | 'expired' | 'withdrawn';

/** A question that started, or ended when `end` is set. */
export type ApprovalChange = { approval: Approval; end: ApprovalEnd | undefined };

export interface ApprovalsOptions {
  clock: Clock;
  ids: Ids;
  /** Called when a question starts or ends. */
  onChanged(change: ApprovalChange): void;
}

/** How the question ended, and the arguments with which the tool may run. */
export interface ApprovalResult {
  end: ApprovalEnd;
  arguments: Record<string, unknown>;
}

interface Waiting {
  approval: Approval;
  key: McpToolKey;
  /** `narrowed`: the arguments to use instead of the client's. */
  settle(end: ApprovalEnd, narrowed?: Record<string, unknown>): void;
}

/** Five seconds less than official clients wait for an answer, so that they still receive the refusal (ui.md 6.15). */
export const APPROVAL_TIMEOUT_MS = 55_000;
/** Limited, so that one client's calls do not hide the question of another one. */
const MAX_WAITING_PER_CLIENT = 20;
/** In characters of JSON. A person cannot review longer arguments. */
const MAX_ARGUMENTS_LENGTH = 100_000;
/** Decisions that also answer the other waiting calls of the same client and tool. */
const LASTING: readonly ApprovalEnd[] = ['allow-session', 'allow-always', 'deny-always'];

/** Questions to the user, kept in memory: a call ends with the connection of its client. */
export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** Oldest first. */
  list(environmentId: number): Approval[] {
    return [...this.#waiting.values()]
      .map(({ approval }) => approval)
      .filter((one) => one.environmentId === environmentId);
  }

  /** The waiting question and the tool that it is about. Throws `not_found`. */
  get(environmentId: number, id: string): { approval: Approval; key: McpToolKey } {
    const found = this.#waiting.get(id);
    if (found?.approval.environmentId === environmentId) return found;
    throw new HomeportError('not_found', 'The call does not wait for an answer any more.');
  }

  /**
   * Resolves when a person decides, the time has passed or the client disconnects. Throws `resource_capped` when too
   * many calls of the client wait, and `request_too_large`.
   */
  request(
    question: Omit<Approval, 'id' | 'askedAt' | 'expiresAt'>,
    key: McpToolKey,
    signal: AbortSignal,
  ): Promise<ApprovalResult> {
    const { clock, ids } = this.#options;
    this.#checkLimit(key);
    if (JSON.stringify(question.arguments).length > MAX_ARGUMENTS_LENGTH) {
      throw new HomeportError('request_too_large', 'The arguments are too long to be shown to the user. Send less.');
    }
    const askedAt = clock.now();
    const approval = { ...question, id: ids.uuid(), askedAt, expiresAt: askedAt + APPROVAL_TIMEOUT_MS };
    return new Promise((resolve) => {
      if (signal.aborted) return resolve({ end: 'withdrawn', arguments: question.arguments });
      const onAbort = (): void => waiting.settle('withdrawn');
      const timer: Timer = clock.after(APPROVAL_TIMEOUT_MS, () => waiting.settle('expired'));
      const waiting: Waiting = {
        approval,
        key,
        settle: (end, narrowed = question.arguments) => {
          if (!this.#waiting.delete(approval.id)) return;
          timer.cancel();
          signal.removeEventListener('abort', onAbort);
          resolve({ end, arguments: narrowed });
          this.#options.onChanged({ approval, end });
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(approval.id, waiting);
      this.#options.onChanged({ approval, end: undefined });
    });
  }

  /** Answers the question; a lasting decision also answers every other question about the same tool. */
  settle(id: string, decision: ApprovalDecision, narrowed?: Record<string, unknown>): void {
    const asked = this.#waiting.get(id);
    if (!asked) return;
    asked.settle(decision, narrowed);
    if (LASTING.includes(decision)) this.settleAll([asked.key], decision);
  }

  /** Answers every waiting call of these clients and tools; a permission is for one version of a tool (design.md 7.59). */
  settleAll(keys: readonly McpToolKey[], decision: ApprovalDecision): void {
    const isMeant = (key: McpToolKey, asked: McpToolKey): boolean =>
      isSame(key, asked) && (decision === 'deny-always' || key.fingerprint === asked.fingerprint);
    for (const waiting of [...this.#waiting.values()])
      if (keys.some((key) => isMeant(key, waiting.key))) waiting.settle(decision);
  }

  /** Withdraws all questions. */
  stop(): void {
    for (const waiting of [...this.#waiting.values()]) waiting.settle('withdrawn');
  }

  #checkLimit({ apiKeyId }: McpToolKey): void {
    const own = [...this.#waiting.values()].filter(({ key }) => key.apiKeyId === apiKeyId);
    if (own.length < MAX_WAITING_PER_CLIENT) return;
    throw new HomeportError('resource_capped', 'Too many calls of this client already wait for an answer of the user.');
  }
}

function isSame(a: McpToolKey, b: McpToolKey): boolean {
  return a.apiKeyId === b.apiKeyId && a.connectionRowId === b.connectionRowId && a.tool === b.tool;
}
