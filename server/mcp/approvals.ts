import type { WritePreview } from '../functions/actions.service.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { McpCallKey } from './mcp-decisions.store.ts';
import type { ToolRisk } from './mcp-tool.ts';

/** A call that waits for a person's decision. */
export interface Approval {
  id: string;
  environmentId: number;
  /** Name of the client's API key, or of the program of an agent session. */
  clientName: string;
  /** The agent session that calls; null for a client with an API key. */
  sessionId: string | null;
  integrationKey: string;
  connectionId: string;
  tool: string;
  risk: ToolRisk;
  /** What is different since a person allowed the tool for good; null when nobody did. */
  change: string | null;
  /** Why it is asked even when a policy allows the tool, in sentences; empty for a question of a policy. */
  reasons: readonly string[];
  /** The answers that can be given. */
  decisions: readonly ApprovalDecision[];
  arguments: Record<string, unknown>;
  /** What it would change, as a trial found it; null for a question that is not about a write. */
  preview: WritePreview | null;
  askedAt: number;
  /** After this time the call is refused. */
  expiresAt: number;
}

/**
 * `allow-session` is valid until the agent session ends, without one until the hub stops; the `always` decisions until
 * the user changes them.
 */
export type ApprovalDecision = (typeof DECISIONS)[number];
export const DECISIONS = ['allow-once', 'allow-session', 'allow-always', 'deny', 'deny-always'] as const;

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

export type NewApproval = Omit<Approval, 'id' | 'askedAt' | 'expiresAt'>;

interface Waiting {
  approval: Approval;
  key: McpCallKey;
  /** `narrowed`: the arguments to use instead of the client's. */
  settle(end: ApprovalEnd, narrowed?: Record<string, unknown>): void;
}

/** A question whose call has ended, because its client repeats the call to get the result. */
interface Kept {
  approval: Approval;
  key: McpCallKey;
  result: Promise<ApprovalResult>;
}

/** Five seconds less than official clients wait for an answer, so that they still receive the refusal (ui.md 6.15). */
export const APPROVAL_TIMEOUT_MS = 55_000;
/** Limited, so that one client's calls do not hide the question of another one. */
const MAX_WAITING_PER_CLIENT = 20;
/** In characters of JSON. A person cannot review longer arguments. */
const MAX_ARGUMENTS_LENGTH = 100_000;
/** Questions of calls that were never repeated are forgotten, the oldest first. */
const MAX_KEPT = 200;
/** Decisions that also answer the other waiting calls of the same client and tool. */
const LASTING: readonly ApprovalEnd[] = ['allow-session', 'allow-always', 'deny-always'];

