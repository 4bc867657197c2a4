import { useState } from 'react';
import { notifyNotCopied, writeClipboard } from './copy-text.ts';

const COPIED_MS = 1500;

/** Copies texts for a control that confirms it itself, for a moment; a refusal is said. */
export function useCopied(write = writeClipboard): { isCopied: boolean; copy: (text: string) => Promise<void> } {
  const [isCopied, setCopied] = useState(false);
  const copy = async (text: string): Promise<void> => {
    try {
      await write(text);
    } catch {
      // Whatever refuses, nothing was copied.
      setCopied(false);
      return notifyNotCopied();
    }
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return { isCopied, copy };
}
