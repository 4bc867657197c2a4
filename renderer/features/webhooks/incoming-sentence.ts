import type { WebhookDetail } from '../../api/contract.ts';
import { formatCount } from '../../lib/format-number.ts';

type DescribedWebhook = Pick<WebhookDetail, 'outcome' | 'message' | 'connectionIds' | 'runs' | 'forwards' | 'status'>;

/** What became of a provider's webhook, in a sentence. */
export function incomingSentence({
  outcome,
  message,
  connectionIds,
  runs,
  forwards,
  status,
}: DescribedWebhook): string {
  if (outcome === 'handshake') return `Answered with ${status} as the provider asks for; nothing else happened.`;
  if (outcome !== 'handled') return message ?? `Answered with ${status}; nothing else happened.`;
  const whom =
    connectionIds.length === 0
      ? 'It matches no connection'
      : `It concerns ${formatCount(connectionIds.length, 'connection')}`;
  const what = [
    runs.length > 0 ? `${formatCount(runs.length, 'handler run')}` : undefined,
    forwards > 0 ? `${formatCount(forwards, 'webhook')} to your app` : undefined,
  ].filter((part) => part !== undefined);
  return `${whom}: ${what.length > 0 ? what.join(' and ') : 'nothing listens to it'}.`;
}

/** Whether its sender is known. */
export function signatureSentence({ outcome, message }: Pick<DescribedWebhook, 'outcome' | 'message'>): string {
  if (outcome === 'refused') return `Refused: ${message ?? 'it did not fit'}`;
  if (outcome === 'error') return 'Not decided: Homeport could not read the webhook.';
  return 'It is valid, or this integration needs none: the provider signs nothing, or no webhook secret is set.';
}
