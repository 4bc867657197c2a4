import { useTexts } from '../texts/texts-context.ts';
import classes from './FormScreen.module.css';
import { useCopy } from './use-copy.ts';

export function CopyLink({ value, label }: { value: string; label: string }) {
  const t = useTexts();
  const { isCopied, copy } = useCopy(value);
  return (
    <button type="button" className={classes['way']} onClick={copy}>
      <span aria-live="polite">{isCopied ? t('copied') : label}</span>
    </button>
  );
}
