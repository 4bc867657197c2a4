/** Milliseconds; a field that has not appeared by then will not appear. */
const MAX_WAIT_MS = 5_000;

/**
 * Buffers typed text while a field is loading, so that letters pressed before it has the focus are neither lost nor
 * handled by the page behind it. Ends when an input takes the focus, with Escape, or after five seconds.
 */
export function typeAhead(onText: (text: string) => void): void {
  let text = '';
  /** Enter or Tab, repeated in the field once it has the focus. */
  let lastKey: string | undefined;
  const end = (): void => {
    window.removeEventListener('keydown', onKeyDown, true);
    window.removeEventListener('focusin', onFocus);
    clearTimeout(timer);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') return end();
    const isLast = event.key === 'Enter' || event.key === 'Tab';
    if (!isLast && event.key !== 'Backspace' && event.key.length !== 1) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isLast) {
      lastKey = event.key;
      return;
    }
    text = event.key === 'Backspace' ? text.slice(0, -1) : text + event.key;
    onText(text);
  };
  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLInputElement)) return;
    end();
    if (lastKey) target.dispatchEvent(new KeyboardEvent('keydown', { key: lastKey, bubbles: true }));
  };
  const timer = setTimeout(end, MAX_WAIT_MS);
  window.addEventListener('keydown', onKeyDown, true);
  window.addEventListener('focusin', onFocus);
}
