import { javascriptLanguage } from '@codemirror/lang-javascript';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { Decoration, EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { Tag } from '@lezer/highlight';

/** One expression: as a program, the first bracket would start a block. */
const json = javascriptLanguage.configure({ top: 'SingleExpression' });

const NAME = Decoration.mark({ class: 'cm-json-name' });
const namesIn = new MatchDecorator({
  regexp: /^[ \t]*("(?:[^"\\]|\\.)*"):/gm,
  decorate: (add, from, _to, match) => {
    const at = from + match[0].indexOf('"');
    add(at, at + (match[1] ?? '').length, NAME);
  },
});
/** Member names, which the grammar treats like any other string. */
const names = ViewPlugin.define(
  (editor) => ({
    decorations: namesIn.createDeco(editor),
    update(update: ViewUpdate) {
      this.decorations = namesIn.updateDeco(update, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

const nameColor = EditorView.theme({ '.cm-json-name, .cm-json-name *': { color: 'var(--hp-accent-text)' } });

/** JSON that is written with a member per line; its member names have a colour of their own. */
export const jsonLanguage: Extension = [json, names, nameColor];

const MEMBER_NAME = Tag.define();
const TOKENS: [RegExp, string | null][] = [
  [/^"(?:[^"\\]|\\.)*"(?=:)/, 'memberName'],
  [/^"(?:[^"\\]|\\.)*"?/, 'string'],
  [/^-?\d[\d.eE+-]*/, 'number'],
  [/^(?:true|false)\b/, 'bool'],
  [/^null\b/, 'null'],
  [/^[\s,:[\]{}]+/, null],
];

const jsonTokens = StreamLanguage.define<null>({
  token(stream) {
    const found = TOKENS.find(([pattern]) => stream.match(pattern));
    if (!found) stream.next();
    return found?.[1] ?? null;
  },
  tokenTable: { memberName: MEMBER_NAME },
});

/** JSON of which parts are read alone, as the removed lines of a diff are: a grammar needs the whole text. */
export const jsonPartsLanguage: Extension = [
  jsonTokens,
  syntaxHighlighting(HighlightStyle.define([{ tag: MEMBER_NAME, class: 'cm-json-name' }])),
  nameColor,
];
