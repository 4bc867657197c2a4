import type { Progress } from '../client/connect-attempt.ts';
import { useTexts } from '../texts/texts-context.ts';
import classes from './FormScreen.module.css';
import screen from './screen.module.css';
import { useCopy } from './use-copy.ts';

interface WaitPanelProps {
  name: string;
  progress: Exclude<Progress, { stage: 'code' }>;
  showAgain: () => void;
  cancel: () => void;
}

/** Says what to do during the authorization, with the ways to end it. */
export function WaitPanel({ name, progress, showAgain, cancel }: WaitPanelProps) {
  const t = useTexts();
  const { stage } = progress;
  const hasLink = stage === 'browser' && progress.link !== undefined;
  return (
    <div className={`soft ${classes['wait']}`}>
      <div role="status">
        {stage === 'browser' && <h2 className={`strong ${classes['waitTitle']}`}>{t('browser.title')}</h2>}
        {stage === 'popup' && <p>{t(progress.isGone ? 'window.gone' : 'window.waiting', { name })}</p>}
        {stage === 'browser' && <p>{t(progress.isRefused ? 'browser.refused' : 'browser.text', { name })}</p>}
      </div>
      <div className={`flex wrap ${classes['ways']}`}>
        {stage === 'popup' && !progress.isGone && (
          <button type="button" className="link name" onClick={showAgain}>
            {t('window.again')}
          </button>
        )}
        {hasLink && (
          <>
            <button type="button" className="link name" onClick={showAgain}>
              {t('browser.again')}
            </button>
            <CopyLink value={progress.link ?? ''} label={t('browser.copy')} />
          </>
        )}
        <button type="button" className="link name" onClick={cancel}>
          {t('cancel')}
        </button>
      </div>
    </div>
  );
}

function CopyLink({ value, label }: { value: string; label: string }) {
  const t = useTexts();
  const { outcome, copy } = useCopy(value);
  return (
    <>
      <button type="button" className="link name" onClick={() => void copy()}>
        <span aria-live="polite">{outcome === 'copied' ? t('copied') : label}</span>
      </button>
      {outcome === 'refused' && (
        <div className={classes['byHand']}>
          <p role="alert">{t('copy.refused')}</p>
          <div className={`row ${screen['box']}`} style={{ marginTop: 4 }}>
            <input
              className={`small ${screen['input']}`}
              readOnly
              value={value}
              aria-label={t('browser.link')}
              onFocus={(event) => event.target.select()}
            />
          </div>
        </div>
      )}
    </>
  );
}
