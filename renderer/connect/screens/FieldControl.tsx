import { IconCheck, IconCopy, IconEye, IconEyeOff } from '@tabler/icons-react';
import { type ChangeEvent, useState } from 'react';
import { type FormField, isMultiline } from '../form/form-field.ts';
import { useTexts } from '../texts/texts-context.ts';
import classes from './Field.module.css';
import type { FieldProps } from './Field.tsx';
import screen from './screen.module.css';
import { useCopy } from './use-copy.ts';

/** The input itself, of the type that the definition asks for. */
export function FieldControl({ field, value, problem, isFirst, onChange, onLeave }: FieldProps) {
  const t = useTexts();
  const [isRevealed, setRevealed] = useState(false);
  const { outcome, copy } = useCopy(value);
  const isHidden = field.secret === true && !isRevealed;
  const shared = {
    id: field.id,
    name: field.id,
    value,
    className: `${screen['input']} ${classes['input']}`,
    required: field.isRequired,
    'data-first': isFirst || undefined,
    'aria-invalid': problem !== undefined || undefined,
    'aria-describedby': describedBy(field, problem),
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
      onChange(event.currentTarget.value),
    onBlur: onLeave,
  };
  const typed = {
    ...shared,
    placeholder: field.example,
    autoComplete: 'off',
    autoCapitalize: 'none',
    autoCorrect: 'off',
    spellCheck: false,
  };
  if (field.enum) return <Choice shared={shared} choices={field.enum} isRequired={field.isRequired} />;
  return (
    <>
      <div className={`row gap-0 ${screen['box']}`} data-invalid={problem !== undefined || undefined}>
        {field.prefix && (
          <span id={`${field.id}-prefix`} className={`cut rigid soft ${classes['affix']}`}>
            {field.prefix}
          </span>
        )}
        {isMultiline(field) ? (
          <textarea {...typed} rows={4} data-masked={isHidden || undefined} />
        ) : (
          <input {...typed} type={isHidden ? 'password' : 'text'} readOnly={field.isGenerated === true} />
        )}
        {field.suffix && (
          <span id={`${field.id}-suffix`} className={`cut rigid soft ${classes['affix']}`}>
            {field.suffix}
          </span>
        )}
        {field.secret === true && (
          <button
            type="button"
            className={`centred rigid soft ${screen['tool']}`}
            aria-label={t(isHidden ? 'form.show' : 'form.hide', { field: field.title })}
            onClick={() => setRevealed(isHidden)}
          >
            {isHidden ? (
              <IconEye size={16} stroke={1.6} aria-hidden />
            ) : (
              <IconEyeOff size={16} stroke={1.6} aria-hidden />
            )}
          </button>
        )}
        {field.isGenerated && <CopyTool field={field} isCopied={outcome === 'copied'} onClick={() => void copy()} />}
      </div>
      {outcome === 'refused' && (
        <p className={`note soft breaks ${classes['hint']}`} role="alert">
          {t('copy.refused')}
        </p>
      )}
    </>
  );
}

function describedBy({ id, prefix, suffix, description }: FormField, problem: string | undefined): string | undefined {
  const ids = [
    prefix && `${id}-prefix`,
    suffix && `${id}-suffix`,
    problem === undefined ? description && `${id}-hint` : `${id}-problem`,
  ];
  return ids.filter(Boolean).join(' ') || undefined;
}

interface ChoiceProps {
  shared: React.ComponentProps<'select'>;
  choices: string[];
  isRequired: boolean;
}

function Choice({ shared, choices, isRequired }: ChoiceProps) {
  return (
    <div
      className={`row gap-0 ${screen['box']} ${classes['choice']}`}
      data-invalid={shared['aria-invalid'] || undefined}
    >
      <select {...shared}>
        {!isRequired && <option value="" />}
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    </div>
  );
}

interface CopyToolProps {
  field: FormField;
  isCopied: boolean;
  onClick: () => void;
}

function CopyTool({ field, isCopied, onClick }: CopyToolProps) {
  const t = useTexts();
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <button
      type="button"
      className={`centred rigid soft ${screen['tool']}`}
      aria-label={t('copy', { field: field.title })}
      onClick={onClick}
    >
      <Icon size={16} stroke={1.6} aria-hidden />
      <span className="visually-hidden" aria-live="polite">
        {isCopied && t('copied')}
      </span>
    </button>
  );
}