/** Questions to the user, kept in memory: a call ends with the connection of its client. */
export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #kept = new Map<string, Kept>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** Oldest first. */
  list(environmentId: number): Approval[] {
    return this.waiting(environmentId).map(({ approval }) => approval);
  }

  /** The same with the tools that they are about. */
  waiting(environmentId: number): { approval: Approval; key: McpCallKey }[] {
    return [...this.#waiting.values()].filter(({ approval }) => approval.environmentId === environmentId);
  }

  /** The waiting question and the tool that it is about. Throws `not_found`. */
  get(environmentId: number, id: string): { approval: Approval; key: McpCallKey } {
    const found = this.#waiting.get(id);
    if (found?.approval.environmentId === environmentId) return found;
    throw new HomeportError('not_found', 'The call does not wait for an answer any more.');
  }

  /**
   * Asks for a call that waits. The result arrives when a person decides, the time has passed or the client disconnects.
   * Throws `resource_capped` when too many calls of the client wait, and `request_too_large`.
   */
  ask(question: NewApproval, key: McpCallKey, signal: AbortSignal): { id: string; result: Promise<ApprovalResult> } {
    const approval = this.#create(question, key);
    return { id: approval.id, result: this.#wait(approval, key, signal) };
  }

  /** Asks for a call that its client repeats with the id. Throws as `ask`. */
  open(question: NewApproval, key: McpCallKey): Approval {
    const approval = this.#create(question, key);
    const result = this.#wait(approval, key, new AbortController().signal);
    this.#kept.set(approval.id, { approval, key, result });
    for (const id of [...this.#kept.keys()].slice(0, -MAX_KEPT)) this.#kept.delete(id);
    return approval;
  }

  /**
   * The question of a repeated call: undefined unless it is about the same call. It is claimed once, or again as long as
   * it waits and `isAnswered` is false.
   */
  claim(
    id: string,
    { key, given, isAnswered }: { key: McpCallKey; given: Record<string, unknown>; isAnswered: boolean },
  ): (Kept & { isWaiting: boolean }) | undefined {
    const kept = this.#kept.get(id);
    const isSameCall =
      kept &&
      isSame(key, kept.key) &&
      key.fingerprint === kept.key.fingerprint &&
      JSON.stringify(given) === JSON.stringify(kept.approval.arguments);
    if (!isSameCall) return undefined;
    const isWaiting = this.#waiting.has(id);
    if (isAnswered || !isWaiting) this.#kept.delete(id);
    return { ...kept, isWaiting };
  }

  /** Answers the question; a lasting decision also answers every other question about the same tool. */
  settle(id: string, decision: ApprovalEnd, narrowed?: Record<string, unknown>): void {
    const asked = this.#waiting.get(id);
    if (!asked) return;
    asked.settle(decision, narrowed);
    if (!LASTING.includes(decision)) return;
    const isMeant = (key: McpCallKey, { decisions }: Approval): boolean =>
      isSame(key, asked.key) &&
      (decision === 'deny-always' || key.fingerprint === asked.key.fingerprint) &&
      decisions.some((offered) => offered === decision);
    this.settleAll(isMeant, decision);
  }

  /** Answers every waiting call that is meant. */
  settleAll(isMeant: (key: McpCallKey, approval: Approval) => boolean, end: ApprovalEnd): void {
    for (const waiting of [...this.#waiting.values()]) if (isMeant(waiting.key, waiting.approval)) waiting.settle(end);
  }

  /** Withdraws all questions. */
  stop(): void {
    this.settleAll(() => true, 'withdrawn');
  }

  #create(question: NewApproval, key: McpCallKey): Approval {
    this.checkRoom(key);
    if (JSON.stringify(question.arguments).length > MAX_ARGUMENTS_LENGTH) {
      throw new HomeportError('request_too_large', 'The arguments are too long to be shown to the user. Send less.');
    }
    const askedAt = this.#options.clock.now();
    return { ...question, id: this.#options.ids.uuid(), askedAt, expiresAt: askedAt + APPROVAL_TIMEOUT_MS };
  }

  #wait(approval: Approval, key: McpCallKey, signal: AbortSignal): Promise<ApprovalResult> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve({ end: 'withdrawn', arguments: approval.arguments });
      const onAbort = (): void => waiting.settle('withdrawn');
      const timer: Timer = this.#options.clock.after(APPROVAL_TIMEOUT_MS, () => waiting.settle('expired'));
      const waiting: Waiting = {
        approval,
        key,
        settle: (end, narrowed = approval.arguments) => {
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

  /** Throws `resource_capped` when too many calls of the client wait. */
  checkRoom(key: McpCallKey): void {
    const own = [...this.#waiting.values()].filter(
      (one) => one.key.apiKeyId === key.apiKeyId && one.key.sessionId === key.sessionId,
    );
    if (own.length < MAX_WAITING_PER_CLIENT) return;
    throw new HomeportError('resource_capped', 'Too many calls of this client already wait for an answer of the user.');
  }
}

function isSame(a: McpCallKey, b: McpCallKey): boolean {
  return (
    a.apiKeyId === b.apiKeyId &&
    a.program === b.program &&
    a.sessionId === b.sessionId &&
    a.connectionRowId === b.connectionRowId &&
    a.tool === b.tool
  );
}
