import type { NoticeKind } from '../page/connect-data.ts';
import { useTexts } from '../texts/texts-context.ts';
import classes from './screen.module.css';
import { Title } from './Title.tsx';

interface NoticeScreenProps {
  notice: NoticeKind;
  onRetry: () => void;
  /** Undefined in a tab of its own. */
  onClose: (() => void) | undefined;
}

/** Says why nothing can be connected, and what to do. */
export function NoticeScreen({ notice, onRetry, onClose }: NoticeScreenProps) {
  const t = useTexts();
  const canRetry = notice === 'unreachable' || notice === 'problem';
  return (
    <div className={`stack middle ${classes['centre']}`} role="alert">
      <div>
        <Title lead={t(`notice.${notice}.text`)}>{t(`notice.${notice}.title`)}</Title>
      </div>
      {canRetry ? (
        <button type="button" className={classes['secondary']} data-first onClick={onRetry}>
          {t('retry')}
        </button>
      ) : (
        onClose && (
          <button type="button" className={classes['secondary']} data-first onClick={onClose}>
            {t('close')}
          </button>
        )
      )}
    </div>
  );
}
