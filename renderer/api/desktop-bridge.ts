import type { DesktopBridge } from '../../server/contract/shell-bridge.ts';

/**
 * The functions that the desktop shell offers its pages; undefined in a browser. Only the top frame has the bridge:
 * a page in a frame of our own origin uses the one of the top frame, and a frame of another origin gets none.
 */
export function desktopBridge(): DesktopBridge | undefined {
  const own = bridgeOf(window);
  if (own || window.top === null || window.top === window) return own;
  try {
    return bridgeOf(window.top);
  } catch (error) {
    // The browser throws this when a page reads another origin.
    if (error instanceof DOMException && error.name === 'SecurityError') return undefined;
    throw error;
  }
}

const bridgeOf = (frame: Window): DesktopBridge | undefined => (frame as { homeport?: DesktopBridge }).homeport;
