import { useState } from 'react';
import type { UpdateSettings } from '../../api/contract.ts';
import { useChange } from '../../api/use-change.ts';
import { isSameValue, useDraft } from '../../components/form/use-draft.ts';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { ApiError } from '../../lib/api-error.ts';

export interface SettingsSectionState<Draft> {
  value: Draft;
  change: (patch: Partial<Draft>) => void;
  /** The server's errors by the path of the field in the request: `webhook.primary_url`. */
  errors: Readonly<Record<string, string>>;
  isDirty: boolean;
  isSaving: boolean;
  save: () => void;
  reset: () => void;
}

/** One section of the settings: a draft of the stored values, saved on request, with errors at their fields. */
export function useSettingsSection<Draft extends object>(
  title: string,
  stored: Draft,
  toChanges: (draft: Draft, base: Draft) => UpdateSettings,
): SettingsSectionState<Draft> {
  const { value, base, isDirty, change: put, saved, end } = useDraft(title, stored);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const update = useChange('PATCH /api/v1/settings', { ownError: true });
  const reset = (): void => {
    end();
    setErrors({});
  };
  const save = (): void =>
    update.mutate(
      { body: differences(toChanges(value, base), toChanges(base, base)) },
      {
        onSuccess: () => {
          saved(value);
          notifyDone(`${title} saved`);
        },
        onError: (failure) => {
          const issues = failure instanceof ApiError ? failure.issues : [];
          if (issues.length === 0) notifyError(failure);
          setErrors(Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message])));
        },
      },
    );
  const change = (patch: Partial<Draft>): void => {
    put({ ...value, ...patch }, base);
    setErrors({});
  };
  return { value, change, errors, isDirty, isSaving: update.isPending, save, reset };
}

/** Only the parts that were changed here: the others may have been changed elsewhere since. */
function differences({ known, ...changed }: UpdateSettings, before: UpdateSettings): UpdateSettings {
  const parts = Object.entries(changed).filter(
    ([key, part]) => !isSameValue(part, before[key as keyof UpdateSettings]),
  );
  return { ...Object.fromEntries(parts), ...(known ? { known } : {}) };
}
