import { useEffect } from 'react';
import { focusIfLost } from '../components/focus-if-lost.ts';

/**
 * A button is disabled while its action runs, and a disabled button loses the focus. It gets the focus back when the
 * action ends, unless the person went elsewhere meanwhile.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    const watch = new MutationObserver(([change]) => {
      const button = change?.target;
      if (button instanceof HTMLButtonElement && !button.disabled) focusIfLost(button);
    });
    const follow = ({ target }: FocusEvent): void => {
      watch.disconnect();
      if (target instanceof HTMLButtonElement) watch.observe(target, { attributeFilter: ['disabled'] });
    };
    const leave = ({ target }: PointerEvent): void => {
      if (!(target instanceof Element && target.closest('button'))) watch.disconnect();
    };
    document.addEventListener('focusin', follow);
    document.addEventListener('pointerdown', leave);
    return () => {
      watch.disconnect();
      document.removeEventListener('focusin', follow);
      document.removeEventListener('pointerdown', leave);
    };
  }, []);
}
