import type { KeyMeaning } from './key-map.ts';
import { changePreferences, onPreferences, preferences } from './preferences.ts';
import { chordOf, isOfControl, isOverlayOpen, isSingleKey, isTooltipOpen, isTyping, originOf } from './shortcuts.ts';
import { readStored, writeStored } from './stored.ts';

export interface Command extends KeyMeaning {
  /** Returns false when it has nothing to do now; the key is then handled elsewhere. */
  run: () => unknown;
  /** Its keys work only while the focus is inside. */
  within?: () => Element | null;
}

/** Milliseconds that the first key of a sequence waits for the second. */
const SEQUENCE_MS = 1500;
const STORED_AS = 'singleKeys';

/**
 * Every key of the dashboard: screens add their commands, newest first; the help and the palette list them. Its
 * listeners are on the window.
 */
export class CommandRegistry {
  /** As the screens added them, and with the keys that a person chose. */
  #added: ReadonlyArray<readonly Command[]> = [];
  #sets: ReadonlyArray<readonly Command[]> = [];
  readonly #above = new WeakSet<readonly Command[]>();
  /** Changed keys by the id of their command. */
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

  /** Returns a function that removes them. Commands of an overlay stay first, even when commands below it are added later. */
  add(commands: readonly Command[], isAbove = false): () => void {
    if (isAbove) this.#above.add(commands);
    const [above, below] = [true, false].map((where) => this.#added.filter((one) => this.#above.has(one) === where));
    this.#change(isAbove ? [commands, ...this.#added] : [...(above ?? []), commands, ...(below ?? [])]);
    return () => this.#change(this.#added.filter((one) => one !== commands));
  }

  /** Sets the keys of a command, in this browser; undefined: those of the keyboard map. */
  setKeys(id: string, keys: readonly string[] | undefined): void {
    const { [id]: _, ...others } = preferences().keys;
    changePreferences({ keys: keys ? { ...others, [id]: [...keys] } : others });
  }

  /** All available commands; the same array until they change. */
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
    // A field that takes Enter would also take Ctrl+Enter, which it does not handle.
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
   * While a tooltip is open, it handles Escape at the focused element and stops it. So the registry handles Escape
   * earlier, unless a field or an overlay needs it first.
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

/** The registry of this page. */
export const commandRegistry = new CommandRegistry();
