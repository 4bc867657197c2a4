import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { escapeOf, TURNS } from '../../lib/json-text.ts';

const look = EditorView.theme({
  '&': {
    height: '100%',
    backgroundColor: 'var(--hp-sunken)',
    color: 'var(--hp-text)',
    fontSize: '12px',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    lineHeight: '20px',
    fontVariantLigatures: 'none',
  },
  '.cm-content': { padding: '8px 0' },
  '.cm-line': { padding: '0 16px 0 8px' },
  '.cm-gutters': { backgroundColor: 'var(--hp-sunken)', color: 'var(--hp-text-3)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 24px', minWidth: '48px' },
  '.cm-escape': { color: 'var(--hp-bad)' },
  '.cm-bad-line': { backgroundColor: 'var(--hp-bad-soft)', forcedColorAdjust: 'none' },
  '.cm-gutterElement.cm-bad-line': { color: 'var(--hp-bad)' },
  // Padding, never margin: the editor measures blocks without their margins.
  '.cm-problem-block': { padding: '2px 16px 4px 8px' },
  '.cm-problem': {
    display: 'flex',
    gap: '8px',
    alignItems: 'baseline',
    padding: '6px 12px',
    border: '1px solid var(--hp-border-strong)',
    borderRadius: '6px',
    backgroundColor: 'var(--hp-raised)',
    fontFamily: 'var(--mantine-font-family)',
    fontSize: '13px',
    whiteSpace: 'normal',
    // Lines may be wider than the window; the message stays visible.
    position: 'sticky',
    left: '8px',
    maxWidth: 'min(640px, calc(100cqw - 88px))',
    overflowWrap: 'anywhere',
  },
  '.cm-problem code': { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12px' },
  '.cm-problem i': { flex: 'none', width: '8px', height: '8px', borderRadius: '50%', backgroundColor: 'var(--hp-bad)' },
  '.cm-problem small': { marginLeft: 'auto', fontSize: '12px', color: 'var(--hp-text-3)' },
});

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--hp-keyword)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--hp-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--hp-number)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--hp-function)' },
  { tag: [tags.typeName, tags.className], color: 'var(--hp-type)' },
  { tag: tags.comment, color: 'var(--hp-comment)' },
]);

/** A text cannot look like another one: what changes its direction, or is invisible, is written as its escape. */
const special = highlightSpecialChars({
  addSpecialChars: TURNS,
  render: (code, description) => {
    const mark = document.createElement('span');
    mark.className = 'cm-escape';
    mark.textContent = escapeOf(code);
    if (description) mark.title = description;
    return mark;
  },
});

export const codeTheme: Extension = [look, syntaxHighlighting(colors), special];

/** Added and removed parts between two texts. */
export const diffTheme: Extension = EditorView.theme({
  // Colours that a system forces would make the two alike.
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--hp-add-bg)', forcedColorAdjust: 'none' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--hp-del-bg)', forcedColorAdjust: 'none' },
  '.cm-deletedChunk': { backgroundColor: 'var(--hp-del-bg)', paddingLeft: '8px', forcedColorAdjust: 'none' },
  '&.cm-merge-b .cm-changedText': { background: 'var(--hp-add-hi)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'var(--hp-del-hi)',
    textDecoration: 'none',
  },
  // The colours of words have too little contrast on these backgrounds.
  '.cm-changedText, .cm-changedText *, .cm-deletedText, .cm-deletedText *': { color: 'var(--hp-text)' },
  '.cm-deletedLine, .cm-deletedLine del': { textDecoration: 'none' },
  // A sign in addition to the colour, so that the new line can be recognised without colours.
  '.cm-changeGutter': { width: '16px', padding: '0' },
  '.cm-changeGutter .cm-gutterElement': { textAlign: 'center' },
  '&.cm-merge-b .cm-changedLineGutter': {
    background: 'var(--hp-add-bg)',
    boxShadow: 'inset 2px 0 var(--hp-ok)',
    color: 'var(--hp-ok)',
  },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': {
    backgroundColor: 'var(--hp-del-bg)',
    boxShadow: 'inset 2px 0 var(--hp-bad)',
    color: 'var(--hp-bad)',
  },
  '&.cm-merge-b .cm-changedLineGutter::after': { content: '"+"' },
  '&.cm-merge-a .cm-changedLineGutter::after': { content: '"−"' },
  // In one column, one element stands beside all lines that were removed at a place: a sign is drawn for each of them.
  '.cm-deletedLineGutter': {
    backgroundImage: 'linear-gradient(transparent 9px, currentcolor 9px 10px, transparent 10px)',
    backgroundSize: '7px 20px',
    backgroundPosition: 'center top',
    backgroundRepeat: 'repeat-y',
    // Forced colours would remove the drawing.
    forcedColorAdjust: 'none',
  },
  '.cm-collapsedLines': {
    padding: '3px 8px',
    borderBlock: '1px solid var(--hp-border)',
    background: 'none',
    color: 'var(--hp-text-2)',
    fontFamily: 'var(--mantine-font-family)',
  },
  '.cm-collapsedLines:hover': { color: 'var(--hp-text)' },
  // Few fonts contain its own symbols.
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '""' },
});
