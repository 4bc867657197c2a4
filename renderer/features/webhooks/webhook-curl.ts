/** The request of a webhook for a shell, byte for byte, so that its signatures match. */
export function webhookCurl(webhook: { url: string; headers: Record<string, string>; body: string }): string {
  const lines = [
    `curl -X POST ${quoted(webhook.url)}`,
    ...Object.entries(webhook.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(webhook.body)}`,
  ];
  return lines.join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
