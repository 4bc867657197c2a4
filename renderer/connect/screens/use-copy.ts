import { useEffect, useState } from 'react';

const SHOWN_MS = 1500;

type Outcome = 'copied' | 'refused';

/**
 * Copies a text and confirms it for a moment. When the browser refuses, `outcome` says so until the next try: the page
 * then asks the person to copy the text by hand.
 */
export function useCopy(value: string): { outcome: Outcome | undefined; copy: () => Promise<void> } {
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (outcome !== 'copied') return;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  return {
    outcome,
    copy: async () => {
      try {
        // Undefined in a page without https, which throws as a refusal does.
        await navigator.clipboard.writeText(value);
        setOutcome('copied');
      } catch {
        // Whatever refuses, nothing was copied.
        setOutcome('refused');
      }
    },
  };
}
