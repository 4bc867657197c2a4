import {
  type ChangeSet,
  EditorSelection,
  type Extension,
  StateEffect,
  StateField,
  Transaction,
  type TransactionSpec,
} from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';

/** What leads from one text to the one before it, or after it. */
interface Step {
  changes: ChangeSet;
  /** Start of the selection afterwards. */
  anchor: number;
  head: number;
}

interface History {
  done: readonly Step[];
  undone: readonly Step[];
  /** Where the last typed letter ended; typing that continues there joins its step. A space ends a word. */
  typedTo: number | undefined;
}

const MOST_STEPS = 500;
const goes = StateEffect.define<'back' | 'forward'>();

const history = StateField.define<History>({
  create: () => ({ done: [], undone: [], typedTo: undefined }),
  update(old, transaction) {
    if (!transaction.docChanged) return transaction.selection ? { ...old, typedTo: undefined } : old;
    const way = transaction.effects.find((effect) => effect.is(goes))?.value;
    const step = inverseOf(transaction);
    if (way === 'back') return { done: old.done.slice(0, -1), undone: [...old.undone, step], typedTo: undefined };
    if (way === 'forward') return { done: [...old.done, step], undone: old.undone.slice(0, -1), typedTo: undefined };
    const typed = typedRange(transaction);
    const last = old.done.at(-1);
    const joins = last !== undefined && typed !== undefined && typed.from === old.typedTo;
    const done = joins
      ? [...old.done.slice(0, -1), { ...last, changes: step.changes.compose(last.changes) }]
      : [...old.done.slice(1 - MOST_STEPS), step];
    return { done, undone: [], typedTo: typed?.endsWord ? undefined : typed?.to };
  },
});

function inverseOf({ changes, startState }: Transaction): Step {
  const { anchor, head } = startState.selection.main;
  return { changes: changes.invert(startState.doc), anchor, head };
}

interface TypedRange {
  from: number;
  to: number;
  endsWord: boolean;
}

/** The range of what was typed within a line; undefined for any other change. */
function typedRange(transaction: Transaction): TypedRange | undefined {
  if (!transaction.isUserEvent('input.type')) return undefined;
  let range: TypedRange | undefined;
  transaction.changes.iterChanges((fromA, toA, fromB, toB, inserted) => {
    const text = inserted.toString();
    if (fromA === toA && !text.includes('\n')) range = { from: fromB, to: toB, endsWord: /\s$/.test(text) };
  });
  return range;
}

function go(view: EditorView, way: 'back' | 'forward'): boolean {
  const { done, undone } = view.state.field(history);
  const step = (way === 'back' ? done : undone).at(-1);
  if (!step) return true;
  const spec: TransactionSpec = {
    changes: step.changes,
    selection: EditorSelection.single(step.anchor, step.head),
    effects: goes.of(way),
    annotations: Transaction.userEvent.of(way === 'back' ? 'undo' : 'redo'),
    scrollIntoView: true,
  };
  view.dispatch(spec);
  return true;
}

/** A new line begins where the one before it begins. */
function breakLine(view: EditorView): boolean {
  const { state } = view;
  const change = state.changeByRange((range) => {
    const { from, text } = state.doc.lineAt(range.from);
    const indent = (/^[ \t]*/.exec(text)?.[0] ?? '').slice(0, range.from - from);
    const insert = `${state.lineBreak}${indent}`;
    return {
      changes: { from: range.from, to: range.to, insert },
      range: EditorSelection.cursor(range.from + insert.length),
    };
  });
  view.dispatch(state.update(change, { userEvent: 'input', scrollIntoView: true }));
  return true;
}

/**
 * Undo, redo and line breaks of an editor. The browser's own undo does not know the changes that the editor makes in
 * the page, and mixes up the text.
 */
export function editorHistory(): Extension {
  return [
    history,
    keymap.of([
      { key: 'Mod-z', run: (view) => go(view, 'back') },
      { key: 'Mod-y', mac: 'Mod-Shift-z', run: (view) => go(view, 'forward') },
      { linux: 'Ctrl-Shift-z', win: 'Ctrl-Shift-z', run: (view) => go(view, 'forward') },
      { key: 'Enter', run: breakLine },
    ]),
    EditorView.domEventHandlers({
      beforeinput(event, view) {
        if (event.inputType !== 'historyUndo' && event.inputType !== 'historyRedo') return false;
        event.preventDefault();
        return go(view, event.inputType === 'historyUndo' ? 'back' : 'forward');
      },
    }),
  ];
}
