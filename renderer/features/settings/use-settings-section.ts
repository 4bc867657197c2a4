import { useState } from 'react';
import { ApiError, describeError } from '../../api/api-error.ts';
import type { UpdateSettings } from '../../api/contract.ts';
import { useUpdateSettings } from '../../api/settings/settings-mutations.ts';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { useUnsaved } from '../../components/unsaved-context.ts';

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
  toChanges: (draft: Draft) => UpdateSettings,
): SettingsSectionState<Draft> {
  const [draft, setDraft] = useState<Draft>();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const update = useUpdateSettings();
  const value = draft ?? stored;
  const isDirty = draft !== undefined && JSON.stringify(draft) !== JSON.stringify(stored);
  useUnsaved(title, isDirty);
  const reset = (): void => {
    setDraft(undefined);
    setErrors({});
  };
  const save = (): void =>
    update.mutate(toChanges(value), {
      onSuccess: () => {
        reset();
        notifyDone(`${title} saved`);
      },
      onError: (failure) => {
        const issues = failure instanceof ApiError ? failure.issues : [];
        if (issues.length === 0) notifyError(describeError(failure));
        setErrors(Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message])));
      },
    });
  const change = (patch: Partial<Draft>): void => {
    setDraft({ ...value, ...patch });
    setErrors({});
  };
  return { value, change, errors, isDirty, isSaving: update.isPending, save, reset };
}
