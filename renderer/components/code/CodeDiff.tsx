import { javascript } from '@codemirror/lang-javascript';
import { goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { jsonPartsLanguage } from '../json/json-language.ts';
import { codeTheme, diffTheme } from './code-theme.ts';
import { diffTokens } from './token-diff.ts';

interface CodeDiffProps {
  before: string;
  after: string;
  label: string;
  /** Formatted JSON instead of TypeScript. */
  isJson?: boolean;
  /** Side by side; otherwise in one column. */
  isSplit?: boolean;
  /** Moves to the next change (1) or the previous one (-1); each new object moves once. */
  step?: { by: 1 | -1 } | undefined;
}

/** Moves between changes; registered even without changes, so that `n` does not reach another command of the screen. */
const BETWEEN_CHANGES = keymap.of([
  { key: 'n', run: (view) => goToNextChunk(view) || true },
  { key: 'p', run: (view) => goToPreviousChunk(view) || true },
]);

/** Two texts of TypeScript or JSON in one column or two, what is the same folded; `n` and `p` go through the changes. In a shadow root for the reason that `CodeView` has. */
export function CodeDiff({ before, after, label, isJson = false, isSplit = false, step }: CodeDiffProps) {
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<EditorView>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const language = isJson ? 'json' : 'code';
    const comparison = {
      collapseUnchanged: { margin: 3, minSize: 6 },
      diffConfig: { override: (a: string, b: string) => diffTokens(a, b, language) },
    };
    const extensions = (name: string): Extension[] => [
      lineNumbers(),
      BETWEEN_CHANGES,
      isJson ? jsonPartsLanguage : javascript({ typescript: true }),
      codeTheme,
      diffTheme,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': name, 'aria-readonly': 'true' }),
    ];
    if (isSplit) {
      const sides = new MergeView({
        a: { doc: before, extensions: [extensions(`${label}, before`), EditorView.lineWrapping] },
        b: { doc: after, extensions: [extensions(`${label}, after`), EditorView.lineWrapping] },
        parent: root,
        root,
        ...comparison,
      });
      shown.current = sides.b;
      sides.dom.tabIndex = 0;
      sides.dom.style.maxHeight = '100%';
      return () => sides.destroy();
    }
    const view = unifiedMergeView({ original: before, mergeControls: false, ...comparison });
    const state = EditorState.create({ doc: after, extensions: [extensions(label), view] });
    const editor = new EditorView({ state, parent: root, root });
    shown.current = editor;
    editor.scrollDOM.tabIndex = 0;
    return () => editor.destroy();
  }, [before, after, label, isJson, isSplit]);
  useEffect(() => {
    if (step && shown.current) (step.by > 0 ? goToNextChunk : goToPreviousChunk)(shown.current);
  }, [step]);
  return <div ref={host} style={{ height: '100%', minHeight: 0, overflow: 'hidden' }} />;
}
