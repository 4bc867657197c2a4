import { Select } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { useEnv } from '../../api/use-env.ts';
import { paths } from '../../lib/paths.ts';
import { APPLICATION_SECTIONS, ENVIRONMENT_SECTIONS } from '../../lib/settings-sections.ts';
import classes from './SettingsFrame.module.css';
import { SettingsSearch } from './SettingsSearch.tsx';

/** The list of all sections, of the environment and of the program, beside the shown ones. */
export function SettingsFrame({ current, children }: { current: string; children: ReactNode }) {
  const env = useEnv();
  const navigate = useNavigate();
  const content = useRef<HTMLDivElement>(null);
  useMarkedSetting(content);
  const groups = [
    {
      group: `Environment ${env}`,
      items: ENVIRONMENT_SECTIONS.map(({ id, label }) => ({ label, value: paths.settings(env, id) })),
    },
    {
      group: 'This computer',
      items: APPLICATION_SECTIONS.map(({ id, label }) => ({ label, value: paths.appSettings(id) })),
    },
  ];
  return (
    <div className={`grid ${classes['frame']}`}>
      <div className={classes['side']}>
        <SettingsSearch>
          <nav className={classes['nav']} aria-label="Settings">
            {groups.map(({ group, items }) => (
              <section key={group} aria-label={group}>
                <h2 className="faint tiny" style={{ padding: '0 8px 4px', fontWeight: 400 }}>
                  {group}
                </h2>
                <ul>
                  {items.map(({ label, value }) => (
                    <li key={value}>
                      <Link className="item soft" to={value} aria-current={value === current ? 'page' : undefined}>
                        {label}
                      </Link>
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </nav>
          <div className={classes['picker']}>
            <Select
              aria-label="Section of the settings"
              data={groups}
              value={current}
              maxDropdownHeight={400}
              onChange={(next) => next && void navigate(next)}
            />
          </div>
        </SettingsSearch>
      </div>
      <div ref={content} className={classes['content']}>
        {children}
      </div>
    </div>
  );
}

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
function useMarkedSetting(content: RefObject<HTMLElement | null>): void {
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
