import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';

interface CopyButtonProps {
  value: string;
  label: string;
  size?: number;
  tabIndex?: number;
}

/** Copies `value`; turns into a tick and says so. */
export function CopyButton({ value, label, size = 24, tabIndex = 0 }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 1500 });
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  return (
    <Tooltip label={clipboard.copied ? 'Copied' : label}>
      <ActionIcon size={size} aria-label={label} tabIndex={tabIndex} onClick={() => clipboard.copy(value)}>
        <Icon size={14} stroke={1.6} aria-hidden />
        <span className="visually-hidden" aria-live="polite">
          {clipboard.copied ? 'Copied' : ''}
        </span>
      </ActionIcon>
    </Tooltip>
  );
}
