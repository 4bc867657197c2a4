import { Input, Kbd, UnstyledButton } from '@mantine/core';
import { type createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { formatCount } from '../../lib/format-number.ts';
import type { FuzzyMatch } from '../../lib/fuzzy-match.ts';
import { modifierKey } from '../../lib/platform.ts';
import { countUse, readUsage } from '../../lib/usage.ts';
import classes from './Palette.module.css';
import { type PaletteEntry, readQuery } from './palette-entry.ts';
import { type RankedEntry, rankEntries } from './rank-entries.ts';
import { useDocsEntries } from './use-docs-entries.tsx';
import { useOwnEntries } from './use-own-entries.tsx';
import { useServerEntries } from './use-server-entries.tsx';
import { stepTexts, useStepEntries } from './use-step-entries.tsx';
import { addressActions, openWindow, useSubjectActions } from './use-subject-actions.tsx';

/** Below this score the local matches are loose: Enter and Tab wait for the server's results. */
const GOOD_SCORE = 0.7;

const MODES: ReadonlyArray<readonly [prefix: string, label: string]> = [
  ['>', 'Actions'],
  ['@', 'Connections'],
  ['#', 'Logs'],
  ['?', 'Help'],
];

/** An entry whose actions, or whose targets, replace the list. */
interface Opened {
  entry: PaletteEntry;
  /** The text of the list from which it was opened. */
  query: string;
  from: Opened | undefined;
}

interface PaletteProps {
  env: string;
  /** Called when it opens or closes. */
  store: ReturnType<typeof createSpotlight>[0];
  close: () => void;
  query: string;
  onQuery: (query: string) => void;
}

/** `Mod+K`: finds every named object and every command (ui.md 12). */
export function Palette(props: PaletteProps) {
  return (
    <Spotlight.Root
      store={props.store}
      shortcut={null}
      query={props.query}
      onQueryChange={props.onQuery}
      // Starts empty each time (Shell); clearing it after closing would clear the text of one opened meanwhile.
      clearQueryOnClose={false}
      size={672}
      yOffset={88}
      centered={false}
      scrollable
      maxHeight={480}
      lockScroll={false}
      radius="lg"
      classNames={{ content: classes['content'] ?? '' }}
      attributes={{ content: { 'aria-label': 'Command palette' } }}
    >
      <Search {...props} />
    </Spotlight.Root>
  );
}

/** Field and results; mounted only while the palette is open. */
function Search({ env, store, query, onQuery, close }: PaletteProps) {
  const navigate = useNavigate();
  const listId = useId();
  const [chosenId, setChosenId] = useState<string>();
  const [opened, setOpened] = useState<Opened>();
  /** A key that was pressed before the server answered; it applies to the best match. */
  const [waitingKey, setWaitingKey] = useState<'Enter' | 'Tab'>();
  // While the actions of an entry are shown, its list does not change, so that going back finds it as it was.
  const { mode, text } = readQuery(firstQuery(opened) ?? query);
  const own = useOwnEntries(env, mode, text);
  const docs = useDocsEntries(mode, text);
  const server = useServerEntries(env, { mode, text, shown: own.shown });
  const step = opened?.entry.step;
  const asked = opened && stepTexts(opened.entry);
  const targets = useStepEntries(env, step, query.trim());
  const actionsOf = useSubjectActions(env);
  const choicesOf = ({ subject, to }: PaletteEntry): PaletteEntry[] => [
    ...(subject ? actionsOf(subject) : []),
    ...(to === undefined ? [] : addressActions(to)),
  ];
  const found = new Set(server.entries.map(({ to }) => to));
  const entries = opened
    ? step
      ? targets.entries
      : choicesOf(opened.entry)
    : // A recently opened object that also matches by name is listed once.
      [...own.entries.filter(({ group, to }) => group !== 'Recent' || !found.has(to)), ...server.entries, ...docs];
  const filter = opened ? query.trim() : text;
  const groups = rankEntries(entries, filter, { usage: readUsage(), now: Date.now() });
  const all = groups.flatMap((one) => one.entries);
  const active = all.find(({ entry }) => entry.id === chosenId) ?? all[0];
  const isWaiting = opened ? targets.isSearching : server.isSearching;

  const type = (next: string): void => {
    setChosenId(undefined);
    setWaitingKey(undefined);
    onQuery(next);
  };
  const choose = (entry: PaletteEntry, isWindow = false): void => {
    const { id, to, run } = entry;
    countUse(id, Date.now());
    if (entry.step) {
      open(entry);
      return;
    }
    close();
    if (to !== undefined) {
      if (isWindow) openWindow(to);
      else void navigate(to);
      return;
    }
    // The palette has closed by then, and the focus is back where the command may read it.
    setTimeout(() => run?.());
  };
  const move = (by: number): void => {
    const at = active ? all.indexOf(active) : -1;
    setChosenId(all[(at + by + all.length) % all.length]?.entry.id);
  };
  const open = (entry: PaletteEntry): void => {
    setOpened({ entry, query, from: opened });
    type('');
  };
  const back = (): void => {
    setOpened(opened?.from);
    type(opened?.query ?? '');
    setChosenId(opened?.entry.id);
  };
  const openActions = (entry: PaletteEntry): void => {
    if (!opened && choicesOf(entry).length > 0) open(entry);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) return;
    const { key, shiftKey } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') move(key === 'ArrowDown' ? 1 : -1);
    else if (key === 'Enter' || (key === 'Tab' && !shiftKey)) {
      const isChosen = active !== undefined && active.entry.id === chosenId;
      const isGood = isChosen || (active && active.score >= GOOD_SCORE) || filter === '';
      // What a command acts on is chosen only when it is seen.
      if (!active || (!isGood && isWaiting)) setWaitingKey(isWaiting && !step ? key : undefined);
      else if (key === 'Enter') choose(active.entry, event.ctrlKey || event.metaKey);
      else openActions(active.entry);
    } else if ((key === 'Escape' || (key === 'Backspace' && query === '')) && opened) back();
    // Nothing else in the palette takes the focus.
    else if (key !== 'Tab') return;
    event.preventDefault();
  };
  const best = all[0]?.entry;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `choose` and `openActions` change with every render.
  useEffect(() => {
    if (!waitingKey || isWaiting) return;
    setWaitingKey(undefined);
    if (!best) return;
    if (waitingKey === 'Enter') choose(best);
    else openActions(best);
  }, [waitingKey, isWaiting, best]);
  const { opened: isOpen } = useSpotlight(store);
  // A palette that is reopened while it closes starts again; so does one whose environment changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen entry belongs to the environment.
  useEffect(() => {
    if (!isOpen) return;
    setOpened(undefined);
    setChosenId(undefined);
    setWaitingKey(undefined);
  }, [isOpen, env]);
  const idOf = (one: RankedEntry): string => `${listId}-${all.indexOf(one)}`;
  const activeId = active && idOf(active);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another entry may have the same index.
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId, active?.entry.id]);

  return (
    <>
      <div className="row gap-12 line-below" style={{ paddingRight: 16 }}>
        {opened && <span className={`rigid name cut ${classes['opened']}`}>{asked?.title ?? opened.entry.label}</span>}
        <Input
          miw={0}
          flex={1}
          classNames={{ input: classes['search'] ?? '' }}
          size="lg"
          data-autofocus
          // Escape returns from the actions of an entry; the dialog stays open.
          data-mantine-stop-propagation={opened !== undefined || undefined}
          role="combobox"
          aria-expanded
          aria-autocomplete="list"
          aria-controls={listId}
          aria-activedescendant={activeId}
          aria-label={
            asked
              ? `${asked.title}: ${asked.question}`
              : opened
                ? `Actions of ${opened.entry.label}`
                : 'Search or run a command'
          }
          placeholder={asked?.question ?? (opened ? 'Choose an action' : 'Search or run a command')}
          value={query}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          leftSection={opened ? undefined : <IconSearch size={18} stroke={1.6} aria-hidden />}
        />
        <span className="rigid soft small numbers" aria-live="polite">
          {isWaiting && all.length === 0 ? 'Searching' : formatCount(all.length, 'result')}
        </span>
        <Kbd>Esc</Kbd>
      </div>
      <Spotlight.ActionsList>
        <div id={listId} className={classes['list']} role="listbox" aria-label="Results">
          {groups.map(({ group, entries: some }) => (
            <Spotlight.ActionsGroup key={group} label={group} role="group" aria-label={group}>
              {some.map((ranked) => (
                <Result
                  key={ranked.entry.id}
                  id={idOf(ranked)}
                  ranked={ranked}
                  isActive={ranked === active}
                  hasActions={!opened && choicesOf(ranked.entry).length > 0}
                  onChoose={choose}
                />
              ))}
            </Spotlight.ActionsGroup>
          ))}
        </div>
        {all.length === 0 && (
          <Spotlight.Empty>
            {isWaiting ? 'Searching' : step && filter === '' ? targets.none : `Nothing matches “${filter}”.`}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
      <Spotlight.Footer className="row soft small" style={{ gap: 16, overflow: 'hidden', whiteSpace: 'nowrap' }}>
        <span>
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> Move
        </span>
        <span>
          <Kbd>↵</Kbd> Open
        </span>
        {opened ? (
          <span>
            <Kbd>Esc</Kbd> Back
          </span>
        ) : (
          <>
            <span>
              <Kbd>{modifierKey()}</Kbd> <Kbd>↵</Kbd> New window
            </span>
            <span className={`flex gap-16 at-end ${classes['modes']}`}>
              {MODES.map(([prefix, label]) => (
                <span key={prefix}>
                  <Kbd>{prefix}</Kbd> {label}
                </span>
              ))}
            </span>
          </>
        )}
      </Spotlight.Footer>
    </>
  );
}

/** The text of the list in which the first entry was opened. */
const firstQuery = (opened: Opened | undefined): string | undefined =>
  opened?.from ? firstQuery(opened.from) : opened?.query;

interface ResultProps {
  id: string;
  ranked: RankedEntry;
  isActive: boolean;
  hasActions: boolean;
  onChoose: (entry: PaletteEntry, isWindow: boolean) => void;
}

function Result({ id, ranked: { entry, label, hint }, isActive, hasActions, onChoose }: ResultProps) {
  return (
    <UnstyledButton
      id={id}
      className={`hovers row gap-12 full ${classes['entry']}`}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => onChoose(entry, event.ctrlKey || event.metaKey)}
    >
      <span className="centred rigid" style={{ width: 20 }}>
        {entry.icon}
      </span>
      <span className={`rigid name cut ${entry.isCode ? 'mono' : ''}`} style={{ maxWidth: '60%' }}>
        <Marked text={entry.label} ranges={label} />
      </span>
      <span className="soft small cut" style={{ flex: 1 }}>
        <Marked text={entry.hint ?? ''} ranges={hint} />
      </span>
      {entry.aside !== undefined && <span className={classes['aside']}>{entry.aside}</span>}
      {isActive && hasActions && (
        <span className={classes['tab']} aria-hidden>
          Actions <Kbd>Tab</Kbd>
        </span>
      )}
    </UnstyledButton>
  );
}

function Marked({ text, ranges }: { text: string; ranges: FuzzyMatch['ranges'] }) {
  let at = 0;
  const parts = ranges.flatMap(([from, to]) => {
    const before = text.slice(at, from);
    at = to;
    return [before, <mark key={from}>{text.slice(from, to)}</mark>];
  });
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  );
}
