import { isNarrower } from '../contract/dashboard/narrower-arguments.ts';
import type { AuditService } from '../environments/audit.service.ts';
import type { WritePreview } from '../functions/actions.service.ts';
import type { LimitedCall, LimitsService } from '../limits/limits.service.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Vault } from '../platform/vault/vault.ts';
import {
  APPROVAL_TIMEOUT_MS,
  type Approval,
  type ApprovalDecision,
  type ApprovalEnd,
  type ApprovalResult,
  Approvals,
  type ApprovalsOptions,
  DECISIONS,
  type NewApproval,
} from './approvals.ts';
import { questionFor } from './client-question.ts';
import type { McpCallKey } from './mcp-decisions.store.ts';
import type { ToolRisk } from './mcp-tool.ts';
import { RepeatedCalls } from './repeated-calls.ts';
import { ToolPolicies, type ToolPoliciesOptions } from './tool-policies.ts';
import type { ClientAnswer, ClientAsking, OpenQuestion } from './toolbox.ts';

export interface ConsentOptions extends ToolPoliciesOptions, ApprovalsOptions {
  limits: Pick<LimitsService, 'admit' | 'repeatsOf'>;
  vault: Pick<Vault, 'assertUnlocked'>;
  audit: Pick<AuditService, 'record'>;
  logger: Logger;
}

/** A call that needs a permission. */
export interface AskedCall {
  key: McpCallKey;
  clientName: string;
  risk: ToolRisk;
  arguments: Record<string, unknown>;
  signal: AbortSignal;
  asking: ClientAsking;
  /**
   * Why a person must be asked, in sentences for that person. When there is one, a policy that allows the tool is not
   * enough, one that denies it still refuses, and no lasting permission is offered, because it would change nothing.
   */
  mustAsk?: readonly string[] | undefined;
  /** What the write would change. Never rejects, and ends soon. */
  preview?: (() => Promise<WritePreview>) | undefined;
  /** Whose limits hold. */
  limited: Pick<LimitedCall, 'environmentId' | 'subjects'>;
  /** A write is counted when it may run. Nobody is asked about one beyond a limit. */
  isWrite: boolean;
  /** False: no policy is about it, and only the loop breaker asks. */
  hasPolicy?: boolean | undefined;
}

/** Whether a call may run, why, and with which arguments. */
export interface CallGrant {
  isAllowed: boolean;
  /** By a person, for this call. */
  wasAsked: boolean;
  reason: string;
  /** What a model can do instead of a refused call. */
  advice?: string;
  /** A person said no, now or by a policy. */
  isDenied?: boolean;
  arguments: Record<string, unknown>;
}

/** Whether calls may run: by a policy, or because a person says so, in the client, a window, the tray or a terminal. */
export class Consent {
  readonly policies: ToolPolicies;
  readonly approvals: Approvals;
  readonly #options: ConsentOptions;
  readonly #repeated = new RepeatedCalls();

  constructor(options: ConsentOptions) {
    this.#options = options;
    this.policies = new ToolPolicies(options);
    this.approvals = new Approvals(options);
  }

  /** A question goes back to a client that repeats the call with the answer. Throws as `LimitsService.admit`. */
  async decide(call: AskedCall): Promise<CallGrant | OpenQuestion> {
    const { limits } = this.#options;
    const write = { ...call.limited, kind: 'write' } as const;
    if (call.isWrite) await limits.admit({ ...write, counts: 'check' });
    const grant = await this.#decide(call);
    if (call.isWrite && !('questionId' in grant) && grant.isAllowed) await limits.admit({ ...write, counts: 'write' });
    return grant;
  }

