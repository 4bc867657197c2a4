/** True when a key belongs to text input, so that single-key shortcuts must not react. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit|reset|range|file)$/.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}

/** The element where the event began: outside of a shadow root only its host is visible. */
export const originOf = (event: Event): EventTarget | null => event.composedPath()[0] ?? event.target;

const OVERLAYS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

/** A dialog, menu or list of options is open and handles the keys itself. */
export const isOverlayOpen = (): boolean =>
  [...document.querySelectorAll(OVERLAYS)].some((one) => one.checkVisibility());

export const isTooltipOpen = (): boolean => document.querySelector('[role=tooltip]') !== null;

/** Keys that buttons, links, tabs and sliders handle themselves. */
const OF_CONTROLS = /^(enter|space|home|end|pageup|pagedown|arrow(up|down|left|right))$/;
const CONTROLS = 'button, a[href], input, select, textarea, summary, [role=tab], [role=separator], [role=tree]';

/** True when the focused control handles the key itself. A row's link does not count as a control: its grid handles keys. */
export function isOfControl(key: string, target: EventTarget | null): boolean {
  if (!OF_CONTROLS.test(key) || !(target instanceof Element)) return false;
  const control = target.closest(CONTROLS);
  return control !== null && !control.hasAttribute('data-row-link');
}

/** `mod+k`, `shift+c`, `?`, `arrowdown`: the name of the pressed keys in tables of keys. */
export function chordOf(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string {
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase();
  // For other characters Shift is part of the character: `?` is Shift and `/` on one keyboard and another key on the next.
  const isShifted = event.shiftKey && (key.length > 1 || /[a-z]/.test(key));
  const parts = [(event.ctrlKey || event.metaKey) && 'mod', event.altKey && 'alt', isShifted && 'shift', key];
  return parts.filter(Boolean).join('+');
}

/** A key that can be turned off (WCAG 2.1.4): a character without a modifier. */
export const isSingleKey = (chord: string): boolean =>
  chord.split(' ').every((one) => one.length === 1 || /^shift\+.$/.test(one));
