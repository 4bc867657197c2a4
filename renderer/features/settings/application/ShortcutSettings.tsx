import { Button, Kbd, Switch } from '@mantine/core';
import { Fragment, type KeyboardEvent, useState } from 'react';
import { Section } from '../../../components/page/Section.tsx';
import { useCommandList, useSingleKeys } from '../../../components/use-commands.ts';
import { usePreferences } from '../../../components/use-preferences.ts';
import { commandRegistry } from '../../../lib/command-registry.ts';
import { findKeyConflict, isEditable } from '../../../lib/key-conflicts.ts';
import { KEY_MAP, type KeyMeaning } from '../../../lib/key-map.ts';
import { keyNames } from '../../../lib/key-names.ts';
import { changePreferences } from '../../../lib/preferences.ts';
import { chordOf } from '../../../lib/shortcuts.ts';
import classes from '../EnvironmentSettings.module.css';

const GROUPS: KeyMeaning['group'][] = ['Everywhere', 'Go to', 'List', 'This page'];

/** Every key of the dashboard; the keys of commands can be changed one by one. */
export function ShortcutSettings() {
  const here = useCommandList();
  const hasSingleKeys = useSingleKeys();
  const { keys: own } = usePreferences();
  // The whole keyboard map, including keys of other screens; of other commands those available on every screen, such as ways to screens.
  const usual = new Map<string, KeyMeaning>(here.map((one) => [one.id, one]));
  for (const one of Object.values<KeyMeaning>(KEY_MAP)) usual.set(one.id, one);
  const all = [...usual.values()].map((one) => ({ ...one, keys: own[one.id] ?? one.keys }));
  const isChanged = Object.keys(own).length > 0;
  return (
    <>
      <Section title="Single keys">
        <Switch
          label="Shortcuts without Ctrl or ⌘"
          description="When off, letters and symbols alone do nothing. Arrow keys, Enter and Esc still work."
          checked={hasSingleKeys}
          onChange={(event) => commandRegistry.setSingleKeys(event.currentTarget.checked)}
        />
      </Section>
      {GROUPS.map((group, index) => (
        <Section
          key={group}
          title={group}
          aside={
            index === 0 && (
              <Button size="xs" variant="default" disabled={!isChanged} onClick={() => changePreferences({ keys: {} })}>
                Reset all keys
              </Button>
            )
          }
        >
          {all
            .filter((one) => one.group === group)
            .map((one) => (
              <KeyRow key={one.id} command={one} all={all} isChanged={own[one.id] !== undefined} />
            ))}
        </Section>
      ))}
    </>
  );
}

interface KeyRowProps {
  command: KeyMeaning;
  all: readonly KeyMeaning[];
  isChanged: boolean;
}

function KeyRow({ command, all, isChanged }: KeyRowProps) {
  const { id, keys, label } = command;
  const [isListening, setListening] = useState(false);
  const [problem, setProblem] = useState<string>();
  const stop = (): void => {
    setListening(false);
    setProblem(undefined);
  };
  const take = (event: KeyboardEvent): void => {
    if (!isListening || /^(Control|Shift|Alt|Meta|Tab)$/.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const chord = chordOf(event);
    if (chord === 'escape') {
      stop();
      return;
    }
    const conflict = findKeyConflict(chord, id, all);
    if (conflict !== undefined) {
      setProblem(`${keyNames(chord).join(' ')}: ${conflict} Press another key, or Esc.`);
      return;
    }
    // Alternative keys, such as the arrows beside j and k, stay.
    commandRegistry.setKeys(id, [chord, ...keys.slice(1)]);
    stop();
  };
  return (
    <div
      className="grid line-below middle"
      style={{ gridTemplateColumns: 'minmax(0, 1fr) auto auto', gap: '4px 8px', minHeight: 36 }}
      role="group"
      aria-label={label}
    >
      <span>{label}</span>
      <span className={`middle ${classes['keyCaps']}`}>
        {keys.map((key, index) => (
          <Fragment key={key}>
            {index > 0 && <span className="faint">or</span>}
            {keyNames(key).map((name) => (
              <Kbd key={name}>{name}</Kbd>
            ))}
          </Fragment>
        ))}
      </span>
      {/* As wide as "Change", so that keys that stay stand below the others. */}
      <span style={{ minWidth: 66 }}>
        {isEditable(command) && (
          <Button
            size="xs"
            variant={isListening ? 'default' : 'subtle'}
            aria-label={isListening ? `Press the new key of ${label}` : `Change the key of ${label}`}
            onClick={() => setListening(true)}
            onBlur={stop}
            onKeyDown={take}
          >
            {isListening ? 'Press a key' : 'Change'}
          </Button>
        )}
        {isChanged && (
          <Button
            size="xs"
            variant="subtle"
            aria-label={`Reset the key of ${label}`}
            onClick={() => commandRegistry.setKeys(id, undefined)}
          >
            Reset
          </Button>
        )}
      </span>
      {problem && (
        <p className="bad small pb-8" style={{ gridColumn: '1 / -1' }} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
