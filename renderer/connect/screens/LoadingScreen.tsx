import { useEffect, useState } from 'react';
import { useTexts } from '../texts/texts-context.ts';
import { TITLE_ID } from './Dialog.tsx';
import classes from './screen.module.css';

const QUIET_MS = 150;
const SLOW_MS = 3000;
const ROWS = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Nothing at first, then the outline of the list, then a sentence that says what the page waits for (ui.md 8). */
export function LoadingScreen() {
  const t = useTexts();
  const [stage, setStage] = useState<'quiet' | 'shape' | 'slow'>('quiet');
  useEffect(() => {
    const timers = [setTimeout(() => setStage('shape'), QUIET_MS), setTimeout(() => setStage('slow'), SLOW_MS)];
    return () => timers.forEach(clearTimeout);
  }, []);
  return (
    <div className={`stack ${classes['screen']}`}>
      <h1 id={TITLE_ID} className="visually-hidden" tabIndex={-1}>
        {t('loading')}
      </h1>
      {stage !== 'quiet' && (
        <div className={`stack gap-16 ${classes['shape']}`} aria-hidden>
          <span className={classes['shapeTitle']} />
          {ROWS.map((row) => (
            <span key={row} className={`row ${classes['shapeRow']}`} />
          ))}
        </div>
      )}
      <p className={`soft ${classes['slow']}`} role="status">
        {stage === 'slow' && t('loading.slow')}
      </p>
    </div>
  );
}
