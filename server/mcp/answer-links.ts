import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AuditService } from '../environments/audit.service.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError, isVaultLocked } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { REDACTED } from '../platform/lib/secret-replacer.ts';
import { isRedactedKey } from '../platform/lib/secrets.ts';
import type { ApprovalsTarget, ApprovalsTargets } from './approvals-target.ts';
import type { Approval, ApprovalChange, McpService } from './mcp.service.ts';

export type LinkAnswer = 'allow' | 'deny';

/** A question or a test was sent; `problem` says why it was not. */
export interface QuestionSent {
  environmentId: number;
  problem: string | null;
}

/** The result of a test. */
export interface SentTest {
  status: number | null;
  durationMs: number;
  problem: string | null;
}

export type AnswerLinks = ReturnType<typeof createAnswerLinks>;

const MAX_ARGUMENTS_LENGTH = 500;
const MAX_MESSAGES = 6;
const WINDOW_MS = 60_000;
/** Questions beyond the limit are counted for so long before the one message about them. */
const COLLECT_MS = 2000;
const DECISIONS = { allow: 'allow-once', deny: 'deny' } as const;

/** Sends each question to a person's phone or webhook, with two links that answer it (agents.md 12). */
export function createAnswerLinks(use: {
  targets: Pick<ApprovalsTargets, 'describe' | 'find'>;
  environments: Pick<EnvironmentService, 'find'>;
  mcp: Pick<McpService, 'decide'>;
  audit: Pick<AuditService, 'record'>;
  clock: Clock;
  logger: Logger;
  events: EventSink<{ question_sent: QuestionSent }>;
  post(
    request: { url: string; headers: Record<string, string>; body: string },
    signal: AbortSignal,
  ): Promise<{ outcome: string; response?: { code: number }; error?: { message: string } }>;
  /** The arguments without the secrets of the connection. */
  withhold(approval: Approval): Promise<Record<string, unknown>>;
}) {
  const { clock, environments, events, logger, targets } = use;
  // Questions end with the program, and so do their links.
  const key = randomBytes(32);
  const open = new Map<string, Approval>();
  /** Links whose answer is being taken. */
  const used = new Set<string>();
  const limits = new Map<number, Sending>();
  const lastSent = new Map<number, { at: number; problem: string | null }>();
  const stopped = new AbortController();

  const sign = (id: string, answer: LinkAnswer, expiresAt: number): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([id, answer, expiresAt]))
      .digest('hex');

  const linkTo = (base: string, { id, expiresAt }: Approval, answer: LinkAnswer): string =>
    `${base}/approvals/${answer}/${id}.${expiresAt}.${sign(id, answer, expiresAt)}`;

  /** Throws `not_found` for a link that the hub did not make, or whose question has ended. */
  function find(answer: LinkAnswer, token: string): Approval {
    const [id = '', expiresAt = '', signature = '', ...rest] = token.split('.');
    const expected = Buffer.from(sign(id, answer, Number(expiresAt)));
    const given = Buffer.from(signature);
    const isSigned = rest.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
    const approval = isSigned ? open.get(id) : undefined;
    if (!approval || used.has(id) || clock.now() >= approval.expiresAt)
      throw new HomeportError(
        'not_found',
        'This link is over: the question was answered, it expired, or it is unknown.',
      );
    return approval;
  }

  /** Undefined when the environment sends its questions nowhere. */
  async function send(environment: Environment, message: Message): Promise<SentTest | undefined> {
    const startedAt = clock.now();
    let result: SentTest;
    try {
      const target = await targets.find(environment);
      if (!target) return undefined;
      const { outcome, response, error } = await use.post(requestOf(target, message), stopped.signal);
      const status = response?.code ?? null;
      const isDelivered = outcome === 'delivered';
      const why =
        status === null
          ? `The address did not answer: ${error?.message ?? 'no reason given'}.`
          : `The address answered ${status}.`;
      result = { status, durationMs: clock.now() - startedAt, problem: isDelivered ? null : why };
    } catch (error) {
      if (!isVaultLocked(error)) throw error;
      const problem = 'The token for the address cannot be read while the vault is locked.';
      result = { status: null, durationMs: clock.now() - startedAt, problem };
    }
    const { problem } = result;
    lastSent.set(environment.id, { at: clock.now(), problem });
    events.emit('question_sent', { environmentId: environment.id, problem });
    if (problem !== null)
      logger.warn(
        { environment: environment.name, reason: problem },
        'a question could not be sent; it waits in the dashboard',
      );
    return result;
  }

  async function shownArguments(approval: Approval): Promise<string> {
    try {
      const text = JSON.stringify(withoutSecretMembers(await use.withhold(approval)));
      return text.length > MAX_ARGUMENTS_LENGTH ? `${text.slice(0, MAX_ARGUMENTS_LENGTH)}…` : text;
    } catch (error) {
      // The secrets that would have to be taken out cannot be read.
      if (isVaultLocked(error)) return 'not shown while the vault is locked';
      throw error;
    }
  }

  async function announce(environment: Environment, approval: Approval): Promise<void> {
    const shown = await shownArguments(approval);
    const { base } = targets.describe(environment);
    await send(environment, {
      title: oneLine(`${approval.clientName} wants to call ${approval.tool}`),
      tool: approval.tool,
      client: approval.clientName,
      integration: approval.integrationKey,
      connection: approval.connectionId,
      reasons: approval.reasons,
      ...(approval.preview ? { preview: approval.preview.summary } : {}),
      arguments: shown,
      allow_url: linkTo(base, approval, 'allow'),
      deny_url: linkTo(base, approval, 'deny'),
      expires_at: new Date(approval.expiresAt).toISOString(),
    });
  }

  async function announceHeld(environment: Environment, { held }: Sending): Promise<void> {
    const count = [...held].filter((id) => open.has(id)).length;
    held.clear();
    if (count > 0) await send(environment, { title: `${count} more calls wait for an answer in Homeport` });
  }

  const inBackground = (work: Promise<void>): void =>
    void work.catch((error: unknown) => {
      if (!stopped.signal.aborted) logger.warn({ err: error }, 'a question could not be sent');
    });

  function announceWithinLimit(environment: Environment, approval: Approval): void {
    const sending = limits.get(environment.id) ?? { sentAt: [], held: new Set(), isCollecting: false };
    limits.set(environment.id, sending);
    sending.sentAt = sending.sentAt.filter((at) => at > clock.now() - WINDOW_MS);
    if (sending.sentAt.length < MAX_MESSAGES) {
      sending.sentAt.push(clock.now());
      inBackground(announce(environment, approval));
      return;
    }
    sending.held.add(approval.id);
    if (sending.isCollecting || sending.sentAt.length > MAX_MESSAGES) return;
    sending.isCollecting = true;
    sending.sentAt.push(clock.now());
    clock.after(COLLECT_MS, () => {
      sending.isCollecting = false;
      if (!stopped.signal.aborted) inBackground(announceHeld(environment, sending));
    });
  }

  return {
    find,

    /** Listener of questions that start and end. */
    note({ approval, end }: ApprovalChange): void {
      if (end !== undefined) {
        open.delete(approval.id);
        return;
      }
      const environment = environments.find(approval.environmentId);
      if (!environment || targets.describe(environment).source === 'none') return;
      open.set(approval.id, approval);
      announceWithinLimit(environment, approval);
    },

    /** Throws as `find`, and `vault_locked` for a permission; the link stays valid then. */
    async answer(answer: LinkAnswer, token: string): Promise<Approval> {
      const approval = find(answer, token);
      const { clientName, connectionId, environmentId, id, integrationKey, tool } = approval;
      used.add(id);
      try {
        await use.mcp.decide(environmentId, id, DECISIONS[answer]);
      } finally {
        used.delete(id);
      }
      await use.audit.record({
        action: 'approval_answered',
        environmentId,
        integrationKey,
        connectionId,
        subject: `${DECISIONS[answer]}: ${tool} for ${clientName}, by link`,
      });
      return approval;
    },

    /** The last message of the environment since the program started. */
    lastSentOf: (environmentId: number) => lastSent.get(environmentId),

    /** Sends a message without links. Throws `invalid_body` without an address. */
    async sendTest(environment: Environment): Promise<SentTest> {
      const title = `Test of Homeport: questions of agents in ${environment.name} arrive here`;
      const result = await send(environment, { title: oneLine(title) });
      if (result) return result;
      throw new HomeportError('invalid_body', 'This environment sends its questions nowhere. Save an address first.');
    },

    stop: (): void => stopped.abort(),
  };
}

