import type { KeyMeaning } from './key-map.ts';
import { chordOf, isOfControl, isOverlayOpen, isSingleKey, isTyping, originOf } from './shortcuts.ts';
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
 * what is in it. Its one listener stands at the window.
 */
export class CommandRegistry {
  #sets: ReadonlyArray<readonly Command[]> = [];
  readonly #listeners = new Set<() => void>();
  #first: { chord: string; at: number } | undefined;
  #hasSingleKeys = readStored(STORED_AS, true);

  /** Returns how to take them away again. */
  add(commands: readonly Command[]): () => void {
    this.#change([commands, ...this.#sets]);
    return () => this.#change(this.#sets.filter((one) => one !== commands));
  }

  /** All that can be done now; the same array until that changes. */
  readonly list = (): ReadonlyArray<readonly Command[]> => this.#sets;

  readonly hasSingleKeys = (): boolean => this.#hasSingleKeys;

  setSingleKeys(isOn: boolean): void {
    this.#hasSingleKeys = isOn;
    writeStored(STORED_AS, isOn);
    this.#change([...this.#sets]);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || /^(Control|Shift|Alt|Meta)$/.test(event.key)) return;
    const target = originOf(event);
    const chord = chordOf(event);
    const first = this.#first && event.timeStamp - this.#first.at < SEQUENCE_MS ? this.#first.chord : undefined;
    this.#first = undefined;
    const isDone = (first !== undefined && this.#run(`${first} ${chord}`, target)) || this.#run(chord, target) || false;
    if (isDone) event.preventDefault();
    else if (this.#begins(chord, target)) this.#first = { chord, at: event.timeStamp };
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

  #change(sets: ReadonlyArray<readonly Command[]>): void {
    this.#sets = sets;
    for (const listener of this.#listeners) listener();
  }
}

/** The one of this page. */
export const commandRegistry = new CommandRegistry();
