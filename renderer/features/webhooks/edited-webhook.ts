import type { WebhookDetail } from '../../api/contract.ts';
import type { WebhookToRepeat } from '../../api/webhooks/webhooks-mutations.ts';

/** JSON with indentation, where that is lossless: numbers too large for JavaScript and original spaces stay unchanged. */
export function pretty(text: string): string {
  const value = parse(text);
  return value !== undefined && JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
}

/** The changed parts of a webhook; a body that was only reformatted is sent as it was received, byte for byte. */
export function editedWebhook(
  webhook: Pick<WebhookDetail, 'body' | 'headers'>,
  texts: { body: string; headers: string },
): WebhookToRepeat | { problem: string } {
  const headers = parse(texts.headers);
  if (!isHeaders(headers)) return { problem: 'Headers must be a JSON object of texts.' };
  const isSameBody = webhook.body !== null && texts.body === pretty(webhook.body.text);
  const encoding = webhook.body?.encoding ?? 'utf8';
  return {
    ...(JSON.stringify(headers) === JSON.stringify(webhook.headers) ? {} : { headers: lowerCase(headers) }),
    ...(isSameBody ? {} : { body: { text: texts.body, encoding } }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The body need not be JSON.
    return undefined;
  }
}

function isHeaders(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((one) => typeof one === 'string');
}

const lowerCase = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
