import { Button } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useSaveKey } from '../../components/form/use-save-key.ts';
import { Section } from '../../components/page/Section.tsx';
import classes from './EnvironmentSettings.module.css';
import type { SettingsSectionState } from './use-settings-section.ts';

interface SettingsFormProps {
  /** The section's part of the address, after `#`. */
  id: string;
  title: string;
  /** What it is for. */
  lead?: ReactNode;
  /** Beside the title. */
  aside?: ReactNode;
  section: Pick<SettingsSectionState<object>, 'isDirty' | 'isSaving' | 'save' | 'reset'>;
  children: ReactNode;
}

/** One section with its own save: by button, Enter or Mod+S. */
export function SettingsForm({ id, title, lead, aside, section, children }: SettingsFormProps) {
  const { isDirty, isSaving, save, reset } = section;
  const form = useSaveKey<HTMLFormElement>(() => {
    if (isDirty) save();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isDirty) save();
  };
  return (
    <div id={id} className={classes['anchor']}>
      <Section title={title} aside={aside}>
        {lead && <p className="soft pb-12">{lead}</p>}
        <form ref={form} noValidate className="stack gap-16" aria-label={title} onSubmit={submit}>
          {children}
          <div className={`row ${classes['save']}`} aria-live="polite">
            {isDirty && (
              <>
                <Button type="submit" loading={isSaving}>
                  Save
                </Button>
                <Button variant="subtle" disabled={isSaving} onClick={reset}>
                  Discard
                </Button>
                <span className="faint small">Not saved yet</span>
              </>
            )}
          </div>
        </form>
      </Section>
    </div>
  );
}
