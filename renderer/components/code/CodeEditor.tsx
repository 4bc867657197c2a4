import { javascript } from '@codemirror/lang-javascript';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { editorOfText } from './editor-history.ts';

interface CodeEditorProps {
  /** The initial text; later values are ignored. */
  initial: string;
  label: string;
  onChange: (text: string) => void;
}

/** An editor for JSON or text; Tab moves the focus out of it. In a shadow root, see `CodeView`. */
export function CodeEditor({ initial, label, onChange }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const first = useRef(initial);
  const report = useEffectEvent(onChange);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const state = EditorState.create({
      doc: first.current,
      extensions: [lineNumbers(), javascript(), editorOfText(label, report)],
    });
    const editor = new EditorView({ state, parent: root, root });
    return () => editor.destroy();
  }, [label]);
  return <div ref={host} style={{ height: '100%', minHeight: 0, overflow: 'hidden' }} />;
}
