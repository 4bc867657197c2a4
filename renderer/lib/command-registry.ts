import type { KeyMeaning } from './key-map.ts';
import { changePreferences, onPreferences, preferences } from './preferences.ts';
import { chordOf, isOfControl, isOverlayOpen, isSingleKey, isTooltipOpen, isTyping, originOf } from './shortcuts.ts';
import { readStored, writeStored } from './stored.ts';

export interface Command extends KeyMeaning {
  /** False when it has nothing to do just now; the key then goes on. */
  run: () => unknown;
  /** Takes its keys only while the focus is inside. */
  within?: () => Element | null;
}

/** How long the first key of a sequence waits for the second. */
const SEQUENCE_MS = 1500;
const STORED_AS = 'singleKeys';

/**
 * Every key of the dashboard: screens add what can be done on them, the newest first, and the help and the palette show
 * what is in it. Its listeners stand at the window.
 */
export class CommandRegistry {
  /** As the screens gave them, and with the keys that a person chose. */
  #added: ReadonlyArray<readonly Command[]> = [];
  #sets: ReadonlyArray<readonly Command[]> = [];
  readonly #above = new WeakSet<readonly Command[]>();
  /** Keys by the id of their command, where they were changed. */
  #ownKeys: Readonly<Record<string, readonly string[]>> = preferences().keys;
  readonly #listeners = new Set<() => void>();
  #first: { chord: string; at: number } | undefined;
  #hasSingleKeys = readStored(STORED_AS, true);

  constructor() {
    onPreferences(() => {
      if (preferences().keys === this.#ownKeys) return;
      this.#ownKeys = preferences().keys;
      this.#change(this.#added);
    });
  }

  /** Returns how to take them away again. What lies above the screen stays first, whatever comes below it later. */
  add(commands: readonly Command[], isAbove = false): () => void {
    if (isAbove) this.#above.add(commands);
    const [above, below] = [true, false].map((where) => this.#added.filter((one) => this.#above.has(one) === where));
    this.#change(isAbove ? [commands, ...this.#added] : [...(above ?? []), commands, ...(below ?? [])]);
    return () => this.#change(this.#added.filter((one) => one !== commands));
  }

  /** Keys of a command from now on, in this browser; undefined: those of the keyboard map. */
  setKeys(id: string, keys: readonly string[] | undefined): void {
    const { [id]: _, ...others } = preferences().keys;
    changePreferences({ keys: keys ? { ...others, [id]: [...keys] } : others });
  }

  /** All that can be done now; the same array until that changes. */
  readonly list = (): ReadonlyArray<readonly Command[]> => this.#sets;

  readonly hasSingleKeys = (): boolean => this.#hasSingleKeys;

  setSingleKeys(isOn: boolean): void {
    this.#hasSingleKeys = isOn;
    writeStored(STORED_AS, isOn);
    this.#change(this.#added);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly onKeyDown = (event: KeyboardEvent): void => {
    // A field that takes Enter takes it with Ctrl as well, which it does not mean.
    const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if ((event.defaultPrevented && !isSend) || event.isComposing || /^(Control|Shift|Alt|Meta)$/.test(event.key))
      return;
    const target = originOf(event);
    const chord = chordOf(event);
    const first = this.#first && event.timeStamp - this.#first.at < SEQUENCE_MS ? this.#first.chord : undefined;
    this.#first = undefined;
    const isDone = (first !== undefined && this.#run(`${first} ${chord}`, target)) || this.#run(chord, target) || false;
    if (isDone) event.preventDefault();
    else if (this.#begins(chord, target)) this.#first = { chord, at: event.timeStamp };
  };

  /**
   * While a tooltip is open, Escape ends at the element that has the focus: the tooltip takes it and says nothing. It then
   * counts before it gets there. What a field or an overlay does with it goes first.
   */
  readonly onKeyDownBefore = (event: KeyboardEvent): void => {
    const isFree = !isTyping(originOf(event)) && !isOverlayOpen();
    if (event.key === 'Escape' && isTooltipOpen() && isFree) this.onKeyDown(event);
  };

  #run(chord: string, target: EventTarget | null): boolean {
    const fitting = this.#sets.flat().filter((one) => one.keys.includes(chord) && this.#isFree(one, chord, target));
    const isNear = (one: Command): boolean => one.within !== undefined;
    return [...fitting.filter(isNear), ...fitting.filter((one) => !isNear(one))].some((one) => one.run() !== false);
  }

  #begins(chord: string, target: EventTarget | null): boolean {
    return this.#sets
      .flat()
      .some((one) => one.keys.some((key) => key.startsWith(`${chord} `)) && this.#isFree(one, `${chord} ?`, target));
  }

  #isFree(command: Command, chord: string, target: EventTarget | null): boolean {
    if (command.within && !(target instanceof Node && command.within()?.contains(target))) return false;
    if (!this.#hasSingleKeys && isSingleKey(chord)) return false;
    if (command.inFields) return true;
    return !isTyping(target) && !isOverlayOpen() && !isOfControl(chord.split('+').at(-1) ?? '', target);
  }

  #change(added: ReadonlyArray<readonly Command[]>): void {
    this.#added = added;
    this.#sets = added.map((set) => set.map((one) => ({ ...one, keys: this.#ownKeys[one.id] ?? one.keys })));
    for (const listener of this.#listeners) listener();
  }
}

/** The one of this page. */
export const commandRegistry = new CommandRegistry();
