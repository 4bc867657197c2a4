import { IconCopy, IconExternalLink } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { desktopBridge } from '../../api/desktop-bridge.ts';
import type { PendingCode } from '../client/code-sign-in.ts';
import { useTexts } from '../texts/texts-context.ts';
import classes from './CodePanel.module.css';
import screen from './screen.module.css';
import { useCopy } from './use-copy.ts';

interface CodePanelProps {
  name: string;
  /** Undefined while it is asked for, and when it has expired. */
  code: PendingCode | undefined;
  hasExpired: boolean;
  onNew: () => void;
  onCancel: () => void;
}

/** The code that a person enters at the provider, on this device or another one. */
export function CodePanel({ name, code, hasExpired, onNew, onCancel }: CodePanelProps) {
  const t = useTexts();
  if (hasExpired)
    return (
      <div className="stack gap-16">
        <p role="status">{t('code.expired')}</p>
        <button type="button" className={screen['primary']} data-first onClick={onNew}>
          {t('code.new')}
        </button>
        <Cancel onCancel={onCancel} />
      </div>
    );
  return (
    <div className="stack gap-16">
      {code ? <Code name={name} code={code} /> : <div className={`card ${classes['empty']}`} />}
      <p role="status" className="row soft" style={{ justifyContent: 'center' }}>
        <span className={`rigid turning ${screen['spinner']}`} />
        {code ? t('code.waiting') : t('loading')}
      </p>
      <Cancel onCancel={onCancel} />
    </div>
  );
}

function Cancel({ onCancel }: Pick<CodePanelProps, 'onCancel'>) {
  const t = useTexts();
  return (
    <button type="button" className="link name" style={{ alignSelf: 'center' }} onClick={onCancel}>
      {t('cancel')}
    </button>
  );
}

function Code({ name, code }: { name: string; code: PendingCode }) {
  const t = useTexts();
  const { outcome, copy } = useCopy(code.user_code);
  const page = code.verification_uri_complete ?? code.verification_uri;
  return (
    <>
      <div className={`card flex middle gap-16 sunken ${classes['card']}`}>
        <div className={`stack grow gap-4 at-top ${classes['read']}`}>
          <span className="soft small">{t('code.label')}</span>
          <output className={classes['code']} aria-label={t('code.label')}>
            {code.user_code}
          </output>
          <button type="button" className="link flex middle gap-6" onClick={() => void copy()}>
            <IconCopy size={14} stroke={1.6} aria-hidden />
            <span aria-live="polite">{outcome === 'copied' ? t('copied') : t('code.copy')}</span>
          </button>
          {outcome === 'refused' && <p role="alert">{t('copy.refused')}</p>}
        </div>
        <QrCode text={page} label={t('code.scan', { name })} />
      </div>
      <a
        className={screen['primary']}
        href={page}
        target="_blank"
        rel="noopener noreferrer"
        data-first
        onClick={(event) => {
          const bridge = desktopBridge();
          if (!bridge) return;
          event.preventDefault();
          void bridge.openExternal(page);
        }}
      >
        {t('code.open', { name })}
        <IconExternalLink size={16} stroke={1.6} aria-hidden />
      </a>
      <p className="soft small breaks" style={{ textAlign: 'center' }}>
        {t('code.address', { address: code.verification_uri })}
      </p>
    </>
  );
}

/** Modules around a code without which readers do not find it (ISO/IEC 18004). */
const QUIET = 4;

/** Drawn here, so that nobody learns the address. Dark on light in both schemes, because many readers need that. */
function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<{ path: string; size: number }>();
  useEffect(() => {
    let isCurrent = true;
    void import('lean-qr').then(({ generate }) => {
      const code = generate(text);
      const at = Array.from({ length: code.size }, (_, index) => index);
      const path = at.flatMap((y) => at.filter((x) => code.get(x, y)).map((x) => `M${x} ${y}h1v1h-1z`)).join('');
      if (isCurrent) setDrawn({ path, size: code.size });
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  const edge = drawn ? drawn.size + 2 * QUIET : 1;
  return (
    <figure className={`rigid ${classes['qr']}`}>
      <svg role="img" aria-label={label} viewBox={drawn ? `${-QUIET} ${-QUIET} ${edge} ${edge}` : '0 0 1 1'}>
        {drawn && <path d={drawn.path} shapeRendering="crispEdges" />}
      </svg>
    </figure>
  );
}
