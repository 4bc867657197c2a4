import { history, historyKeymap, insertNewlineKeepIndent } from '@codemirror/commands';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';

/**
 * Undo and redo, and new lines that begin where the one before them begins. The browser's own undo does not know the
 * changes that the editor makes in the page, and mixes up the text.
 */
export const editorHistory = (): Extension => [
  history(),
  keymap.of([...historyKeymap, { key: 'Enter', run: insertNewlineKeepIndent }]),
];
