import { IconAlertCircleFilled, IconHelpCircle } from '@tabler/icons-react';
import type { FormField } from '../form/form-field.ts';
import { useTexts } from '../texts/texts-context.ts';
import classes from './Field.module.css';
import { FieldControl } from './FieldControl.tsx';

export interface FieldProps {
  field: FormField;
  value: string;
  /** Shown in place of the hint. */
  problem: string | undefined;
  docsUrl: string | undefined;
  isFirst: boolean;
  onDocs: () => void;
  onChange: (value: string) => void;
  onLeave: () => void;
}

/** Label, input, and below them a hint or the problem of the value. */
export function Field(props: FieldProps) {
  const t = useTexts();
  const { field, problem, docsUrl, onDocs } = props;
  const hint = field.description;
  return (
    <div>
      <div className={`row between ${classes['top']}`}>
        <label className="name breaks" htmlFor={field.id}>
          {field.title}
          {!field.isRequired && <span className={`faint ${classes['optional']}`}> ({t('optional')})</span>}
        </label>
        {docsUrl !== undefined && (
          <a
            className={`centred rigid faint ${classes['help']}`}
            href={docsUrl}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={t('form.where', { field: field.title })}
            title={t('form.where', { field: field.title })}
            onClick={onDocs}
          >
            <IconHelpCircle size={16} stroke={1.6} aria-hidden />
          </a>
        )}
      </div>
      <FieldControl {...props} />
      {problem !== undefined ? (
        <p id={`${field.id}-problem`} className={`note bad flex gap-6 breaks ${classes['hint']}`}>
          <IconAlertCircleFilled className="rigid" size={14} aria-hidden />
          <span>{problem}</span>
        </p>
      ) : (
        hint && (
          <p id={`${field.id}-hint`} className={`note soft breaks ${classes['hint']}`}>
            {hint}
          </p>
        )
      )}
    </div>
  );
}
