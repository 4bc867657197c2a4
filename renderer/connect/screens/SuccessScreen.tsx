import { IconCheck } from '@tabler/icons-react';
import type { Chosen } from '../form/chosen.ts';
import { useTexts } from '../texts/texts-context.ts';
import { EndLogo } from './EndLogo.tsx';
import classes from './screen.module.css';
import { Title } from './Title.tsx';

interface SuccessScreenProps {
  chosen: Chosen;
  /** The provider still has to approve the connection. */
  isPending: boolean;
  /** Undefined in a tab of its own, which only the person can close. */
  onFinish: (() => void) | undefined;
}

export function SuccessScreen({ chosen: { integration }, isPending, onFinish }: SuccessScreenProps) {
  const t = useTexts();
  const name = integration.display_name;
  const next = onFinish ? t('success.text') : t('success.closeTab');
  return (
    <div className={`stack middle ${classes['centre']}`}>
      <EndLogo integration={integration} tone="ok" mark={<IconCheck size={14} stroke={2.4} aria-hidden />} />
      <div>
        <Title lead={isPending ? t('success.pending', { name }) : next}>{t('success.title', { name })}</Title>
        {isPending && !onFinish && <p className={`soft breaks ${classes['lead']}`}>{t('success.closeTab')}</p>}
      </div>
      {onFinish && (
        <button type="button" className={classes['primary']} data-first onClick={onFinish}>
          {t('finish')}
        </button>
      )}
    </div>
  );
}
