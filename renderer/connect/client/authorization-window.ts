import { ApiError } from '../../lib/api-error.ts';

const WIDTH = 500;
const HEIGHT = 600;

/** The place of an authorization: a window of this page, or the system's browser. */
export interface AuthorizationWindow {
  /** Opens the provider's page; opens it again when the person lost the window. Requires a click. */
  show(url: string): void;
  /** True once it is closed; unknown for the system's browser. */
  isGone(): boolean;
  /** Whether a message of the callback page came from this window. */
  sent(source: MessageEventSource | null): boolean;
  close(): void;
}

/** Opened empty and at once: a browser lets a page open windows only while it handles a click. */
export function openPopup(): AuthorizationWindow {
  let popup = openAt('');
  return {
    show(url) {
      if (popup.closed) popup = openAt(url);
      else popup.location.replace(url);
      popup.focus();
    },
    isGone: () => popup.closed,
    sent: (source) => source === popup,
    close: () => popup.close(),
  };
}

function openAt(url: string): Window {
  const popup = window.open(url, '_blank', features());
  if (!popup) throw new ApiError('blocked_by_browser', 'The browser blocked the sign-in window.', 0);
  return popup;
}

/** Centred over the browser's window, and never larger than the screen. */
function features(): string {
  const width = Math.min(WIDTH, screen.availWidth);
  const height = Math.min(HEIGHT, screen.availHeight);
  const left = Math.max(0, window.screenX + (window.outerWidth - width) / 2);
  const top = Math.max(0, window.screenY + (window.outerHeight - height) / 2);
  return `popup,width=${width},height=${height},left=${Math.round(left)},top=${Math.round(top)}`;
}

/** The desktop window lets no page open another one: authorizations take place in the person's own browser. */
export function systemBrowser(
  openExternal: (url: string) => Promise<boolean>,
  onRefused: () => void,
): AuthorizationWindow {
  return {
    show: (url) => void openExternal(url).then((isOpen) => !isOpen && onRefused(), onRefused),
    isGone: () => false,
    sent: () => false,
    close: () => {},
  };
}
