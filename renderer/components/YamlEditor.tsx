import { StreamLanguage } from '@codemirror/language';
import { Compartment, EditorState, RangeSetBuilder, StateEffect } from '@codemirror/state';
import { Decoration, EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { codeTheme } from './code-theme.ts';

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
    if (stream.match(state.depth > 0 ? /^[^,[\]{}#]+/ : /^\S.*?(?=\s+#|$)/)) return 'string';
    stream.next();
    return null;
  },
});

function marks(state: EditorState, lines: readonly number[]) {
  const set = new RangeSetBuilder<Decoration>();
  for (const line of [...new Set(lines)].sort((a, b) => a - b)) {
    if (line < 1 || line > state.doc.lines) continue;
    const { from } = state.doc.line(line);
    set.add(from, from, Decoration.line({ class: 'cm-bad-line' }));
  }
  return set.finish();
}

/** An editor for YAML; a new text from outside replaces only the part that differs, so that the cursor stays. Tab moves the focus out of it. */
export function YamlEditor({ value, label, faultyLines, onChange }: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const decorations = useRef(new Compartment());
  const first = useRef(value);
  const latest = useRef(onChange);
  latest.current = onChange;
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
        codeTheme,
        EditorView.lineWrapping,
        decorations.current.of([]),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
        EditorView.updateListener.of((update) => {
          const isOwn = update.transactions.some((one) => one.effects.some((effect) => effect.is(fromOutside)));
          if (update.docChanged && !isOwn) latest.current(update.state.doc.toString());
        }),
      ],
    });
    const editor = new EditorView({ state, parent: root, root });
    view.current = editor;
    return () => editor.destroy();
  }, [label]);
  useEffect(() => {
    const editor = view.current;
    const before = editor?.state.doc.toString() ?? value;
    if (!editor || before === value) return;
    const change = difference(before, value);
    editor.dispatch({ changes: change, effects: fromOutside.of(null) });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    editor?.dispatch({
      effects: decorations.current.reconfigure(EditorView.decorations.of(marks(editor.state, faultyLines))),
    });
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
