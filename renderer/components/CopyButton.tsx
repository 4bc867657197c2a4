import { ActionIcon } from '@mantine/core';
import { IconBrandTypescript, IconCheck, IconCopy } from '@tabler/icons-react';
import { HoverTip } from './HoverTip.tsx';
import { useShell } from './shell-context.ts';
import { useCopied } from './use-copied.ts';

interface CopyButtonProps {
  /** A function where building the text is expensive. */
  value: string | (() => string);
  label: string;
  size?: number;
  tabIndex?: number;
  /** An icon of its own where two such buttons are side by side. */
  sign?: keyof typeof SIGNS;
  /** The desktop app marks it as a secret and removes it later (SECURITY.md). */
  isSecret?: boolean;
}

const SIGNS = { copy: IconCopy, typescript: IconBrandTypescript };

/** Copies `value`; shows and announces the success. */
export function CopyButton({ value, label, size = 24, tabIndex = 0, sign = 'copy', isSecret }: CopyButtonProps) {
  const { copySecret } = useShell();
  const { isCopied, copy } = useCopied(isSecret ? copySecret : undefined);
  const Icon = isCopied ? IconCheck : SIGNS[sign];
  return (
    <HoverTip label={isCopied ? 'Copied' : label}>
      <ActionIcon
        size={size}
        aria-label={label}
        tabIndex={tabIndex}
        onClick={() => void copy(typeof value === 'string' ? value : value())}
      >
        <Icon size={14} stroke={1.6} aria-hidden />
        <span className="visually-hidden" aria-live="polite">
          {isCopied ? 'Copied' : ''}
        </span>
      </ActionIcon>
    </HoverTip>
  );
}
