import { CloseButton, Combobox, Kbd, TextInput, useCombobox } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import {
  type FilterName,
  fieldOfToken,
  isFieldBegun,
  type LogField,
  logQueryTokens,
  parseLogQuery,
  suggestionsFor,
  tokenAt,
} from '../../api/contract.ts';
import { useFilterValues } from '../../api/lists/use-filter-values.ts';
import { goToFirstRow, leaveField } from '../../components/form/leave-field.ts';
import { useTypedText } from '../../components/list/use-typed-text.ts';
import { useCommands } from '../../components/use-commands.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import classes from './QueryBox.module.css';

const SERVED: Partial<Record<LogField, FilterName>> = {
  integration: 'operations.integrations',
  connection: 'operations.connections',
  function: 'operations.functions',
};

interface QueryBoxProps {
  value: string;
  /** Suggests only values of its operations. */
  integrationKey: string | undefined;
  onChange: (value: string) => void;
}

/**
 * The query of the log, with suggestions for fields and values. Tab or Enter accepts the selected one; the first value
 * that continues a typed one is selected already. Esc closes, clears, leaves.
 */
export function QueryBox({ value, integrationKey, onChange }: QueryBoxProps) {
  const [caret, setCaret] = useState(0);
  /** Whether the word at the caret is being typed, and whether a suggestion continues its value. */
  const typing = useRef({ isOn: false, isContinued: false });
  const { text, setText, sendNow } = useTypedText(value, onChange, (whole) => {
    const { text: word, from, to } = tokenAt(whole, caret);
    // The beginning of a field or value would match nothing: the list would be empty for a moment.
    const isBegun = typing.current.isOn && (isFieldBegun(word) || typing.current.isContinued);
    return isBegun ? `${whole.slice(0, from).trimEnd()}${whole.slice(to)}` : whole;
  });
  const input = useRef<HTMLInputElement>(null);
  const mirror = useRef<HTMLDivElement>(null);
  /** The position of the caret after a suggestion is inserted. */
  const taken = useRef<number>(undefined);
  const store = useCombobox({ onDropdownClose: () => store.resetSelectedOption() });
  useCommands([{ ...KEY_MAP.search, run: () => input.current?.focus() }]);
  const token = tokenAt(text, caret);
  const suggestions = useSuggestions(token.text, store.dropdownOpened, integrationKey);
  const continued = continuedBy(suggestions, token.text);
  typing.current.isContinued = continued >= 0;
  /** The word is complete as it is. */
  const sendTyped = (whole: string): void => {
    typing.current.isOn = false;
    sendNow(whole);
  };
  const shownList = `${token.text} ${suggestions.map(({ insert }) => insert).join(' ')}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list, or another text of it, starts again.
  useLayoutEffect(() => {
    if (continued < 0) store.resetSelectedOption();
    else store.selectOption(continued);
  }, [continued, shownList]);
  // A value that a suggestion continues is still being typed.
  const { problems } = parseLogQuery(continued < 0 ? text : text.slice(0, token.from) + text.slice(token.to));
  const follow = (): void => {
    setCaret(input.current?.selectionStart ?? 0);
    if (mirror.current && input.current) mirror.current.scrollLeft = input.current.scrollLeft;
  };
  const take = (insert: string): void => {
    const isOpen = /[:>,]$/.test(insert);
    const next = `${text.slice(0, token.from)}${insert}${isOpen ? '' : ' '}${text.slice(token.to).trimStart()}`;
    const end = token.from + insert.length + (isOpen ? 0 : 1);
    setText(next);
    if (!isOpen) sendTyped(next);
    setCaret(end);
    taken.current = end;
    store.resetSelectedOption();
  };
  // Before the next key: in a later frame the caret would jump back before text that was typed meanwhile.
  useLayoutEffect(() => {
    if (taken.current === undefined) return;
    input.current?.setSelectionRange(taken.current, taken.current);
    taken.current = undefined;
  });
  return (
    <div className="rigid" style={{ position: 'relative', margin: '8px var(--hp-gutter) 10px' }}>
      <Combobox store={store} position="bottom-start" onOptionSubmit={take} withinPortal={false} width={320}>
        <Combobox.DropdownTarget>
          <div>
            <Combobox.EventsTarget withExpandedAttribute>
              <TextInput
                ref={input}
                role="combobox"
                aria-label="Query: words, state:failed, -connection:ID, duration>2s"
                aria-describedby={problems.length > 0 ? 'query-problems' : undefined}
                placeholder="Words, state:failed, -connection:ID, duration>2s"
                classNames={{ input: `mono ${classes['input']}` }}
                value={text}
                autoComplete="off"
                spellCheck={false}
                leftSection={<IconFilter size={16} stroke={1.6} aria-hidden />}
                rightSection={
                  text === '' ? (
                    <Kbd aria-hidden>/</Kbd>
                  ) : (
                    <CloseButton
                      size={20}
                      aria-label="Clear query"
                      onClick={() => {
                        setText('');
                        sendTyped('');
                        input.current?.focus();
                      }}
                    />
                  )
                }
                onChange={(event) => {
                  typing.current.isOn = true;
                  setText(event.currentTarget.value);
                  setCaret(event.currentTarget.selectionStart ?? 0);
                  store.openDropdown();
                }}
                onSelect={follow}
                onScroll={follow}
                onClick={() => store.openDropdown()}
                onBlur={() => {
                  store.closeDropdown();
                  sendTyped(text);
                }}
                onKeyDown={(event) => {
                  const isChosen = store.getSelectedOptionIndex() >= 0;
                  if (event.key === 'Tab' && store.dropdownOpened && isChosen && !event.shiftKey) {
                    event.preventDefault();
                    store.clickSelectedOption();
                  } else if (event.key === 'Enter' && !isChosen) {
                    sendTyped(text);
                    store.closeDropdown();
                    goToFirstRow(input.current);
                  } else if (event.key === 'ArrowDown' && !(store.dropdownOpened && suggestions.length > 0)) {
                    // With suggestions, the arrows choose among them.
                    if (goToFirstRow(input.current)) event.preventDefault();
                  } else if (event.key === 'Escape') {
                    event.stopPropagation();
                    event.preventDefault();
                    if (store.dropdownOpened && suggestions.length > 0) store.closeDropdown();
                    else if (text === '') leaveField(input.current);
                    else setText('');
                  }
                }}
              />
            </Combobox.EventsTarget>
            {problems.length > 0 && (
              <p id="query-problems" className="warn small pt-4" role="status">
                {problems.join(' ')}
              </p>
            )}
          </div>
        </Combobox.DropdownTarget>
        <div ref={mirror} className={`mono ${classes['mirror']}`} aria-hidden>
          {colored(text).map(({ kind, part, at }) => (
            <span key={at} data-kind={kind}>
              {part}
            </span>
          ))}
        </div>
        <Combobox.Dropdown hidden={suggestions.length === 0}>
          <Combobox.Options aria-label="Completions">
            {suggestions.map(({ label, insert, hint }) => (
              <Combobox.Option key={insert} value={insert}>
                <span className="flex gap-12 small" style={{ alignItems: 'baseline' }}>
                  <code>{label}</code>
                  {hint !== undefined && <span className="faint cut">{hint}</span>}
                </span>
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
    </div>
  );
}

function useSuggestions(token: string, isOpen: boolean, integrationKey: string | undefined) {
  const narrowing = fieldOfToken(token);
  const served = narrowing && SERVED[narrowing.field];
  const values = useFilterValues(served ?? 'operations.integrations', isOpen && served !== undefined, integrationKey);
  const typed = narrowing?.rest.split(',').at(-1)?.replaceAll('"', '') ?? '';
  const { search } = values;
  const isAsking = isOpen && served !== undefined;
  useEffect(() => {
    if (isAsking) search(typed);
  }, [isAsking, typed, search]);
  if (!isOpen) return [];
  const found = suggestionsFor(token, served ? (values.data ?? []) : []);
  // A completely typed value needs no suggestion.
  return found.length === 1 && found[0]?.insert === token ? [] : found;
}

/** The index of the first suggestion that continues the typed value; -1 where there is none, or the value is one itself. */
function continuedBy(suggestions: readonly { label: string }[], token: string): number {
  const typed = fieldOfToken(token)?.rest.split(',').at(-1)?.replaceAll('"', '').toLowerCase() ?? '';
  const values = suggestions.map(({ label }) => label.toLowerCase());
  return typed === '' || values.includes(typed) ? -1 : values.findIndex((value) => value.startsWith(typed));
}

type Kind = 'field' | 'not' | 'value' | 'word' | 'gap';

/** The text split into parts for syntax colours. */
function colored(text: string): { kind: Kind; part: string; at: number }[] {
  const parts: { kind: Kind; part: string; at: number }[] = [];
  let end = 0;
  const add = (kind: Kind, part: string, at: number): void => {
    if (part !== '') parts.push({ kind, part, at });
  };
  for (const token of logQueryTokens(text)) {
    add('gap', text.slice(end, token.from), end);
    const narrowing = fieldOfToken(token.text);
    const isDuration = /^-?duration[<>]=?/i.exec(token.text)?.[0];
    const head = narrowing ? token.text.slice(0, token.text.length - narrowing.rest.length) : (isDuration ?? '');
    add(head.startsWith('-') ? 'not' : 'field', head, token.from);
    add(head === '' ? 'word' : 'value', token.text.slice(head.length), token.from + head.length);
    end = token.to;
  }
  add('gap', text.slice(end), end);
  return parts;
}
