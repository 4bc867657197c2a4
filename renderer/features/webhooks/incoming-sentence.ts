import type { WebhookDetail } from '../../api/contract.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';

type DescribedWebhook = Pick<
  WebhookDetail,
  'outcome' | 'message' | 'connectionIds' | 'runs' | 'forwards' | 'forwardState' | 'status'
>;

/** The outcome of a provider's webhook, in one sentence. */
export function incomingSentence({
  outcome,
  message,
  connectionIds,
  runs,
  forwards,
  forwardState,
  status,
}: DescribedWebhook): string {
  if (outcome === 'handshake') return `Answered with ${status} as the provider asks for; nothing else happened.`;
  if (outcome === 'refused' || outcome === 'error') return message ?? `Answered with ${status}; nothing else happened.`;
  const whom =
    connectionIds.length === 0 ? 'It matches no connection' : formatCount(connectionIds.length, 'connection');
  const failedRuns = runs.filter(({ state }) => state === 'failed' || state === 'expired').length;
  const what = [
    runs.length > 0
      ? `${formatCount(runs.length, 'handler run')}${failedRuns > 0 ? ` (${formatNumber(failedRuns)} failed)` : ''}`
      : undefined,
    forwards > 0
      ? `${formatCount(forwards, 'webhook')} sent to your app${forwardState === 'failed' && outcome === 'failed' ? ', not accepted' : ''}`
      : undefined,
  ].filter((part) => part !== undefined);
  return `${whom}, ${what.length > 0 ? what.join(', ') : 'and nobody listened'}.`;
}

const SIGNATURES: Record<Exclude<WebhookDetail['signature'], null | 'invalid'>, string> = {
  valid: 'Valid: the signature proves that the provider sent it.',
  unchecked:
    'Not checked: there is no secret to check it with, so anyone who knows the address can send it. Set the webhook secret of the integration, or of its connection.',
  skipped: 'Not checked: it was replayed without the check.',
  unsupported: 'Not supported: webhooks of this provider carry no signature that Homeport knows.',
};

/** Whether its sender is verified, and why not. */
export function signatureSentence(webhook: Pick<WebhookDetail, 'outcome' | 'message' | 'signature'>): string {
  const { outcome, message, signature } = webhook;
  if (signature === 'invalid') return `Invalid: ${message ?? 'it did not match'}`;
  if (signature !== null) return SIGNATURES[signature];
  if (outcome === 'refused') return `Not checked: it was refused before that (${message ?? 'it did not match'}).`;
  if (outcome === 'error') return 'Unknown: Homeport could not read the webhook.';
  if (outcome === 'handshake') return 'Not checked: a handshake has no signature.';
  return 'Unknown: it arrived before Homeport recorded this.';
}
