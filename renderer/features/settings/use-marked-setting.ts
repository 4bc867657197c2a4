import { type RefObject, useEffect } from 'react';
import { useLocation } from 'react-router';

const PARAMETER = 'setting';
const LABELS = 'h2, label, legend, dt, [role="group"][aria-label], [role="radiogroup"]';
const CONTROLS = 'input, select, textarea, button, a[href]';
const MARK = 'data-found';
/** A page whose data does not come within this time shows its section only. */
const MAX_WAIT_MS = 10_000;

/** The parts of the page that belong to a label: its field, the row of a fact, or its section. */
function partsOf(label: Element): Element[] {
  if (label.tagName === 'DT') return [label, label.nextElementSibling ?? label];
  const around = label.closest('.mantine-Switch-root, .mantine-Checkbox-root, .mantine-InputWrapper-root, fieldset');
  return [(label.tagName === 'H2' ? label.closest('section') : around) ?? label];
}

function find(content: Element, text: string): Element | undefined {
  const labels = [...content.querySelectorAll(LABELS)];
  const nameOf = (one: Element): string => {
    const named = document.getElementById(one.getAttribute('aria-labelledby') ?? '');
    return (named?.textContent ?? one.getAttribute('aria-label') ?? one.textContent ?? '').trim();
  };
  // The label of a switch holds its description too.
  return labels.find((one) => nameOf(one) === text) ?? labels.find((one) => nameOf(one).startsWith(text));
}

/** Marks the setting that the address names, shows it, and gives the focus to its control. */
export function useMarkedSetting(content: RefObject<HTMLElement | null>): void {
  const { search, key } = useLocation();
  const text = new URLSearchParams(search).get(PARAMETER);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` changes when the same setting is chosen again.
  useEffect(() => {
    const box = content.current;
    if (!text || !box) return;
    let marked: Element[] = [];
    const mark = (): boolean => {
      const label = find(box, text);
      if (!label) return false;
      marked = partsOf(label);
      for (const part of marked) part.setAttribute(MARK, '');
      // After the page has scrolled to the section.
      requestAnimationFrame(() => {
        const control = marked
          .map((part) => (part.matches(CONTROLS) ? part : part.querySelector(CONTROLS)))
          .find(Boolean);
        (control as HTMLElement | undefined)?.focus({ preventScroll: true });
        marked[0]?.scrollIntoView({ block: 'center' });
      });
      return true;
    };
    const observer = new MutationObserver(() => mark() && stop());
    const timer = setTimeout(() => stop(), MAX_WAIT_MS);
    const stop = (): void => {
      observer.disconnect();
      clearTimeout(timer);
    };
    if (mark()) stop();
    else observer.observe(box, { childList: true, subtree: true });
    return () => {
      stop();
      for (const part of marked) part.removeAttribute(MARK);
    };
  }, [text, key, content]);
}
