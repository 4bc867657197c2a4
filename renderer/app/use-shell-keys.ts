import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { isPlainKey } from '../lib/shortcuts.ts';
import { SCREENS } from './screens.ts';

/** How long `g` waits for its second key. */
const SEQUENCE_MS = 1500;

/** `/` to the search box, `[` for the sidebar, `g` and a letter to a screen (ui.md 14). */
export function useShellKeys(env: string, toggleSidebar: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let armedAt = 0;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!isPlainKey(event)) return;
      const screen = event.timeStamp - armedAt < SEQUENCE_MS && SCREENS.find((one) => one.key === event.key);
      armedAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (screen) void navigate(`/${env}/${screen.path}`);
      else if (event.key === '[') toggleSidebar();
      else if (event.key === '/') document.querySelector<HTMLInputElement>('input[data-search]')?.focus();
      else return;
      event.preventDefault();
    };
    // Before the tables, whose own letters must not swallow the second key.
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, [env, navigate, toggleSidebar]);
}
