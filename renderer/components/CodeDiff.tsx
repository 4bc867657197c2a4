import { javascript } from '@codemirror/lang-javascript';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { codeTheme, diffTheme } from './code-theme.ts';

interface CodeDiffProps {
  before: string;
  after: string;
  label: string;
}

/** Two texts of TypeScript in one column, what is the same folded. In a shadow root for the reason that `CodeView` has. */
export function CodeDiff({ before, after, label }: CodeDiffProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const state = EditorState.create({
      doc: after,
      extensions: [
        lineNumbers(),
        javascript({ typescript: true }),
        codeTheme,
        diffTheme,
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true' }),
        unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
      ],
    });
    const editor = new EditorView({ state, parent: root, root });
    editor.scrollDOM.tabIndex = 0;
    return () => editor.destroy();
  }, [before, after, label]);
  return <div ref={host} style={{ height: '100%', minHeight: 0, overflow: 'hidden' }} />;
}