  async #decide(call: AskedCall): Promise<CallGrant | OpenQuestion> {
    const { asking, key, risk } = call;
    const claimed = asking.kind === 'repeat' && asking.previous ? await this.#claim(call, asking.previous) : undefined;
    if (claimed) return claimed;
    const { environmentId, subjects } = call.limited;
    const hasPolicy = call.hasPolicy !== false;
    const find = async () => (hasPolicy ? await this.policies.find(key, risk) : ALLOWED);
    const [most, found] = await Promise.all([this.#options.limits.repeatsOf(environmentId, subjects), find()]);
    const repeated = this.#repeated.note(key, call.arguments, most);
    const isAsked = found.policy !== 'deny' && (found.policy === 'ask' || reasonsOf(call, repeated).length > 0);
    const preview = isAsked ? await this.#preview(call) : null;
    // A person may have decided about the tool meanwhile.
    const { policy, change } = preview ? await find() : found;
    const direct = { wasAsked: false, arguments: call.arguments };
    const { mustAsk = [] } = call;
    const reasons = reasonsOf(call, repeated);
    if (policy === 'allow' && reasons.length === 0)
      return { ...direct, isAllowed: true, reason: 'allowed without asking' };
    if (policy === 'deny')
      return { ...direct, isAllowed: false, isDenied: true, reason: 'The user has denied this tool' };
    const question: NewApproval = {
      environmentId: key.environmentId,
      clientName: call.clientName,
      sessionId: key.sessionId,
      integrationKey: key.integrationKey,
      connectionId: key.connectionId,
      tool: key.tool,
      risk,
      change,
      reasons,
      decisions: !hasPolicy
        ? DECISIONS_WITHOUT_POLICY
        : mustAsk.length > 0
          ? SINGLE_DECISIONS
          : policy === 'allow'
            ? DECISIONS_ON_REPEATS
            : DECISIONS,
      arguments: call.arguments,
      preview,
    };
    if (call.signal.aborted) return this.#grant(call, question, { end: 'withdrawn', arguments: call.arguments });
    if (asking.kind !== 'repeat') return this.#grant(call, question, await this.#wait(call, question));
    return openQuestion(this.approvals.open(question, key));
  }

  /** Made before the question, of which every place then shows the same. */
  async #preview({ isWrite, key, preview }: AskedCall): Promise<WritePreview | null> {
    if (!isWrite || !preview) return null;
    this.approvals.checkRoom(key);
    return await preview();
  }

  /**
   * Answers a waiting call and returns it. A lasting decision is stored before the call continues. `narrowed` applies to
   * this call only. Throws `not_found`, `vault_locked` for a permission, and `invalid_body` for a decision that the
   * question does not offer and when `narrowed` contains more than the client's arguments.
   */
  async answer(
    environmentId: number,
    approvalId: string,
    decision: ApprovalDecision,
    narrowed?: Record<string, unknown>,
  ): Promise<Approval> {
    const { approval, key } = this.approvals.get(environmentId, approvalId);
    if (!approval.decisions.includes(decision))
      throw new HomeportError(
        'invalid_body',
        `This question has the answers ${approval.decisions.join(', ')}: ${approval.reasons.join(' ')}`,
      );
    if (narrowed !== undefined && !isNarrower(narrowed, approval.arguments))
      throw new HomeportError('invalid_body', 'Arguments may only be narrowed: leave members out, or items of lists.');
    // The call would fail at once, and its question would be gone.
    if (!decision.startsWith('deny')) this.#options.vault.assertUnlocked();
    await this.policies.remember(key, decision);
    this.approvals.settle(approvalId, decision, narrowed);
    return approval;
  }

  /** Answers every waiting call that is meant. One that has no lasting permission to give is allowed once. */
  answerAll(isMeant: (key: McpCallKey) => boolean, decision: 'allow-always' | 'deny-always'): void {
    const offersIt = ({ decisions }: Approval): boolean => decisions.includes(decision);
    this.approvals.settleAll((key, approval) => isMeant(key) && offersIt(approval), decision);
    this.approvals.settleAll(isMeant, 'allow-once');
  }

  /** Ends the questions of an agent session, and what was allowed for it. */
  async endSession(sessionId: string): Promise<void> {
    this.approvals.settleAll((key) => key.sessionId === sessionId, 'withdrawn');
    this.#repeated.endSession(sessionId);
    await this.policies.forgetSession(sessionId);
  }

