import type { JSONRPCMessage, JSONRPCResponse, Transport } from '@modelcontextprotocol/server';
import type { Ids } from '../platform/lib/ids.ts';
import type { ClientAnswer, ClientQuestion } from './toolbox.ts';

/** The member of the form, and of the request for input, that has the decision. */
export const DECISION = 'decision';

const CHOICES = [
  ['allow-once', 'Allow once'],
  ['allow-session', 'Allow for this session'],
  ['allow-always', 'Always allow'],
  ['deny', 'Deny'],
] as const satisfies readonly (readonly [ClientAnswer, string])[];

/** The form of a question. Clients of revision 2025-06-18 read the titles of the choices from `enumNames`. */
export function formOf({ decisions, message }: ClientQuestion, revision?: string) {
  const choices = CHOICES.filter(([value]) => decisions.includes(value));
  const titles =
    revision === '2025-06-18'
      ? { enum: choices.map(([value]) => value), enumNames: choices.map(([, title]) => title) }
      : { oneOf: choices.map(([value, title]) => ({ const: value, title })) };
  return {
    message,
    requestedSchema: {
      type: 'object' as const,
      properties: { [DECISION]: { type: 'string' as const, title: 'Decision', ...titles } },
      required: [DECISION],
    },
  };
}

/** What the person decided. Everything but a choice of the form is a no: a permission is never guessed. */
export function answerOf(result: unknown): ClientAnswer {
  const { action, content } = (result ?? {}) as { action?: unknown; content?: Record<string, unknown> };
  const chosen = action === 'accept' ? content?.[DECISION] : undefined;
  return CHOICES.find(([value]) => value === chosen)?.[0] ?? 'deny';
}

interface Asked {
  owner: string;
  settle(answer: ClientAnswer): void;
}

/** Questions to clients of the 2025 revisions, whose answers arrive in requests of their own. */
export class ClientQuestions {
  readonly #ids: Ids;
  readonly #waiting = new Map<string, Asked>();

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /**
   * Asks in the stream of the call `callId`. When `signal` is aborted, because somebody else answered, the client is told
   * to close the question.
   */
  ask(
    {
      owner,
      transport,
      callId,
      revision,
    }: { owner: string; transport: Transport; callId: string | number; revision: string },
    question: ClientQuestion,
    signal: AbortSignal,
  ): Promise<ClientAnswer> {
    // Random, because a request with this id answers it.
    const id = this.#ids.uuid();
    const send = (message: JSONRPCMessage): Promise<void> => transport.send(message, { relatedRequestId: callId });
    return new Promise((resolve, reject) => {
      const settle = (answer: ClientAnswer): void => {
        this.#waiting.delete(id);
        signal.removeEventListener('abort', onAbort);
        resolve(answer);
      };
      const onAbort = (): void => {
        settle('unanswered');
        const params = { requestId: id, reason: 'The question was answered elsewhere or has ended.' };
        // Fails when the client has gone, and then nobody sees the question.
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => undefined);
      };
      if (signal.aborted) return settle('unanswered');
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(id, { owner, settle });
      send({ jsonrpc: '2.0', id, method: 'elicitation/create', params: formOf(question, revision) }).catch(reject);
    });
  }

  /** Takes an answer of a client. An error means that the client could not ask. */
  settle(owner: string, response: JSONRPCResponse): void {
    const asked = this.#waiting.get(String(response.id));
    if (asked?.owner === owner) asked.settle('result' in response ? answerOf(response.result) : 'unanswered');
  }
}
