import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { editorOfText } from './editor-history.ts';

interface SqlEditorProps {
  /** The text; a new object replaces what was written. */
  text: { sql: string };
  label: string;
  /** Names of columns by schema and view, for completion. */
  views: Record<string, Record<string, string[]>>;
  onChange: (text: string) => void;
  onRun: () => void;
}

/** An editor for one statement, with completion of views and columns. Ctrl or Cmd and Enter runs it. */
export function SqlEditor({ text, label, views, onChange, onRun }: SqlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const language = useRef(new Compartment());
  const report = useEffectEvent(onChange);
  const run = useEffectEvent(() => {
    onRun();
    return true;
  });
  const first = useEffectEvent(() => ({ doc: text.sql, views }));
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const { doc, views: known } = first();
    const state = EditorState.create({
      doc,
      extensions: [
        // Before the keys of the editor, which would insert a line.
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => run() }])),
        lineNumbers(),
        language.current.of(languageFor(known)),
        autocompletion({ icons: false }),
        keymap.of(completionKeymap),
        editorOfText(label, report),
      ],
    });
    const view = new EditorView({ state, parent: root, root });
    editor.current = view;
    return () => view.destroy();
  }, [label]);
  useEffect(() => {
    editor.current?.dispatch({ effects: language.current.reconfigure(languageFor(views)) });
  }, [views]);
  useEffect(() => {
    const view = editor.current;
    if (!view || view.state.doc.toString() === text.sql) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text.sql } });
    view.focus();
  }, [text]);
  return <div ref={host} style={{ height: '100%', minHeight: 0, overflow: 'hidden' }} />;
}

/** DuckDB's SQL is close to that of PostgreSQL. */
const languageFor = (views: SqlEditorProps['views']) =>
  sql({ dialect: PostgreSQL, schema: views, upperCaseKeywords: true });
