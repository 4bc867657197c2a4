import { IconArrowLeft, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { isFramed } from '../page/host-page.ts';
import { useTexts } from '../texts/texts-context.ts';
import classes from './Dialog.module.css';
import screenClasses from './screen.module.css';

/** The id that every screen gives its title. */
export const TITLE_ID = 'connect-title';

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary';

interface DialogProps {
  /** A new value moves the focus. */
  screen: string;
  foot: ReactNode;
  children: ReactNode;
  back?: () => void;
  close?: () => void;
  closeFromOutside?: () => void;
  /** A question shown over the screen, which is inert meanwhile. */
  question?: ReactNode;
}

/** The frame of every screen: close button, back button, focus. */
export function Dialog({ screen, foot, children, back, close, closeFromOutside, question }: DialogProps) {
  const t = useTexts();
  const dialog = useRef<HTMLDivElement>(null);
  const startedOutside = useRef(false);
  const announcement = useNewScreen(dialog, screen);
  useEscape(question ? undefined : close);
  return (
    <div
      className={`centred ${classes['stage']}`}
      onPointerDown={(event) => {
        startedOutside.current = event.target === event.currentTarget;
      }}
      onPointerUp={(event) => {
        // Ignore a click that ends a text selection which began inside.
        if (startedOutside.current && event.target === event.currentTarget) closeFromOutside?.();
      }}
    >
      <div
        ref={dialog}
        className={classes['dialog']}
        role="dialog"
        aria-modal
        aria-labelledby={TITLE_ID}
        onKeyDown={(event) => isFramed() && keepFocus(event, dialog.current)}
      >
        <div className="stack" style={{ height: '100%' }} inert={question !== undefined}>
          <div className={`row gap-0 rigid ${classes['bar']}`}>
            {back && (
              <button
                type="button"
                className={`centred soft ${screenClasses['tool']}`}
                aria-label={t('back')}
                onClick={back}
              >
                <IconArrowLeft size={18} stroke={1.6} aria-hidden />
              </button>
            )}
            <span className="grow" />
            {close && (
              <button
                type="button"
                className={`centred soft ${screenClasses['tool']}`}
                aria-label={t('close')}
                onClick={close}
              >
                <IconX size={18} stroke={1.6} aria-hidden />
              </button>
            )}
          </div>
          <div className={`grow ${classes['scroll']}`}>{children}</div>
          <div className={`row note rigid line-above soft ${classes['foot']}`}>{foot}</div>
        </div>
        <p className="visually-hidden" role="status">
          {announcement}
        </p>
        {question}
      </div>
    </div>
  );
}

/** A new screen moves the focus to its main control, or to its title; screen readers announce the title in either case. */
function useNewScreen(dialog: React.RefObject<HTMLDivElement | null>, screen: string): string {
  const [announcement, setAnnouncement] = useState('');
  // Before the first paint: keys pressed as soon as the screen is visible must not be lost.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows the screen
  useLayoutEffect(() => {
    const title = document.getElementById(TITLE_ID);
    // The preview leaves the focus in the page around it.
    const isPreview = document.documentElement.hasAttribute('data-preview') && !document.hasFocus();
    if (!isPreview)
      (dialog.current?.querySelector<HTMLElement>('[data-first]') ?? title)?.focus({ preventScroll: true });
    document.title = title?.textContent ?? '';
    setAnnouncement(document.title);
  }, [dialog, screen]);
  return announcement;
}

/** Works wherever the focus is; an element that handles the key itself prevents the default. */
function useEscape(close: (() => void) | undefined): void {
  useEffect(() => {
    if (!close) return;
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented) close();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [close]);
}

/** In a frame, Tab would move to the page behind. */
function keepFocus(event: KeyboardEvent, dialog: HTMLElement | null): void {
  if (event.key !== 'Tab' || !dialog) return;
  const targets = [...dialog.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((target) => !target.closest('[inert]'));
  const edge = event.shiftKey ? targets[0] : targets.at(-1);
  const isOutside = !targets.includes(document.activeElement as HTMLElement);
  if (document.activeElement !== edge && !(isOutside && event.shiftKey)) return;
  event.preventDefault();
  (event.shiftKey ? targets.at(-1) : targets[0])?.focus();
}
