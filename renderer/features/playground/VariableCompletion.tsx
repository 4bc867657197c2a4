import { Portal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { settingsQueryOptions } from '../../api/settings/settings-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import classes from './Playground.module.css';
import { referenceBefore, suggestNames, withName } from './variable-at-caret.ts';

type TextBox = HTMLInputElement | HTMLTextAreaElement;

interface Typing {
  field: TextBox;
  from: number;
  typed: string;
}

const isTextBox = (target: EventTarget | null): target is TextBox =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text');

/**
 * Suggests names of variables in every text field inside of it, after `{{`. The fields stay as they are: this listens to
 * what is typed in them, and types the chosen name.
 */
export function VariableCompletion({ children }: { children: ReactNode }) {
  const env = useEnv();
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const [typing, setTyping] = useState<Typing>();
  const [at, setAt] = useState(0);
  const { data } = useQuery({ ...settingsQueryOptions(env), enabled: typing !== undefined });
  const names = typing ? suggestNames(data?.variables.map(({ name }) => name) ?? [], typing.typed) : [];
  const active = names.length === 0 ? undefined : Math.min(at, names.length - 1);
  const optionId = (index: number): string => `${id}-${index}`;

  const take = (name: string): void => {
    if (!typing) return;
    const { field, from } = typing;
    const next = withName(field.value, from, field.selectionStart ?? field.value.length, name);
    setTyping(undefined);
    typeInto(field, next.text);
    field.setSelectionRange(next.caret, next.caret);
  };
  const follow = (event: Event): void => {
    const field = event.target;
    if (!isTextBox(field) || field.getAttribute('role') === 'combobox') return;
    const caret = field.selectionStart ?? 0;
    const isRange = caret !== field.selectionEnd;
    const found = isRange ? undefined : referenceBefore(field.value, caret);
    // Moving the caret into a finished name suggests nothing.
    if (!found || (event.type !== 'input' && typing?.field !== field)) return setTyping(undefined);
    if (found.typed !== typing?.typed) setAt(0);
    setTyping({ field, ...found });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (active === undefined || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === 'ArrowDown') setAt((active + 1) % names.length);
    else if (event.key === 'ArrowUp') setAt((active + names.length - 1) % names.length);
    else if (event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) take(names[active] ?? '');
    else if (event.key === 'Escape') setTyping(undefined);
    else return;
    // These keys would submit the form, leave the field or close what it is in.
    event.preventDefault();
    event.stopPropagation();
  };
  const onFollow = useEffectEvent(follow);
  const onKey = useEffectEvent(onKeyDown);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const ending = new AbortController();
    const options = { capture: true, signal: ending.signal };
    for (const type of ['input', 'keyup', 'click']) element.addEventListener(type, (event) => onFollow(event), options);
    element.addEventListener('keydown', (event) => onKey(event), options);
    element.addEventListener('focusout', () => setTyping(undefined), options);
    return () => ending.abort();
  }, []);
  const field = active === undefined ? undefined : typing?.field;
  const activeId = active === undefined ? undefined : optionId(active);
  useEffect(() => {
    if (!field || activeId === undefined) return;
    field.setAttribute('aria-autocomplete', 'list');
    field.setAttribute('aria-controls', id);
    field.setAttribute('aria-activedescendant', activeId);
    return () => {
      for (const name of ['aria-autocomplete', 'aria-controls', 'aria-activedescendant']) field.removeAttribute(name);
    };
  }, [field, activeId, id]);
  return (
    <div ref={box} style={{ display: 'contents' }}>
      {children}
      <span className="visually-hidden" role="status">
        {field && (names.length === 1 ? '1 variable' : `${names.length} variables`)}
      </span>
      {field && (
        <Portal>
          <div id={id} role="listbox" aria-label="Variables" className={classes['names']} style={placeOf(field)}>
            {names.map((name, index) => {
              const variable = data?.variables.find((one) => one.name === name);
              return (
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active one
                // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field
                <div
                  key={name}
                  id={optionId(index)}
                  className="hovers"
                  role="option"
                  aria-selected={index === active}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => take(name)}
                >
                  <code className="cut">{name}</code>
                  <span className="cut faint">{variable?.is_plain ? variable.value : 'secret'}</span>
                </div>
              );
            })}
          </div>
        </Portal>
      )}
    </div>
  );
}

/** As a person types: the field's owner sees an ordinary event of typing. */
function typeInto(field: TextBox, text: string): void {
  const owner = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(owner.prototype, 'value')?.set?.call(field, text);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

const LINE = 20;
const HEIGHT = 8 * 32 + 8;

/** Below the line of the caret, or above the field where there is no room. */
function placeOf(field: TextBox): CSSProperties {
  const { left, top, bottom, width } = field.getBoundingClientRect();
  const lines = field.value.slice(0, field.selectionStart ?? 0).split('\n').length;
  const line = field instanceof HTMLTextAreaElement ? top + 8 + lines * LINE - field.scrollTop : bottom;
  const below = Math.min(Math.max(line, top), bottom) + 4;
  const isAbove = below + HEIGHT > window.innerHeight && top > HEIGHT;
  return {
    left,
    maxWidth: `min(${Math.max(width, 240)}px, calc(100vw - ${left + 8}px))`,
    ...(isAbove ? { bottom: window.innerHeight - top + 4 } : { top: below }),
  };
}
