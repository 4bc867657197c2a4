import { codeFolding, foldAll, foldGutter, foldKeymap, toggleFold, unfoldAll } from '@codemirror/language';
import { Compartment, EditorSelection, EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { type JsonPath, pathOfLine, valueOfLine } from '../../lib/recognised-value.ts';
import { codeTheme } from '../code/code-theme.ts';
import { jsonLanguage } from './json-language.ts';

export interface JsonMatches {
  count: number;
  /** Number of the current match, from 1; 0 for none. */
  at: number;
}

/** The line of the cursor. */
export interface JsonCursor {
  line: number;
  path: JsonPath;
  value: unknown;
}

export interface JsonCommands {
  findNext: (step: 1 | -1) => void;
  foldAll: () => void;
  unfoldAll: () => void;
}

interface JsonEditorViewProps {
  text: string;
  label: string;
  search: string;
  /** Wraps long lines. */
  isWrapped: boolean;
  /** Without the numbers of lines. */
  isPlain: boolean;
  onMatches: (matches: JsonMatches) => void;
  onCursor: (cursor: JsonCursor) => void;
  onReady: (commands: JsonCommands) => void;
}

/** Matches beyond this are counted but not marked: marking all would be slow. */
const MAX_MATCHES = 10_000;

const setMarks = StateEffect.define<DecorationSet>();
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (old, { effects }) => effects.reduce((found, effect) => (effect.is(setMarks) ? effect.value : found), old),
  provide: (field) => EditorView.decorations.from(field),
});
const MATCH = Decoration.mark({ class: 'cm-match' });

const look = EditorView.theme({
  '.cm-match': { backgroundColor: 'var(--hp-warn-soft)', outline: '1px solid var(--hp-warn)' },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer', padding: '0 4px' },
  '.cm-foldPlaceholder': {
    padding: '0 6px',
    border: '1px solid var(--hp-border-strong)',
    borderRadius: '4px',
    backgroundColor: 'var(--hp-raised)',
    color: 'var(--hp-text-2)',
  },
  '.cm-content': { caretColor: 'var(--hp-text)' },
  '.cm-activeLine': { backgroundColor: 'var(--hp-hover)' },
});

const WRAPPING = new Compartment();

/** The text as a tree that folds. In a shadow root, see `CodeView`; the left and right arrows fold and unfold. */
export function JsonEditorView({ text, label, search, isWrapped, isPlain, ...callbacks }: JsonEditorViewProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const found = useRef<readonly number[]>([]);
  const latest = useEffectEvent(() => ({ ...callbacks, search, isWrapped }));
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const state = EditorState.create({
      doc: text,
      extensions: [
        isPlain ? [] : lineNumbers(),
        foldGutter(),
        codeFolding(),
        jsonLanguage,
        codeTheme,
        look,
        marks,
        keymap.of([{ key: 'ArrowLeft', run: toggleFold }, { key: 'ArrowRight', run: toggleFold }, ...foldKeymap]),
        EditorState.readOnly.of(true),
        WRAPPING.of(latest().isWrapped ? EditorView.lineWrapping : []),
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.selectionSet) latest().onCursor(cursorOf(update.state));
        }),
      ],
    });
    const editor = new EditorView({ state, parent: root, root });
    view.current = editor;
    latest().onReady({
      findNext: (step) => {
        const { length } = latest().search;
        const matches = found.current;
        if (matches.length === 0) return;
        const { from } = editor.state.selection.main;
        const after = matches.findIndex((position) => position > from);
        const before = matches.findLastIndex((position) => position < from);
        const index = step === 1 ? Math.max(after, 0) : before < 0 ? matches.length - 1 : before;
        const position = matches[index] ?? 0;
        const selection = EditorSelection.single(position, position + length);
        editor.dispatch({ selection, effects: EditorView.scrollIntoView(position, { y: 'center' }) });
        latest().onMatches({ count: matches.length, at: index + 1 });
      },
      foldAll: () => void foldAll(editor),
      unfoldAll: () => void unfoldAll(editor),
    });
    return () => editor.destroy();
  }, [text, label, isPlain]);
  useEffect(() => {
    view.current?.dispatch({ effects: WRAPPING.reconfigure(isWrapped ? EditorView.lineWrapping : []) });
  }, [isWrapped]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has its own editor, without marks.
  useEffect(() => {
    const matches = matchesOf(text, search);
    found.current = matches;
    const ranges = matches.map((from) => MATCH.range(from, from + search.length));
    view.current?.dispatch({ effects: setMarks.of(Decoration.set(ranges)) });
    const first = matches[0];
    if (first !== undefined) view.current?.dispatch({ effects: EditorView.scrollIntoView(first, { y: 'center' }) });
    latest().onMatches({ count: matches.length, at: 0 });
  }, [search, text, label]);
  return <div ref={host} style={{ height: '100%', minHeight: 0, overflow: 'hidden' }} />;
}

/** The positions of the words, ignoring case. */
function matchesOf(text: string, search: string): number[] {
  if (search === '') return [];
  const matches: number[] = [];
  const pattern = new RegExp(search.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi');
  for (const { index } of text.matchAll(pattern)) {
    matches.push(index);
    if (matches.length >= MAX_MATCHES) break;
  }
  return matches;
}

function cursorOf(state: EditorState): JsonCursor {
  const { number, text } = state.doc.lineAt(state.selection.main.head);
  const path = pathOfLine((one) => state.doc.line(one).text, number) ?? [];
  return { line: number, path, value: valueOfLine(text) };
}
