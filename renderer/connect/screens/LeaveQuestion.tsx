import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../texts/texts-context.ts';
import classes from './LeaveQuestion.module.css';
import screen from './screen.module.css';

/** Confirms leaving when typed values would be lost: the safe answer has the focus, and Escape gives it. */
export function LeaveQuestion({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const t = useTexts();
  const stay = useRef<HTMLButtonElement>(null);
  // Read during rendering: the screen behind becomes inert, and loses the focus, before any effect runs.
  const [before] = useState(() => document.activeElement);
  useEffect(() => {
    stay.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [before]);
  return (
    <div className={`centred ${classes['veil']}`}>
      <div
        className={`full ${classes['box']}`}
        role="alertdialog"
        aria-modal
        aria-labelledby="leave-title"
        aria-describedby="leave-text"
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          onStay();
        }}
      >
        <h2 id="leave-title" className={`strong ${classes['title']}`}>
          {t('leave.title')}
        </h2>
        <p id="leave-text" className={`soft ${classes['text']}`}>
          {t('leave.text')}
        </p>
        <div className={`flex gap-8 wrap ${classes['actions']}`} style={{ justifyContent: 'flex-end' }}>
          <button ref={stay} type="button" className={screen['secondary']} onClick={onStay}>
            {t('leave.stay')}
          </button>
          <button type="button" className={screen['danger']} onClick={onLeave}>
            {t('leave.go')}
          </button>
        </div>
      </div>
    </div>
  );
}