  /** Asks everywhere at once; the first answer counts. */
  async #wait({ asking, key, signal }: AskedCall, question: NewApproval): Promise<ApprovalResult> {
    const { id, result } = this.approvals.ask(question, key, signal);
    if (asking.kind !== 'elicit') return await result;
    const ended = new AbortController();
    const inClient = asking.ask(questionFor(question), ended.signal).then(async (answer) => {
      if (answer !== 'unanswered') await this.#answerInClient(key.environmentId, id, answer);
      return await result;
    });
    try {
      return await Promise.race([result, inClient]);
    } finally {
      ended.abort();
      // Only after an answer that could not be taken.
      this.approvals.settle(id, 'withdrawn');
    }
  }

  /** The result of a repeated call; undefined when it has to be asked (again). */
  async #claim(
    call: AskedCall,
    { answer, questionId }: { questionId: string; answer: ClientAnswer },
  ): Promise<CallGrant | OpenQuestion | undefined> {
    const { key } = call;
    const isAnswered = answer !== 'unanswered';
    const kept = this.approvals.claim(questionId, { key, given: call.arguments, isAnswered });
    // A reason that the person did not see is asked about.
    if (!kept || call.mustAsk?.some((reason) => !kept.approval.reasons.includes(reason))) return undefined;
    if (kept.isWaiting && !isAnswered) return openQuestion(kept.approval);
    if (kept.isWaiting && isAnswered) await this.#answerInClient(key.environmentId, questionId, answer);
    const grant = this.#grant(call, kept.approval, await kept.result);
    // The call has not run yet, and this person does not want it.
    return meantBy(answer, kept.approval) === 'deny' && grant.isAllowed
      ? { ...grant, isAllowed: false, reason: REASONS.deny }
      : grant;
  }

  #grant(call: AskedCall, asked: Pick<Approval, 'reasons'>, result: ApprovalResult): CallGrant {
    const isAboutRepeats = asked.reasons.length > 0 && result.end === 'allow-session';
    if (isAboutRepeats) this.#repeated.allow(call.key, call.arguments);
    return grantOf(call, asked, result);
  }

  async #answerInClient(
    environmentId: number,
    approvalId: string,
    answer: Exclude<ClientAnswer, 'unanswered'>,
  ): Promise<void> {
    const asked = this.approvals.list(environmentId).find(({ id }) => id === approvalId);
    // Somebody else was faster.
    if (!asked) return;
    const decision = meantBy(answer, asked);
    const { clientName, connectionId, integrationKey, tool } = await this.answer(environmentId, approvalId, decision);
    await this.#options.audit.record({
      action: 'approval_answered',
      environmentId,
      integrationKey,
      connectionId,
      subject: `${decision}: ${tool} for ${clientName}, in the client`,
    });
  }
}

const REASONS: Record<ApprovalEnd, string> = {
  'allow-once': 'allowed once by the user',
  'allow-session': 'allowed by the user for this session',
  'allow-always': 'allowed by the user for good',
  deny: 'The user has denied the call',
  'deny-always': 'The user has denied this tool',
  expired: `The user did not answer within ${APPROVAL_TIMEOUT_MS / 1000} s`,
  withdrawn: 'The call was withdrawn before the user answered',
};

/** With a reason to ask, each call is a decision of its own. */
const SINGLE_DECISIONS: readonly ApprovalDecision[] = ['allow-once', 'deny', 'deny-always'];
/** For the session: the same call is not asked about again. */
const DECISIONS_ON_REPEATS: readonly ApprovalDecision[] = ['allow-once', 'allow-session', 'deny', 'deny-always'];

const DECISIONS_WITHOUT_POLICY: readonly ApprovalDecision[] = ['allow-once', 'allow-session', 'deny'];
const ALLOWED = { policy: 'allow', change: null } as const;

function reasonsOf({ mustAsk = [] }: AskedCall, repeated: string | undefined): readonly string[] {
  return repeated === undefined ? mustAsk : [...mustAsk, repeated];
}

/** An answer that the question does not offer is a no: a permission is never guessed. */
function meantBy<Answer extends ClientAnswer>(answer: Answer, { decisions }: Approval): Answer | 'deny' {
  return answer === 'unanswered' || decisions.some((offered) => offered === answer) ? answer : 'deny';
}

function grantOf(
  call: AskedCall,
  { reasons }: Pick<Approval, 'reasons'>,
  { end, arguments: granted }: ApprovalResult,
): CallGrant {
  const isNarrowed = JSON.stringify(granted) !== JSON.stringify(call.arguments);
  const why = reasons.length === 0 ? '' : `. It was asked because: ${reasons.join(' ')}`.replace(/\.$/, '');
  return {
    wasAsked: true,
    isAllowed: end.startsWith('allow'),
    isDenied: end.startsWith('deny'),
    reason: `${REASONS[end]}${isNarrowed ? ', with narrower arguments' : ''}${why}`,
    arguments: granted,
    ...(reasons.length > 0 ? { advice: ADVICE_AFTER_REASONS } : {}),
  };
}

const ADVICE_AFTER_REASONS =
  'Do not repeat it as it is: use the result that you have, change the arguments, do something else first, or tell the user what you wait for.';

function openQuestion(approval: Approval): OpenQuestion {
  return { questionId: approval.id, question: questionFor(approval) };
}
