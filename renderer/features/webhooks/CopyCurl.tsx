import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { webhookCurl } from './webhook-curl.ts';

export function CopyCurl({ webhook }: { webhook: { url: string; headers: Record<string, string>; body: string } }) {
  const clipboard = useClipboard({ timeout: 1500 });
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  return (
    <Button
      variant="subtle"
      ml="auto"
      leftSection={<Icon size={16} stroke={1.6} />}
      onClick={() => clipboard.copy(webhookCurl(webhook))}
    >
      {clipboard.copied ? 'Copied' : 'Copy as cURL'}
    </Button>
  );
}
