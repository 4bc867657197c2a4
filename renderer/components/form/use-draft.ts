import { useState } from 'react';
import { useUnsaved } from './unsaved-context.ts';

export const isSameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * What a person typed over a stored value and has not saved. While it differs from the value where the edit began, leaving asks
 * first, naming the section; the stored value may change meanwhile.
 */
export function useDraft<Draft>(
  section: string,
  stored: Draft,
  differs = (draft: Draft, base: Draft): boolean => !isSameValue(draft, base),
) {
  const [edit, setEdit] = useState<{ draft: Draft; base: Draft }>();
  const isDirty = edit !== undefined && differs(edit.draft, edit.base);
  useUnsaved(section, isDirty);
  /** What a form shows that is always open: it follows the stored value while nothing is typed. */
  const { draft: value, base } = isDirty ? edit : { draft: stored, base: stored };
  return {
    /** Undefined until the first change. */
    draft: edit?.draft,
    value,
    base,
    isDirty,
    isOutdated: edit !== undefined && !isSameValue(stored, edit.base),
    change: (draft: Draft, from = edit?.base ?? stored): void => setEdit({ draft, base: from }),
    /** What was typed while the request was on its way is not saved yet. */
    saved: (sent: Draft): void =>
      setEdit((now) => (now && !isSameValue(now.draft, sent) ? { draft: now.draft, base: sent } : undefined)),
    end: (): void => setEdit(undefined),
  };
}
