import { useEffect, useState } from 'react';

const SHOWN_MS = 1500;

/** Copies a text, and says so for a moment; a browser that refuses leaves the text to be selected by hand. */
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
