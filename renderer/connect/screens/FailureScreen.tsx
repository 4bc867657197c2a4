import { IconX } from '@tabler/icons-react';
import type { ApiError } from '../../lib/api-error.ts';
import type { Chosen } from '../form/chosen.ts';
import { failureText, isDenied } from '../page/attempt-failure.ts';
import { useTexts } from '../texts/texts-context.ts';
import { EndLogo } from './EndLogo.tsx';
import classes from './screen.module.css';
import { Title } from './Title.tsx';

interface FailureScreenProps {
  chosen: Chosen;
  error: ApiError;
  onBack: () => void;
  /** Begins another attempt with the same values. */
  onRetry: () => void;
}

/** Says why it failed; the server’s own message is below. */
export function FailureScreen({ chosen, error, onBack, onRetry }: FailureScreenProps) {
  const t = useTexts();
  const name = chosen.integration.display_name;
  const own = failureText(error);
  return (
    <div className={`stack middle ${classes['centre']}`}>
      <EndLogo integration={chosen.integration} tone="bad" mark={<IconX size={14} stroke={2.4} aria-hidden />} />
      <div role="alert" className="full">
        <Title lead={own ? t(own, { name }) : error.message}>{t('failed.title', { name })}</Title>
      </div>
      <details className={`card full ${classes['details']}`}>
        <summary className="soft">{t('failed.details')}</summary>
        <pre className="scroll line-above sunken small breaks pre-wrap">
          {[error.code, error.message, error.status > 0 ? `HTTP ${error.status}` : ''].filter(Boolean).join('\n')}
        </pre>
      </details>
      <button type="button" className={classes['primary']} data-first onClick={isDenied(error) ? onRetry : onBack}>
        {t(isDenied(error) ? 'retry' : 'back')}
      </button>
    </div>
  );
}
