import { Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useCopied } from '../../components/use-copied.ts';
import { webhookCurl } from './webhook-curl.ts';

export function CopyCurl({ webhook }: { webhook: { url: string; headers: Record<string, string>; body: string } }) {
  const { isCopied, copy } = useCopied();
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <Button
      variant="subtle"
      ml="auto"
      leftSection={<Icon size={16} stroke={1.6} />}
      onClick={() => void copy(webhookCurl(webhook))}
    >
      {isCopied ? 'Copied' : 'Copy as cURL'}
    </Button>
  );
}
