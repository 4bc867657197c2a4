import { useEffect, useState } from 'react';

const SHOWN_MS = 1500;

/** Copies a text and confirms it for a moment; when the browser refuses, the text can still be selected by hand. */
export function useCopy(value: string): { isCopied: boolean; copy: () => void } {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return {
    isCopied,
    copy: () =>
      void navigator.clipboard.writeText(value).then(
        () => setCopied(true),
        () => setCopied(false),
      ),
  };
}
