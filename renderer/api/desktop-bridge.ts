import type { DesktopBridge } from '../../server/contract/shell-bridge.ts';

/**
 * What the desktop shell offers its pages; undefined in a browser. Only the window's top frame is given the bridge:
 * a page inside a frame of our own origin asks there, and one inside a frame of another origin has none.
 */
export function desktopBridge(): DesktopBridge | undefined {
  const own = bridgeOf(window);
  if (own || window.top === null || window.top === window) return own;
  try {
    return bridgeOf(window.top);
  } catch (error) {
    // The browser's answer to reading another origin.
    if (error instanceof DOMException && error.name === 'SecurityError') return undefined;
    throw error;
  }
}

const bridgeOf = (frame: Window): DesktopBridge | undefined => (frame as { homeport?: DesktopBridge }).homeport;
