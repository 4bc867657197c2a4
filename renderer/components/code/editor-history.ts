import { history, historyKeymap, insertNewlineKeepIndent } from '@codemirror/commands';
import type { Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { codeTheme } from './code-theme.ts';

/**
 * Undo and redo, and new lines that begin where the one before them begins. The browser's own undo does not know the
 * changes that the editor makes in the page, and mixes up the text.
 */
export const editorHistory = (): Extension => [
  history(),
  keymap.of([...historyKeymap, { key: 'Enter', run: insertNewlineKeepIndent }]),
];

/** What editors of text share: history, look, wrapped lines, a name, and a call for each change. */
export const editorOfText = (label: string, report: (text: string) => void): Extension => [
  editorHistory(),
  codeTheme,
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
  EditorView.updateListener.of((update) => {
    if (update.docChanged) report(update.state.doc.toString());
  }),
];
