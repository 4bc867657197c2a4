import { StreamLanguage } from '@codemirror/language';
import { EditorState, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { codeTheme } from './code-theme.ts';
import { editorHistory } from './editor-history.ts';

interface YamlEditorProps {
  value: string;
  label: string;
  /** Lines to mark, 1-based. */
  faultyLines: readonly number[];
  onChange: (text: string) => void;
}

/** A grammar with only what the colours need: keys, strings, numbers, comments. */
const yaml = StreamLanguage.define<{ depth: number }>({
  startState: () => ({ depth: 0 }),
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return 'comment';
    const bracket = stream.match(/^[[\]{}]/) as RegExpMatchArray | null;
    if (bracket) {
      state.depth = Math.max(state.depth + (/[[{]/.test(bracket[0]) ? 1 : -1), 0);
      return 'punctuation';
    }
    if (stream.match(/^([-?:|>](?=\s|$)|,)/)) return 'punctuation';
    if (stream.match(/^("(?:[^"\\]|\\.)*"|'[^']*'|[\w.$~@-]+)(?=\s*:(\s|$))/)) return 'propertyName';
    if (stream.match(/^("(?:[^"\\]|\\.)*"|'[^']*')/)) return 'string';
    if (stream.match(/^(true|false|null|~)(?=\s|$|[,}\]])/)) return 'keyword';
    if (stream.match(/^-?\d+(\.\d+)?(?=\s|$|[,}\]])/)) return 'number';
    // Brackets end a string only inside other brackets.
    if (stream.match(state.depth > 0 ? /^[^,[\]{}#]+/ : /^\S.*?(?=\s#|$)/)) return 'string';
    stream.next();
    return null;
  },
});

function marksOf(state: EditorState, lines: readonly number[]): DecorationSet {
  const set = new RangeSetBuilder<Decoration>();
  for (const line of [...new Set(lines)].sort((a, b) => a - b)) {
    if (line < 1 || line > state.doc.lines) continue;
    const { from } = state.doc.line(line);
    set.add(from, from, Decoration.line({ class: 'cm-bad-line' }));
  }
  return set.finish();
}

const setMarks = StateEffect.define<DecorationSet>();
/** The marks move with the text until the next check of it. */
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (old, { changes, effects }) =>
    effects.reduce((found, effect) => (effect.is(setMarks) ? effect.value : found), old.map(changes)),
  provide: (field) => EditorView.decorations.from(field),
});

/** An editor for YAML; a new text from outside replaces only the part that differs, so that the cursor stays. Tab moves the focus out of it. */
export function YamlEditor({ value, label, faultyLines, onChange }: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const first = useRef(value);
  /** Own texts that have not come back as `value` yet. */
  const reported = useRef<string[]>([]);
  const report = useEffectEvent(onChange);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    // In a shadow root, see `CodeView`.
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const state = EditorState.create({
      doc: first.current,
      extensions: [
        lineNumbers(),
        yaml,
        editorHistory(),
        codeTheme,
        EditorView.lineWrapping,
        marks,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
        EditorView.updateListener.of((update) => {
          const isOutside = update.transactions.some((one) => one.effects.some((effect) => effect.is(fromOutside)));
          if (!update.docChanged || isOutside) return;
          const text = update.state.doc.toString();
          reported.current.push(text);
          report(text);
        }),
      ],
    });
    const editor = new EditorView({ state, parent: root, root });
    view.current = editor;
    return () => editor.destroy();
  }, [label]);
  useEffect(() => {
    const editor = view.current;
    // With fast typing an own text comes back when the editor has a newer one.
    const own = reported.current.indexOf(value);
    reported.current.splice(0, own < 0 ? reported.current.length : own + 1);
    if (own >= 0) return;
    const before = editor?.state.doc.toString() ?? value;
    if (!editor || before === value) return;
    const change = difference(before, value);
    editor.dispatch({ changes: change, effects: fromOutside.of(null) });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    editor?.dispatch({ effects: setMarks.of(marksOf(editor.state, faultyLines)) });
  }, [faultyLines]);
  return <div ref={host} style={{ height: '100%', minHeight: 0, overflow: 'hidden' }} />;
}

const fromOutside = StateEffect.define<null>();

/** The single range in which two texts differ. */
function difference(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < most - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
