/** True when a key belongs to what the person types into, so that single-key shortcuts stay quiet. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit|reset|range|file)$/.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Where the event really began: an editor in a shadow root shows only its host from outside. */
export const originOf = (event: Event): EventTarget | null => event.composedPath()[0] ?? event.target;

const OVERLAYS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

/** A dialog, menu or list of choices is open and takes the keys itself. */
export const isOverlayOpen = (): boolean =>
  [...document.querySelectorAll(OVERLAYS)].some((one) => one.checkVisibility());

export const isTooltipOpen = (): boolean => document.querySelector('[role=tooltip]') !== null;

/** Keys that buttons, links, tabs and sliders understand themselves. */
const OF_CONTROLS = /^(enter|space|home|end|pageup|pagedown|arrow(up|down|left|right))$/;
const CONTROLS = 'button, a[href], input, select, textarea, summary, [role=tab], [role=separator], [role=tree]';

/** True when the focused control answers the key itself. A row's link is no control of its own: its grid is. */
export function isOfControl(key: string, target: EventTarget | null): boolean {
  if (!OF_CONTROLS.test(key) || !(target instanceof Element)) return false;
  const control = target.closest(CONTROLS);
  return control !== null && !control.hasAttribute('data-row-link');
}

/** `mod+k`, `shift+c`, `?`, `arrowdown`: the name by which a table of keys knows what was pressed. */
export function chordOf(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string {
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase();
  // Of other characters Shift is a part: `?` is Shift and `/` on one keyboard and something else on the next.
  const isShifted = event.shiftKey && (key.length > 1 || /[a-z]/.test(key));
  const parts = [(event.ctrlKey || event.metaKey) && 'mod', event.altKey && 'alt', isShifted && 'shift', key];
  return parts.filter(Boolean).join('+');
}

/** A key that can be switched off (WCAG 2.1.4): it is a character without a modifier. */
export const isSingleKey = (chord: string): boolean =>
  chord.split(' ').every((one) => one.length === 1 || /^shift\+.$/.test(one));
