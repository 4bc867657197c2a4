import type { OutgoingWebhookDetail } from '../../api/contract.ts';
import { formatRelative } from '../../lib/format-time.ts';

type DescribedDelivery = Pick<
  OutgoingWebhookDetail,
  'state' | 'url' | 'code' | 'error' | 'attempt' | 'mostAttempts' | 'nextAttemptAt' | 'destinationCount' | 'attempts'
>;

/** Whether the receiver accepted it: a status of 200 to 299. Null when there was no response. */
export function isAccepted(code: number | null): boolean {
  return code !== null && code >= 200 && code <= 299;
}

/** The outcome of a delivery, in one sentence. */
export function deliverySentence(webhook: DescribedDelivery, nowMs: number): string {
  const { state, code, attempt, mostAttempts, destinationCount } = webhook;
  const host = hostOf(webhook.url);
  if (state === 'waiting') return waitingSentence(webhook, host, nowMs);
  if (state === 'delivered') {
    const retried = attempt > 1 ? `, at attempt ${attempt} of ${mostAttempts}` : '';
    return destinationCount > 1
      ? `All ${destinationCount} addresses accepted it.`
      : `${host} accepted it with ${code}${retried}.`;
  }
  if (webhook.error === 'DESTINATION_DELETED') return `The destination was deleted before ${host} accepted it.`;
  const failed = webhook.attempts.filter((one) => !isAccepted(one.code));
  const last = failed.at(-1);
  return last ? failureSentence(last, mostAttempts) : `${host} did not accept it.`;
}

function waitingSentence(
  { code, error, attempt, mostAttempts, nextAttemptAt }: DescribedDelivery,
  host: string,
  nowMs: number,
): string {
  const isDue = nextAttemptAt === null || Date.parse(nextAttemptAt) <= nowMs;
  if (code === null && error === null)
    return isDue ? `On its way to ${host}.` : `Goes to ${host} ${formatRelative(nextAttemptAt, nowMs)}.`;
  const response = code === null ? 'did not answer' : `answered ${code}`;
  const next = isDue ? 'is in progress' : `begins ${formatRelative(nextAttemptAt, nowMs)}`;
  return attempt === 1
    ? `On its way to ${host}.`
    : `${host} ${response}. Attempt ${attempt} of ${mostAttempts} ${next}.`;
}

function failureSentence(last: OutgoingWebhookDetail['attempts'][number], mostAttempts: number): string {
  const host = hostOf(last.url);
  if (last.code === null) return `${last.problem ?? `${host} did not answer`}, ${tries(last.attempt)}.`;
  if (last.attempt < mostAttempts)
    return `${host} answered ${last.code}, which is not retried: only 5xx responses and network errors are.`;
  return `${host} answered ${last.code}, ${tries(last.attempt)}.`;
}

const tries = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : 'three times');

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