/** The messages of an environment within its limit. */
interface Sending {
  sentAt: number[];
  /** Questions beyond the limit. */
  held: Set<string>;
  isCollecting: boolean;
}

interface Message {
  title: string;
  tool?: string;
  client?: string;
  integration?: string;
  connection?: string;
  reasons?: readonly string[];
  preview?: readonly string[];
  arguments?: string;
  allow_url?: string;
  deny_url?: string;
  expires_at?: string;
}

function requestOf({ kind, token, url }: ApprovalsTarget, message: Message) {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Homeport',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  if (kind === 'webhook') return { url, headers, body: JSON.stringify(message) };
  const root = new URL(url);
  const parts = root.pathname.split('/').filter(Boolean);
  const topic = decodeURIComponent(parts.pop() ?? '');
  root.pathname = `/${parts.join('/')}`;
  const { allow_url: allow, deny_url: deny, integration, connection, preview = [], reasons = [], title } = message;
  const lines =
    integration === undefined ? [] : [`${integration}, ${connection}`, ...reasons, ...preview, message.arguments ?? ''];
  const view = (label: string, link: string | undefined) =>
    link === undefined ? [] : [{ action: 'view', label, url: link, clear: true }];
  const actions = [...view('Allow once', allow), ...view('Deny', deny)];
  return {
    url: root.href,
    headers,
    body: JSON.stringify({ topic, title, message: lines.join('\n') || title, actions }),
  };
}

/** Names of clients and tools come from other programs. */
const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').slice(0, 200);

function withoutSecretMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecretMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isRedactedKey(name) ? REDACTED : withoutSecretMembers(member),
    ]),
  );
}
