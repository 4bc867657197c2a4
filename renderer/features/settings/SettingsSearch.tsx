import { CloseButton, Kbd, Stack, TextInput, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { desktopBridge } from '../../api/desktop-bridge.ts';
import { useEnv } from '../../api/use-env.ts';
import { useCommands } from '../../components/use-commands.ts';
import { findSettings } from '../../lib/find-settings.ts';
import { formatCount } from '../../lib/format-number.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { type FoundSetting, listSettings } from '../../lib/settings-index.ts';
import classes from './SettingsSearch.module.css';

/** Finds a setting by its words and synonyms, and leads to it; the list of sections is shown while nothing is typed. */
export function SettingsSearch({ children }: { children: ReactNode }) {
  const env = useEnv();
  const navigate = useNavigate();
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  useCommands([{ ...KEY_MAP.search, label: 'Search the settings', run: () => input.current?.focus() }]);
  const isSearching = text.trim() !== '';
  const found = isSearching ? findSettings(listSettings(env, desktopBridge() !== undefined), text) : [];
  const active = Math.min(chosen, found.length - 1);
  const type = (next: string): void => {
    setText(next);
    setChosen(0);
  };
  const open = ({ to }: FoundSetting): void => {
    type('');
    void navigate(to);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    // Enter can also confirm a word of an input method.
    if (event.nativeEvent.isComposing) return;
    const { key } = event;
    const one = found[active];
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      const by = key === 'ArrowDown' ? 1 : -1;
      if (found.length > 0) setChosen((active + by + found.length) % found.length);
    } else if (key === 'Enter' && one) open(one);
    else if (key === 'Escape' && text !== '') {
      event.stopPropagation();
      type('');
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        ref={input}
        pb={12}
        aria-label="Search the settings"
        placeholder="Search"
        role="combobox"
        aria-expanded={isSearching}
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        rightSection={
          text === '' ? (
            <Kbd aria-hidden>/</Kbd>
          ) : (
            <CloseButton size={20} aria-label="Clear search" onClick={() => type('')} />
          )
        }
      />
      <div className="visually-hidden" aria-live="polite">
        {isSearching && formatCount(found.length, 'setting')}
      </div>
      {isSearching ? (
        <Stack id={listId} role="listbox" aria-label="Settings found" gap={2}>
          {found.map((one, index) => (
            <UnstyledButton
              key={one.id}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              tabIndex={-1}
              className={`item ${classes['found']}`}
              ref={index === active ? intoView : undefined}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => open(one)}
            >
              <span className="name" style={{ display: 'block', color: 'var(--hp-text)' }}>
                {one.label}
              </span>
              <span className={`faint note ${classes['hint']}`} style={{ display: 'block' }}>
                {one.hint}
              </span>
            </UnstyledButton>
          ))}
          {found.length === 0 && (
            <p className="soft" style={{ padding: '4px 8px' }}>
              No setting matches “{text.trim()}”.
            </p>
          )}
        </Stack>
      ) : (
        children
      )}
    </>
  );
}

const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });
