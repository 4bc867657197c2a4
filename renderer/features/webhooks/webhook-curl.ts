import { shellWord } from '../../lib/shell-word.ts';

/** The request of a webhook for a shell, byte for byte, so that its signatures match. */
export function webhookCurl(webhook: { url: string; headers: Record<string, string>; body: string }): string {
  const lines = [
    `curl -X POST ${shellWord(webhook.url)}`,
    ...Object.entries(webhook.headers).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    `--data-raw ${shellWord(webhook.body)}`,
  ];
  return lines.join(' \\\n  ');
}
