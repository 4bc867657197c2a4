import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconBrandTypescript, IconCheck, IconCopy } from '@tabler/icons-react';
import { HoverTip } from './HoverTip.tsx';

interface CopyButtonProps {
  /** A function where building the text is expensive. */
  value: string | (() => string);
  label: string;
  size?: number;
  tabIndex?: number;
  /** An icon of its own where two such buttons are side by side. */
  sign?: keyof typeof SIGNS;
}

const SIGNS = { copy: IconCopy, typescript: IconBrandTypescript };

/** Copies `value`; shows and announces the success. */
export function CopyButton({ value, label, size = 24, tabIndex = 0, sign = 'copy' }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 1500 });
  const Icon = clipboard.copied ? IconCheck : SIGNS[sign];
  return (
    <HoverTip label={clipboard.copied ? 'Copied' : label}>
      <ActionIcon
        size={size}
        aria-label={label}
        tabIndex={tabIndex}
        onClick={() => clipboard.copy(typeof value === 'string' ? value : value())}
      >
        <Icon size={14} stroke={1.6} aria-hidden />
        <span className="visually-hidden" aria-live="polite">
          {clipboard.copied ? 'Copied' : ''}
        </span>
      </ActionIcon>
    </HoverTip>
  );
}
